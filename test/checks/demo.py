#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""demo.py DEMO: runs the demo as a user would, in terminals of several sizes, which are resized and
interrupted in the middle, and without a terminal; and checks what it prints and leaves behind.
The terminals are tmux's; without it, the exit code 77 says that the check was skipped."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from counted import check, print_count

DEMO = os.path.abspath(sys.argv[1])
SMALL = ["--nodes", "3000", "--models", "none"]
PATIENCE = 1800  # seconds: ends a hang, and nothing else however busy the machine is
ESCAPE = "\x1b"
LIVE = ["handle_map", "memory order", "material changes"]

work = tempfile.mkdtemp()
# What is typed stays on the screen, so the program has a name that the view does not show, however
# the folder of the sources is called.
os.symlink(DEMO, os.path.join(work, "program"))


def run(*arguments, **environment):
    """Runs the demo without a terminal, in the work directory."""
    return subprocess.run(
        [DEMO, *arguments],
        cwd=work,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


class Terminal:
    """A shell in a terminal of its own."""

    count = 0

    def __init__(self, columns, rows):
        Terminal.count += 1
        self.starts = 0
        self.socket = os.path.join(work, f"tmux{Terminal.count}")
        shell = ["env", "PS1=ready> ", "ENV=/dev/null", "sh", "-i"]
        size = ["-x", str(columns), "-y", str(rows)]
        self.tmux("-f", "/dev/null", "new-session", "-d", "-c", work, *size, *shell)
        self.wait("ready>")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.tmux("kill-server")

    def tmux(self, *arguments):
        environment = {**os.environ, "LC_ALL": "C.UTF-8"}
        environment.pop("TMUX", None)
        return subprocess.run(
            ["tmux", "-S", self.socket, *arguments],
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=True,
        ).stdout

    def screen(self, *options):
        return self.tmux("capture-pane", "-p", *options)

    def state(self, *names):
        """Values of tmux's variables, as "1" or "0" for those that are true or false."""
        return self.tmux("display-message", "-p", " ".join(f"#{{{name}}}" for name in names)).split()

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def type(self, command):
        self.tmux("send-keys", "-l", command)
        self.keys("Enter")

    def resize(self, columns, rows):
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def wait_until(self, is_so, what):
        """Waits until this is true of the screen, and returns the screen."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            screen = self.screen()
            if is_so(screen):
                return screen
            time.sleep(0.05)
        sys.exit(f"{what}\n{self.screen()}")

    def wait(self, wanted, absent=()):
        """Waits until a text, or all of several, are on the screen, and returns the screen."""
        wanted = [wanted] if isinstance(wanted, str) else wanted
        return self.wait_until(
            lambda screen: all(t in screen for t in wanted) and not any(t in screen for t in absent),
            f"{wanted} did not appear, or {absent} did not vanish")

    def start(self, *arguments, before=""):
        """Starts the demo in the middle of a screen that has nothing else on it."""
        self.starts += 1
        self.type(f"clear; echo; echo earlier {self.starts}")
        self.wait(f"\nearlier {self.starts}\nready>")
        self.type(f"{before} sh -c 'echo $$ >pid; exec ./program {' '.join(SMALL + [*arguments])}'")

    def live(self, name, absent=()):
        """Waits for the live view, and checks that it has a screen of its own."""
        self.wait(LIVE, absent)
        cursor, other_screen = self.state("cursor_flag", "alternate_on")
        check(cursor == "0", f"{name}: the view has no cursor", cursor)
        check(other_screen == "1", f"{name}: the view is on the other screen", other_screen)

    def usable(self, name):
        """Checks that the terminal is as a shell leaves it."""
        cursor, other_screen = self.state("cursor_flag", "alternate_on")
        check(cursor == "1", f"{name}: the cursor is visible", cursor)
        check(other_screen == "0", f"{name}: the first screen is back", other_screen)
        self.type("stty -a | tr ' ;' '\\n\\n' | grep -x -e echo -e icanon -e isig | tr '\\n' +")
        self.wait("isig+icanon+echo+ready>")
        self.type("echo us''able")
        screen = self.wait("usable")
        check("echo us''able\n" in screen, f"{name}: what is typed is echoed", screen)
        screen = self.screen("-e")
        check(ESCAPE not in screen, f"{name}: attributes are off", screen)


def is_laid_out(screen, columns):
    """Rows must neither be wrapped nor scroll: so each is where it belongs."""
    lines = screen.split("\n")
    label = columns // 3 - 1
    starts = {0: "handle_map", 1: "frames", 3: "defragmentation", 4: "frame, of"}
    return max(map(len, lines)) <= columns and all(
        lines[row].startswith(start[:label]) for row, start in starts.items())


def check_layout(terminal, columns, rows):
    """A screen may be captured in the middle of a redraw, so a good one is waited for, ten times."""
    name = f"{columns}x{rows}"
    check(terminal.state("pane_width", "pane_height") == [str(columns), str(rows)], name)
    for _ in range(10):
        terminal.wait_until(lambda screen: is_laid_out(screen, columns),
                            f"{name}: the rows are not in their places")


def check_sizes():
    """The view fits into each size, and follows when the size changes in the middle."""
    sizes = [(80, 24), (200, 50), (48, 12), (20, 5), (100, 30)]
    for first in range(2):
        with Terminal(*sizes[first]) as terminal:
            terminal.start("--frames", "1000000", "--runs", "1")
            terminal.live("start")
            for columns, rows in sizes[first:]:
                terminal.resize(columns, rows)
                check_layout(terminal, columns, rows)
                terminal.wait("memory order" if columns > 40 else "handle_map")
                if rows >= 24:
                    terminal.wait(["handles issued", "frames, up to"])
                if rows >= 50:
                    terminal.wait(["the camera's view", "@"])
            terminal.keys("C-c")
            terminal.wait("demo: interrupted")


def check_ends():
    """However the demo ends, the terminal is left clean, on a fresh line after what was there."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGABRT):
        with Terminal(80, 24) as terminal:
            terminal.start("--frames", "1000000")
            terminal.wait(LIVE)
            if number == signal.SIGINT:
                terminal.keys("C-c")
            else:
                with open(os.path.join(work, "pid"), encoding="ascii") as file:
                    os.kill(int(file.read()), number)
            screen = terminal.wait(["earlier", "\nready>\n"], LIVE)
            if number != signal.SIGABRT:
                check("\ndemo: interrupted\n" in screen, f"{number}: the demo says so", screen)
            terminal.type("echo code $?")
            terminal.wait(f"\ncode {128 + number}\n")
            terminal.usable(number)
    with Terminal(80, 60) as terminal:
        terminal.start("--frames", "40", "--runs", "2")
        screen = terminal.wait(["earlier", "hash of all handles issued", "\nready>\n"], LIVE[:1])
        terminal.usable("the end")


def check_suspension():
    """Ctrl-Z gives the terminal to the shell, and fg brings the view back."""
    with Terminal(80, 24) as terminal:
        terminal.start("--frames", "1000000")
        terminal.wait(LIVE)
        terminal.keys("C-z")
        terminal.wait(["earlier", "\nready>\n"], LIVE)
        terminal.usable("Ctrl-Z")
        terminal.type("fg")
        terminal.live("fg", ["earlier"])
        terminal.keys("C-c")
        terminal.wait("demo: interrupted")
        terminal.usable("Ctrl-C after Ctrl-Z")


def check_plain():
    """No live view where it makes no sense, and no colours where they are not wanted."""
    with Terminal(80, 70) as terminal:
        terminal.start("--frames", "1000000")
        terminal.wait(LIVE)
        check(f"{ESCAPE}[34m" in terminal.screen("-e"), "the view has colours")
        terminal.keys("C-c")
        terminal.wait("demo: interrupted")
        terminal.start("--frames", "1000000", before="NO_COLOR=1 ")
        terminal.wait(LIVE)
        check(not re.search(ESCAPE + r"\[[0-9;]*m", terminal.screen("-e")), "NO_COLOR: no colours")
        terminal.keys("C-c")
        terminal.wait("demo: interrupted")
        short = ["--frames", "40", "--runs", "1"]
        for before, after in (("TERM=dumb ", []), ("", ["--plain"]), ("", ["|", "cat"])):
            terminal.start(*short, *after, before=before)
            terminal.wait(["earlier", "run 1 of 1, frame 40 of 40"])
            terminal.wait("\nready>\n")
        terminal.start(*short, "2>lines")
        terminal.wait(["earlier", "hash of all", "\nready>\n"])
        with open(os.path.join(work, "lines"), encoding="ascii") as file:
            lines = file.read()
        check("frame 40 of 40" in lines and ESCAPE not in lines, "stderr is a file", lines)
    result = run(*SMALL, "--frames", "8", "--runs", "2")
    output = result.stdout + result.stderr
    check(result.returncode == 0, "the exit code is 0 without a terminal", output)
    check(ESCAPE not in output, "no escape sequence without a terminal", output)
    lines = [line.split(":")[0] for line in result.stderr.splitlines()]
    wanted = [f"run {n} of 2, frame {f} of 8" for n in (1, 2) for f in (2, 4, 6, 8)]
    check(lines == wanted, "a line for each quarter", result.stderr)


def check_csv():
    for frames in (1, 37):
        result = run(*SMALL, "--frames", str(frames), "--csv", "frames.csv")
        check(result.returncode == 0, "--csv: the exit code is 0", result.stderr)
        with open(os.path.join(work, "frames.csv"), encoding="ascii") as file:
            head, *rows = [line.split(",") for line in file.read().splitlines()]
        check(len(rows) == frames, f"--csv: as many rows as frames, {frames}", rows)
        check(all(len(row) == len(head) for row in rows), "--csv: all columns have names", head)
        check([float(row[0]) for row in rows] == list(range(1, frames + 1)), "--csv: counts frames")
        check(all(re.fullmatch(r"\d+(\.\d+)?", cell) for row in rows for cell in row), "--csv")
    drawn = head.index("drawn")
    check(any(int(row[drawn]) > 0 for row in rows), "--csv: the camera sees something", rows)
    result = run(*SMALL, "--csv", "missing/frames.csv")
    check(result.returncode == 2 and "missing/frames.csv" in result.stderr, "--csv to nowhere")


def issued(*arguments):
    result = run(*SMALL, "--frames", "20", "--runs", "2", *arguments)
    check(result.returncode == 0, "the exit code is 0", result.stderr)
    check(re.search(r"updates were [1-9]\d*\.\d times as (fast|slow)\.\n", result.stdout),
          "the last sentence says what was seen", result.stdout)
    found = re.search("hash of all handles issued: ([0-9a-f]{16})\n", result.stdout)
    check(found, "the hash is printed", result.stdout)
    return found[1]


def check_seed():
    one = issued("--seed", "1")
    check(one == issued(), "1 is the default seed, and the same seed gives the same handles")
    check(one == issued("--budget", "7", "--sort-budget", "3", "--budget-us", "9"),
          "whatever the budgets")
    check(one != issued("--seed", "2"), "another seed gives other handles")
    elsewhere = issued("--elsewhere")
    check(elsewhere == issued("--elsewhere") != one, "the same with --elsewhere")


def check_save():
    """A scene that was saved and loaded goes on as if nothing had happened."""
    whole = issued("--frames", "40", "--save", "whole")
    half = issued("--save", "half")
    check(whole != half, "frames issue handles")
    check(whole == issued("--load", "half", "--save", "again"), "a loaded scene issues the same")
    with open(os.path.join(work, "whole"), "rb") as file:
        expected = file.read()
    with open(os.path.join(work, "again"), "rb") as file:
        check(file.read() == expected, "and makes the same file")
    with open(os.path.join(work, "cut"), "wb") as file:
        file.write(expected[:9000])
    for option, path, code, word in (("--load", "nosuch", 2, "nosuch"),
                                     ("--save", "missing/file", 2, "missing/file"),
                                     ("--load", "cut", 1, "section 'scene', byte")):
        result = run(*SMALL, option, path)
        check(result.returncode == code and word in result.stderr, f"{option} {path}", result)
    result = run(*SMALL, "--elsewhere", "--load", "half")
    check(result.returncode == 1 and "--elsewhere" in result.stderr, "--load of another", result)


def check_keys():
    """F5 keeps the scenes, F9 goes back to them, and the shell gets its keys back."""
    with Terminal(100, 30) as terminal:
        terminal.start("--frames", "1000000", "--runs", "1")
        terminal.wait("F5 saves the scenes")
        terminal.keys("F5")
        screen = terminal.wait(", F9 loads those of frame ")
        kept = int(re.search(r"those of frame (\d+)", screen)[1])

        def frame(screen):
            return int(re.search(r"frames +(\d+) of", screen)[1])

        screen = terminal.wait_until(lambda screen: frame(screen) > kept + 500, "no frames")
        later = frame(screen)
        # Again and again, since on a busy machine a single one may be long past when it is seen.
        terminal.wait_until(lambda screen: terminal.keys("F9") or frame(screen) < later,
                            "F9 does not go back")
        terminal.keys("C-c")
        terminal.wait("demo: interrupted")
        terminal.usable("F5 and F9")


def check_options():
    result = run("--help")
    check(result.returncode == 0, "--help: the exit code is 0", result.stderr)
    check(result.stdout.startswith("usage: demo ") and not result.stderr, "--help: prints the usage")
    for option in ("frames", "nodes", "budget", "budget-us", "swaps", "seed", "runs", "csv", "out",
                   "save", "load", "elsewhere"):
        check(f"--{option} " in result.stdout, f"--help: has --{option}", result.stdout)
    before = sorted(os.listdir(work))
    wrong = [["--nosuch"], ["-x"], ["--frames"], ["--frames", "0"], ["--frames", "x"],
             ["--frames", "-1"], ["--frames", ""], ["--frames", "9" * 30], ["--nodes", "99"],
             ["--nodes", "12,"], ["--budget", "0"], ["--budget-us", "0"],
             ["--swaps", "4294967296"], ["--seed", "1e3"],
             ["--runs", "100"], ["--csv"], ["--frames=5"], ["model", "--nosuch"]]
    for arguments in wrong:
        result = run(*arguments)
        check(result.returncode == 2, f"{arguments}: refused with 2", result)
        check(all(a in result.stderr for a in arguments if a != "model"), f"{arguments}: named",
              result.stderr)
        check(result.stdout == "" and sorted(os.listdir(work)) == before, f"{arguments}: no more")
    result = run(*SMALL, "--frames", "1", "--swaps", "12345")
    wanted = r"swaps a frame .*\n.*\n +budget +12345 "
    check(re.search(wanted, result.stdout), "--swaps sets the budget", result.stdout)


TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"


def check_models():
    """A model that is named and cannot be read is an error, with its name and the reason."""
    os.makedirs(os.path.join(work, "folder.obj"))
    for name, text in (("good.obj", TRIANGLE), ("empty.obj", ""), ("-good.obj", TRIANGLE),
                       ("cut.gltf", '{"asset":{"version":"2.0"},"nodes":[{')):
        with open(os.path.join(work, name), "w", encoding="ascii") as file:
            file.write(text)
    bad = {"nosuch.obj": "No such file", "folder.obj": "directory", "empty.obj": "empty",
           "cut.gltf": ""}
    for named in (list(bad), *([name] for name in bad)):
        result = run(*SMALL, "--frames", "4", *named, "good.obj")
        check(result.returncode == 1, f"models: {named} are refused with 1", result)
        check("frame" not in result.stdout + result.stderr, f"{named}: no frame was run", result)
        for name in named:
            check(re.search(f"^demo: {name}: .*{bad[name]}", result.stderr, re.M),
                  f"{name} is named, with the reason", result.stderr)
    if "without Assimp" not in result.stderr:
        result = run(*SMALL, "--frames", "4", "good.obj", "--", "-good.obj")
        check(result.returncode == 0, "models: the exit code is 0", result.stderr)
        for name in ("good.obj", "-good.obj"):
            check(f"model: {name}, " in result.stdout, f"{name} is read", result.stdout)
    result = run(*SMALL, "--frames", "4", *["good.obj"] * 65)
    check(result.returncode == 1 and "too many" in result.stderr, "too many models", result)


def check_picture():
    result = run(*SMALL, "--frames", "3", "--out", "it's here")
    check(result.returncode == 0, "the picture is drawn", result.stderr)
    if "gnuplot is not installed" not in result.stdout:
        check(os.path.getsize(os.path.join(work, "it's here", "demo.svg")) > 5000, "a picture")
    for path in ("file", "kept/demo.csv", "kept/demo.gp", "kept/demo.svg"):
        os.makedirs(os.path.dirname(os.path.join(work, path)), exist_ok=True)
        with open(os.path.join(work, path), "w", encoding="ascii") as file:
            file.write("kept")
    os.makedirs(os.path.join(work, "taken", "demo.svg"))
    for path in ("missing/demo", "file", "taken", "x" * 5000):
        result = run(*SMALL, "--frames", "3", "--out", path)
        check(result.returncode == 2, f"--out {path}: refused with 2", result)
        check(f"demo: --out: {path}" in result.stderr, f"--out {path}: named", result.stderr)
        check("frame" not in result.stdout + result.stderr, f"--out {path}: at once", result)
    check(os.listdir(os.path.join(work, "taken")) == ["demo.svg"], "--out: nothing is left behind")
    with subprocess.Popen([DEMO, *SMALL, "--runs", "99", "--out", "kept"], cwd=work,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        process.stderr.readline()
        process.kill()
    for name in ("demo.csv", "demo.gp", "demo.svg"):
        with open(os.path.join(work, "kept", name), encoding="ascii") as file:
            check(file.read() == "kept", f"--out: {name} stays until there is another")


def main():
    if shutil.which("tmux") is None:
        print("skipped: tmux is not installed")
        sys.exit(77)
    try:
        for part in (check_options, check_csv, check_seed, check_save, check_models, check_picture,
                     check_plain, check_sizes, check_keys, check_ends, check_suspension):
            part()
    finally:
        shutil.rmtree(work)
    print_count()


main()
