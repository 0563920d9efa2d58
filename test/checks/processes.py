# SPDX-License-Identifier: MIT
"""No command outlives the script that runs it through processes.py: not when its time is up, and
not when the script is killed, by a signal that it can catch or by SIGKILL."""
import os
import signal
import subprocess
import sys
import tempfile
import time

TOOLS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools")
PATIENCE = 1800  # seconds for a process to begin or to end: ends a hang, and nothing else
SCRIPT = """
import os, sys
import processes
processes.end_with_signals()
code = processes.run(["sh", "-c", sys.argv[2]], sys.argv[1], os.environ, float(sys.argv[3]))
print(code)
"""
SLEEPS = "echo $$ >pid; exec sleep 600"
CHILD_SLEEPS = "sleep 600 & echo $! >pid; wait"
CHILD_SPINS = "(while :; do :; done) & echo $! >pid; wait"


def is_alive(pid):
    """A zombie, which has ended but has not been waited for, is not alive."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_for(what, is_so):
    end = time.monotonic() + PATIENCE
    while not is_so():
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not after {PATIENCE} s")
        time.sleep(0.02)


def read_pid(place):
    try:
        with open(os.path.join(place, "pid"), encoding="ascii") as file:
            return int(file.read() or "0")
    except FileNotFoundError:
        return 0


def check(what, command, limit, number=None):
    """Starts the script, sends it signal `number` if given, and checks that the command is gone.
    Returns False if its time was up before the command had begun, as on a busy machine."""
    with tempfile.TemporaryDirectory() as place:
        script = subprocess.Popen([sys.executable, "-B", "-c", SCRIPT, place, command, str(limit)],
                                  env=dict(os.environ, PYTHONPATH=TOOLS), stdout=subprocess.PIPE,
                                  text=True)
        wait_for(f"{what}: the command begins",
                 lambda: read_pid(place) != 0 or script.poll() is not None)
        pid = read_pid(place)
        if pid == 0 and number is None:
            return False
        try:
            if number is not None:
                script.send_signal(number)
            output = script.communicate(timeout=PATIENCE)[0].strip()
            wait_for(f"{what}: the command is gone", lambda: not is_alive(pid))
        finally:
            script.kill()
            if is_alive(pid):
                os.kill(pid, signal.SIGKILL)
    expected = (-number, "") if number is not None else (0, "None")
    if (script.returncode, output) != expected:
        raise AssertionError(f"{what}: the script ended with {script.returncode}, '{output}'")
    print(f"{what}: gone")
    return True


def main():
    if not os.path.exists("/proc/self/stat"):
        print("skipped: needs /proc", file=sys.stderr)
        return 77
    # Scripts inherit what is ignored; under nohup that is SIGHUP, which they must hear here.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    for what, command in ("time is up", SLEEPS), ("time is up for a child", CHILD_SLEEPS):
        limit = 0.5
        while not check(what, command, limit):
            limit *= 2
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        check(number.name, SLEEPS, 600, number)
        check(f"{number.name}, a child", CHILD_SLEEPS, 600, number)
    check("SIGKILL", SLEEPS, 600, signal.SIGKILL)
    check("SIGKILL, a child that spins", CHILD_SPINS, 3, signal.SIGKILL)
    return 0


if __name__ == "__main__":
    sys.exit(main())
