#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plants bugs into copies of the library, and says which check finds them.

    planted.py look BUILD_DIRECTORY      plants one bug after another, runs every check on it, and
                                         prints which finds it, after how many seconds
    planted.py plant TARGET DIRECTORY    makes a copy with the bug that this fuzz target must find
    planted.py check                     does every bug still fit its source, exactly once?

A check need not find every bug: each looks for something else. A bug that no check finds is a
failure, and so is a bug that no longer fits the source.
"""
import glob
import os
import shutil
import sys
import time

import planted_bugs
import processes
import test_suites

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIMIT = 300  # seconds for a suite or the search: more than on a busy machine, less than a hang
FUZZ_SECONDS = 50
COMPILE_LIMIT = 600
ENVIRONMENT = dict(os.environ, HM_TEST_SEED="1",
                   ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1")


def sources(*patterns):
    return sorted(path for pattern in patterns for path in glob.glob(os.path.join(ROOT, pattern)))


def library_sources():
    with open(os.path.join(ROOT, "src/sources.txt"), encoding="utf-8") as file:
        return ["src/" + line for line in file.read().split()]


def run(place, command, limit):
    return processes.run(command, place, ENVIRONMENT, limit)


def build(place, program, compiler, files, include=()):
    command = compiler + ["-std=c11", "-w"] + ["-I" + path for path in include]
    command += ["-I" + os.path.join(place, "include"), "-I" + os.path.join(ROOT, "test"),
                "-I" + os.path.join(ROOT, "docs/examples")]
    library = [os.path.join(place, source) for source in library_sources()]
    command += files + library + ["-pthread", "-lm", "-o", program]
    if run(place, command, COMPILE_LIMIT) != 0:
        raise RuntimeError(f"{program} does not compile")


def seconds_to_fail(place, command):
    began = time.monotonic()
    code = run(place, command, LIMIT)
    # A check that hangs has found the bug, too; a fuzzer ends by itself.
    return None if code == 0 else time.monotonic() - began


def support():
    return sources("test/support/*.c")


def library_tests(pattern):
    """The tests of the examples are left out: their bugs are not the library's."""
    examples = sources("test/resource/*.c", "test/scene/*.c")
    return [s for s in sources("test/" + pattern, "test/*/" + pattern) if s not in examples]


def check_suites(place, program, tests):
    build(place, program, ["gcc", "-O1"], tests + support())
    names, includes = set(), [f"-I{place}/include", "-Itest", "-Idocs/examples"]
    for test in tests:
        names |= test_suites.suites_of(test, includes, ROOT)
    began = time.monotonic()
    for suite in sorted(names, key=lambda name: (name == "map_trust", name)):
        if seconds_to_fail(place, ["./" + program, suite + "."]) is not None:
            return f"{time.monotonic() - began:.1f} s ({suite})"
    return None


def check_tests(place):
    """Runs the library's unit tests, suite by suite; the models are checks of their own."""
    left_out = ("model_test.c", "misuse_test.c")
    return check_suites(place, "tests", [test for test in library_tests("*_test.c")
                                         if not test.endswith(left_out)])


def check_model(place):
    return check_suites(place, "model", library_tests("*model_test.c"))


def check_exhaustive(place):
    folder = os.path.join(ROOT, "test/exhaustive")
    build(place, "exhaustive", ["gcc", "-O2", "-include", os.path.join(folder, "constants.h")],
          [s for s in sources("test/exhaustive/*.c", "test/support/*_model.c",
                              "test/support/*_orders.c", "test/support/world_*.c",
                              "test/support/layout.c", "test/support/lists_items.c",
                              "test/support/pool_holes.c", "test/support/test.c")
           if not s.endswith("query_model.c")],
          [folder] + [os.path.join(place, path) for path in ("src", "src/lists", "src/world")])
    return seconds_to_fail(place, ["./exhaustive"])


def check_fuzzer(place, target):
    # The options that matter for what it finds are those of fuzz.sh.
    build(place, "fuzz", ["clang", "-O2", "-fsanitize=fuzzer,address,undefined",
                          "-fno-sanitize-coverage=trace-cmp", "-fno-sanitize-recover=all",
                          f'-DFUZZ_TARGET="{target}"'],
          sources("test/fuzz/fuzz.c", "test/fuzz/fuzz_main.c") +
          [s for s in support() if not s.endswith("plain.c")])
    os.makedirs(os.path.join(place, "corpus"))
    return seconds_to_fail(place, ["./fuzz", f"-max_total_time={FUZZ_SECONDS}", "-max_len=1024",
                                   "-len_control=0", "-timeout=10", "corpus"])


def say(found):
    if found is None:
        return "-"
    return found if isinstance(found, str) else f"{found:.1f} s"


CHECKS = {"unit tests": check_tests, "model": check_model, "exhaustive search": check_exhaustive}


def false_alarms(place):
    """Returns the checks that fail without a bug: their results would mean nothing."""
    shutil.rmtree(place, ignore_errors=True)
    planted_bugs.copy(ROOT, place)
    return [name for name, check in CHECKS.items() if check(place) is not None]


def look_for_all(directory):
    place = os.path.abspath(os.path.join(directory, "planted"))
    missed = 0
    for name in false_alarms(place):
        print(f"planted: the check '{name}' fails without a bug", file=sys.stderr)
        return 1
    print("| bug | unit tests | model | exhaustive search | fuzzer |\n|---|---|---|---|---|")
    for bug in planted_bugs.BUGS:
        shutil.rmtree(place, ignore_errors=True)
        planted_bugs.plant(ROOT, place, bug)
        found = [check(place) for check in CHECKS.values()] + [check_fuzzer(place, bug.target)]
        missed += all(result is None for result in found)
        print("|", bug.what, "|", " | ".join(say(result) for result in found), "|", flush=True)
    print(f"{len(planted_bugs.BUGS)} bugs planted, {missed} not found")
    return 1 if missed else 0


def check_table():
    problems = list(planted_bugs.problems(ROOT))
    for problem in problems:
        print("planted:", problem, file=sys.stderr)
    print(f"{len(planted_bugs.BUGS)} bugs, {len(problems)} problems")
    return 1 if problems else 0


def main(arguments):
    processes.end_with_signals()
    verb = arguments[0] if arguments else None
    if verb == "look" and len(arguments) == 2:
        return look_for_all(arguments[1])
    if verb == "plant" and len(arguments) == 3 and arguments[1] in planted_bugs.TARGETS:
        planted_bugs.plant(ROOT, arguments[2], planted_bugs.canary_of(arguments[1]))
        return 0
    if verb == "check" and len(arguments) == 1:
        return check_table()
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
