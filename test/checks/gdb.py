# SPDX-License-Identifier: MIT
"""What debuggers show by tools/debug is what it should be: handles by index, generation and type,
live items with their handles, as hm_map_dump and its like do; and zeroed and damaged containers as
far as they can be read.

    gdb.py SOURCE PROGRAM CLASSES LIBRARY ASKER: compiles the programs, gdb.c and gdb.cpp, with the
    library, and runs them under gdb, and under lldb where there is one that runs Python, by the script
    ask_lldb.py. Skipped without gdb, gcc or g++, and where the system forbids tracing.
"""
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile

EXPECTED = {
    # handles
    "null_handle": "hm_handle(null)",
    "free_handle": "hm_handle(index 0, generation 1, type 0, free)",
    "wood": "texture_handle(index 0, generation 2, type 3)",
    "wrapped": "{id = hm_handle(index 0, generation 2, type 3)}",
    # containers, typed or not
    "textures": "texture_map 'texture', 2 of 1000 items = {"
                "[index 0, generation 2, type 3] = {width = 64, height = 32}, "
                "[index 1, generation 1, type 3] = {width = 7, height = 32}}",
    "textures.map": "hm_map 'texture', 2 of 1000 items = {"
                    "[index 0, generation 2, type 3] = 40 00 00 00 20 00 00 00, "
                    "[index 1, generation 1, type 3] = 07 00 00 00 20 00 00 00}",
    "plain": "hm_map 'plain', 1 of 10 items = {"
             "[index 0, generation 1, type 0] = 61 62 63 64 65 00}",
    "bullets": "bullet_pool 'bullet', 1 of 100 items = {"
               "[index 1, generation 1, type 4] = {speed = 300, angle = 45}}",
    "fixed": "hm_pool 'pool', 2 of 1000000 items = {"
             "[index 0, generation 1, type 0] = 00 00 00 00, "
             "[index 19999, generation 1, type 0] = 1f 4e 00 00}",
    "growing": "hm_pool 'pool', 2 of 1000000 items = {"
               "[index 0, generation 1, type 0] = 00 00 00 00, "
               "[index 19999, generation 1, type 0] = 1f 4e 00 00}",
    "sparse": "hm_pool 'pool', 2 of 1000000 items = {"
              "[index 0, generation 1, type 0] = 00 00 00 00, "
              "[index 19999, generation 1, type 0] = 1f 4e 00 00}",
    "glows": "glow_secondary 'glow', 1 of 100 values = {"
             "[index 0, generation 2, type 3] = {heat = 5}}",
    "glows.secondary": "hm_secondary 'glow', 1 of 100 values = {"
                       "[index 0, generation 2, type 3] = 05 00 00 00}",
    "points": "point_table 'point', 2 of 50 rows, 2 columns = {"
              "[index 0, generation 1, type 5] = {red = 200 '\\310', depth = 70000}, "
              "[index 1, generation 1, type 5] = {red = 1 '\\001', depth = 70000}}",
    "groups": "hm_table 'table', 10 of 10 rows, 2 columns = {" + ", ".join(
        f"[index {i}, generation 1, type 0] = 02 01 | {i + 3:02x}" for i in range(10)) + "}",
    "level": "hm_world 'level', 3 of 1000 entities, 2 archetypes = {"
             "[index 0, generation 1, type 9] = no component, "
             "[index 1, generation 1, type 9] = component 0 00 00 00 00 | component 1 00 00 00 00, "
             "[index 2, generation 1, type 9] = component 1 00 00 00 00}",
    "battle": "hm_world 'battle', 4 of 1000 entities, 2 archetypes = {"
             "[index 3, generation 1, type 10] = spot {width = 0, height = 0} | enemy | "
             "component 2 00 00, "
             "[index 1, generation 1, type 10] = spot {width = 0, height = 0}, "
             "[index 2, generation 1, type 10] = spot {width = 0, height = 0} | enemy, "
             "[index 0, generation 2, type 10] = spot {width = 3, height = 4} | component 2 01 02}",
    # what has no items of its own
    "arena": "hm_memory_arena, 1 ranges, 320 of 1048576 bytes, 69632 committed",
    "history": "hm_history, 2 of 8 marks, the next is 3; 5 copies of 4096 bytes",
    "empty_directory": "hm_directory, not initialised",
    "empty_arena": "hm_memory_arena, not initialised",
    "empty_history": "hm_history, not initialised",
    "contacts": "contact_lists 'contact', 4 of 100 lists, 4 items = {"
                "[index 0, generation 1, type 6] = {{heat = 5}, {heat = 6}, {heat = 7}}, "
                "[index 1, generation 1, type 6] = empty, "
                "[index 2, generation 1, type 6] = {{heat = 7}}, "
                "[index 3, generation 1, type 6] = empty}",
    "keyed": "cell_index 'cell', 2 of 10 owners, 1 keys = {"
             "[index 1, generation 1, type 3] = 7, "
             "[index 2, generation 1, type 3] = 7}",
    "names": "hm_lists 'names', 1 of 10 lists, 2 items = {"
             "[index 0, generation 1, type 0] = 61 62 63 | 78 79 7a}",
    # zeroed
    "empty_map": "texture_map, not initialised",
    "empty_pool": "hm_pool, not initialised",
    "empty_secondary": "hm_secondary, not initialised",
    "empty_table": "hm_table, not initialised",
    "empty_world": "hm_world, not initialised",
    "empty_lists": "hm_lists, not initialised",
    "empty_index": "hm_index, not initialised",
    # damaged
    "damaged_maps[0]": "hm_map 'plain', 4294967295 of 10 items, damaged",
    "damaged_maps[1]": "hm_map, damaged: the memory at 0x10 cannot be read = {"
                       "[index 0, generation 1, type 0] = 61 62 63 64 65 00}",
    "damaged_maps[2]": "hm_map 'plain', 1 of 10 items = {"
                       "[damaged] = the memory at 0x10 cannot be read}",
    "damaged_maps[3]": "hm_map 'plain', 1 of 10 items = {"
                       "[damaged] = position 0 has slot 77 of 1}",
    "damaged_maps[4]": "hm_map 'plain', 1 of 10 items = {"
                       "[damaged] = slot 0 is not at position 0}",
    "damaged_maps[5]": "hm_map 'plain', 1 of 10 items = {"
                       "[damaged] = the memory at 0x0 cannot be read}",
    "damaged_pools[0]": "hm_pool 'pool', 2 of 1000000 items = {"
                        "[damaged] = the memory at 0x10 cannot be read}",
    "damaged_pools[1]": "hm_pool 'pool', 2 of 1000000 items = {"
                        "[damaged] = the memory at 0x0 cannot be read}",
    "damaged_pools[2]": "hm_pool 'pool', 2 of 1000000 items = {"
                        "[damaged] = the memory at 0x10 cannot be read}",
    "damaged_pools[3]": "hm_pool 'pool', 1000 of 1000000 items = {"
                        "[index 0, generation 1, type 0] = 00 00 00 00, "
                        "[index 19999, generation 1, type 0] = 1f 4e 00 00}",
    "damaged_pools[4]": "hm_pool 'pool', 2 of 1000000 items = {"
                        "[damaged] = the memory at 0x0 cannot be read}",
    "damaged_pools[5]": "hm_pool 'pool', 4294967295 of 1000000 items, damaged",
    "damaged_secondary": "hm_secondary 'glow', 1 of 100 values = {"
                         "[damaged] = the memory at 0x0 cannot be read}",
    "damaged_tables[0]": "hm_table 'point', 2 of 50 rows, 2 columns = {"
                         "[damaged] = the memory at 0x0 cannot be read}",
    "damaged_tables[1]": "hm_table 'point', 2 of 50 rows, 2 columns = {"
                         "[damaged] = 18446744073709551615 bytes are too many}",
    "damaged_worlds[0]": "hm_world 'level', 3 of 1000 entities, 2 archetypes = {"
                         "[damaged] = the memory at 0x0 cannot be read}",
    "damaged_worlds[1]": "hm_world 'battle', 4 of 1000 entities, 2 archetypes = {"
                         "[damaged] = the memory at 0x10 cannot be read}",
    "damaged_worlds[2]": "hm_world 'battle', 4 of 1000 entities, 2 archetypes = {"
                         "[damaged] = the memory at 0x10 cannot be read}",
    "damaged_directories[0]": "hm_directory, damaged: the memory at 0x10 cannot be read = {"
                              "[damaged] = the memory at 0x10 cannot be read}",
    "damaged_directories[1]": "hm_directory, damaged: type id 0 has a container of kind 8 = {"
                              "[damaged] = type id 0 has a container of kind 8}",
    "damaged_index": "hm_index 'cell', 2 of 10 owners, 1 keys = {"
                     "[damaged] = the memory at 0x10 cannot be read}",
    "damaged_lists[0]": "hm_lists 'names', 1 of 10 lists, 2 items = {"
                        "[damaged] = the memory at 0x0 cannot be read}",
    "damaged_lists[1]": "hm_lists 'names', 1 of 10 lists, 2 items = {"
                        "[damaged] = the memory at 0x20 cannot be read}",
    "damaged_lists[2]": "hm_lists 'names', 1 of 10 lists, 2 items = {"
                        "[damaged] = 36893488147419103230 bytes are too many}",
    "garbage_map": "hm_map, damaged: the memory at 0xa5a5a5a5a5a5a5a5 cannot be read = {"
                   "[damaged] = the memory at 0xa5a5a5a5a5a5a5a5 cannot be read}",
}
# What has containers shows them as they are elsewhere, but untyped.
EXPECTED["owners"] = "hm_directory, 3 containers = {" + ", ".join((
    "[type 3] = " + EXPECTED["textures.map"], "[type 4] = hm_pool 'bullet', 1 of 100 items = {"
    "[index 1, generation 1, type 4] = 2c 01 2d 00}", "[type 10] = " + EXPECTED["battle"])) + "}"
# Of gdb.cpp.
EXPECTED_OF_CLASSES = {
    "hero": "hm::handle<sprite>(index 0, generation 1, type 3)",
    "nobody": "hm::handle<sprite>(null)",
    "player": "hm::handle<hm::world>(index 0, generation 1, type 0)",
    "sprites": "hm::map<sprite> 'sprite', 2 of 10 items = {"
               "[index 0, generation 1, type 3] = {depth = 1.5, texture = 7}, "
               "[index 1, generation 1, type 3] = {depth = 2.5, texture = 8}}",
    "::empty_map": "hm::map<sprite>, not initialised",
    "::bullets": "hm::pool<glow> 'glow', 1 of 10 items = {"
               "[index 0, generation 1, type 5] = {radius = 5}}",
    "::glows": "hm::secondary<sprite, glow> 'glow', 1 of 10 values = {"
             "[index 0, generation 1, type 3] = {radius = 6}}",
    "::contacts": "hm::lists<glow> 'glow', 1 of 10 lists, 2 items = {"
                "[index 0, generation 1, type 4] = {{radius = 1}, {radius = 2}}}",
    "bodies": "hm::table<float, int> 'hm::table<float, int>', 1 of 10 rows, 2 columns = {"
              "[index 0, generation 1, type 0] = 1.5 | 2}",
    "::points": "hm::table<float, glow> 'hm::table<hm::lanes<8>, float, glow>', 1 of 10 rows, "
              "2 columns = {[index 0, generation 1, type 0] = 0.5 | {radius = 3}}",
    "teams": "hm::index<sprite, team> 'team', 1 of 10 owners, 1 keys = {"
             "[index 0, generation 1, type 3] = team::blue}",
    "::level": "hm::world 'level', 1 of 10 entities, 1 archetypes = {"
             "[index 0, generation 1, type 0] = sprite {depth = 1, texture = 2} | glow {radius = 3}}",
    "moved_world": "hm::world 'moved', 0 of 10 entities, 0 archetypes",
    "::empty_world": "hm::world, not initialised",
    "played": "hm::history, 1 of 8 marks, the next is 2; 0 copies of 4096 bytes",
    "::empty_history": "hm::history, not initialised",
}
# As lldb lays them out.
EXPECTED_OF_LLDB = {
    "wood": "(texture_handle) wood = texture_handle(index 0, generation 2, type 3)",
    "textures": "(texture_map) textures = texture_map 'texture', 2 of 1000 items {"
                " [index 0, generation 2, type 3] = (width = 64, height = 32)"
                " [index 1, generation 1, type 3] = (width = 7, height = 32) }",
    "battle": "(hm_world) battle = hm_world 'battle', 4 of 1000 entities, 2 archetypes {"
             " [index 3, generation 1, type 10] ="
             ' "spot {width = 0, height = 0} | enemy | component 2 00 00"'
             ' [index 1, generation 1, type 10] = "spot {width = 0, height = 0}"'
             ' [index 2, generation 1, type 10] = "spot {width = 0, height = 0} | enemy"'
             ' [index 0, generation 2, type 10] ='
             ' "spot {width = 3, height = 4} | component 2 01 02" }',
}
# These are printed, and only that is checked.
SCRAMBLED = ["scrambled_maps", "scrambled_pools", "scrambled_blocks", "scrambled_secondaries",
             "scrambled_tables", "scrambled_worlds", "scrambled_lists", "scrambled_indices"]


def ask(program, script, expected, scrambled):
    """Returns expression -> what gdb prints for it, and how many scrambled ones it prints."""
    commands = ["set disable-randomization off", "set width 0", "set max-value-size unlimited",
                "set print elements unlimited", "set print repeats unlimited",
                "break hm_set_panic_hook", "run", f"source {script}"]
    for expression in [*expected, *scrambled]:
        commands += [f"echo \\n<{expression}>", f"output {expression}", "echo \\n"]
    arguments = [part for command in commands for part in ("-ex", command)]
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "DEBUGINFOD_URLS": ""}
    # If gdb crashes, its core file goes where the program is.
    done = subprocess.run(["gdb", "-nx", "-batch", *arguments, program], check=True,
                          cwd=os.path.dirname(program), env=environment,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, encoding="utf-8", timeout=3600)
    if "ptrace: Operation not permitted" in done.stdout:
        print("skipped: gdb may not trace here", file=sys.stderr)
        sys.exit(77)
    answers = {}
    for line in done.stdout.splitlines():
        name, mark, answer = line.removeprefix("<").partition(">")
        if line.startswith("<") and mark:
            answers[name] = answer
    texts = [answers.pop(name, "") for name in scrambled]
    if not all(text.startswith("{hm_") for text in texts) or \
            len(answers) != len(expected) or "Python Exception" in done.stdout:
        sys.exit(f"gdb said:\n{done.stdout}")
    return answers, sum(text.count("{hm_") + text.count(", hm_") for text in texts)


def find_lldb():
    """Returns the newest lldb that runs Python, or None."""
    for name in "lldb-19", "lldb", "lldb-14":
        if shutil.which(name) is not None:
            done = subprocess.run([name, "-b", "-o", "script print(6 * 7)"], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=3600)
            if b"42" in done.stdout:
                return name
    return None


def plain(text):
    """gdb shows small numbers as characters too; a struct of C++ has its name in lldb."""
    return re.sub(r"(\d+) '(?:\\.|[^'\\])+?'", r"\1", text)


def ask_lldb(lldb, program, source, asker, expected, scrambled):
    """Ends the check unless lldb shows what gdb does, and prints all scrambled containers."""
    environment = {**os.environ, "HM_SCRIPT": os.path.join(source, "tools/debug/handle_map_lldb.py"),
                   "HM_EXPRESSIONS": "\n".join([*expected, *scrambled])}
    commands = ["break set -n hm_set_panic_hook", "run",
                f"command script import {asker}",
                "target variable " + " ".join(EXPECTED_OF_LLDB if scrambled else ["hero"])]
    arguments = [part for command in commands for part in ("-o", command)]
    done = subprocess.run([lldb, "-b", *arguments, program], cwd=os.path.dirname(program),
                          env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, encoding="utf-8", timeout=3600)
    answers = dict(re.findall(r"^<([^>]+)>(.*)$", done.stdout.rpartition("(lldb) command script")[2],
                              re.MULTILINE))
    shown = done.stdout.rpartition("(lldb) target variable")[2].partition("\n")[2]
    wrong = [f"{name}: {answers.get(name)}\n    not: {plain(text)}" for name, text in expected.items()
             if answers.get(name) != plain(text)]
    wrong += [f"{name}: {answers.get(name)}" for name in scrambled
              if "Traceback" in answers.get(name, "Traceback")]
    if scrambled and shown.split() != " ".join(EXPECTED_OF_LLDB.values()).split():
        wrong.append(f"lldb itself: {shown}")
    if wrong:
        sys.exit("\n".join([f"{lldb} shows", *wrong]))


def compare_with_dump(answers, dumped):
    """Ends the check unless both show the same items of the same containers."""
    printed, name = {}, None
    for line in dumped.splitlines():
        if line.startswith("<"):
            name = line.strip("<>")
            printed[name] = []
        elif line.startswith("0x"):
            bits, _, text = line.partition(":")
            handle = int(bits, 16)
            printed[name].append((handle & 0xFFFFFFFF, handle >> 32 & 0xFFFF, handle >> 48,
                                  text.strip()))
    for name, items in printed.items():
        found = re.findall(r"\[index (\d+), generation (\d+), type (\d+)\] = (.*?)"
                           r"(?=, \[index|\}$)", answers[name])
        shown = [(int(index), int(generation), int(type_id), text.removeprefix("no component"))
                 for index, generation, type_id, text in found]
        if not items or shown != items:
            sys.exit(f"{name}: gdb shows\n{shown}\nand dump\n{items}")


def ask_of_both(source, code, classes, library, asker):
    """Returns the answers of both programs, and the number of scrambled containers."""
    script = os.path.join(source, "tools/debug/handle_map_gdb.py")
    common = ["-Werror", "-g", "-O0", "-I", os.path.join(source, "include")]
    with tempfile.TemporaryDirectory() as directory:
        program = os.path.join(directory, "program")
        subprocess.run(["gcc", "-std=c11", *os.environ["HM_C_WARNINGS"].split(), *common,
                        code, library, "-pthread", "-o", program], check=True)
        dumped = subprocess.run([program], check=True, stdout=subprocess.PIPE, encoding="utf-8")
        answers, count = ask(program, script, EXPECTED, SCRAMBLED)
        compare_with_dump(answers, dumped.stdout)
        lldb = find_lldb()
        if lldb is not None:
            ask_lldb(lldb, program, source, asker, EXPECTED, SCRAMBLED)
        subprocess.run(["g++", "-std=c++17", *os.environ["HM_WARNINGS"].split(), *common,
                        classes, library, "-pthread", "-o", program], check=True)
        subprocess.run([program], check=True)
        if lldb is not None:
            ask_lldb(lldb, program, source, asker, EXPECTED_OF_CLASSES, [])
        print(f"lldb: {lldb or 'none that runs Python'}")
        return answers | ask(program, script, EXPECTED_OF_CLASSES, [])[0], count


def main():
    files = list(map(os.path.abspath, sys.argv[1:]))
    if not all(map(shutil.which, ["gdb", "gcc", "g++"])):
        print("skipped: needs gdb, gcc and g++", file=sys.stderr)
        sys.exit(77)
    answers, count = ask_of_both(*files)
    expected = [f"{name}: {text}" for name, text in (EXPECTED | EXPECTED_OF_CLASSES).items()]
    answered = [f"{name}: {text}" for name, text in answers.items()]
    print(f"{len(answers)} values, and {count} damaged containers")
    for line in difflib.unified_diff(expected, answered, "expected", "printed", lineterm="", n=0):
        print(line, file=sys.stderr)
    sys.exit(expected != answered)


if __name__ == "__main__":
    main()
