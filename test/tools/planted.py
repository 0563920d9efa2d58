#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plants bugs into copies of the library, and says which check finds them.

    planted.py look BUILD_DIRECTORY [CHECK...]
                                         plants each bug, and prints which check is the first to
                                         find it, after how many seconds; the checks, in this order,
                                         are tests, model, exhaustive and fuzzer
    planted.py plant TARGET DIRECTORY    makes a copy with the bug that this fuzz target must find
    planted.py check                     does every bug still fit its source, exactly once?

A check need not find every bug: each looks for something else. A bug that no check finds is a
failure, and so is a bug that no longer fits the source.
"""
import concurrent.futures
import glob
import os
import queue
import re
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
FLAGS = ["-std=c11", "-w", "-Iinclude", f"-I{ROOT}/test", f"-I{ROOT}/docs/examples"]
ENVIRONMENT = dict(os.environ, HM_TEST_SEED="1",
                   ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1")


def sources(*patterns):
    return sorted({path for pattern in patterns for path in glob.glob(os.path.join(ROOT, pattern))})


def library_sources():
    with open(os.path.join(ROOT, "src/sources.txt"), encoding="utf-8") as file:
        return ["src/" + line for line in file.read().split()]


def run(place, command, limit):
    return processes.run(command, place, ENVIRONMENT, limit)


def build(place, program, compiler, files):
    command = compiler + FLAGS + files + ["-pthread", "-lm", "-o", program]
    if run(place, command, COMPILE_LIMIT) != 0:
        raise RuntimeError(f"{program} does not compile")


def fails(place, command):
    # A check that hangs has found the bug, too; a fuzzer ends by itself.
    return run(place, command, LIMIT) != 0


class Tests:
    """The unit tests and the models, as one program: what a bug does not change is compiled once.

    The tests of the examples are left out: their bugs are not the library's."""

    def __init__(self, place, pool):
        self.place = place  # holds the library without a bug
        files = [s for s in sources("test/*_test.c", "test/*/*_test.c", "test/save/*.c",
                                    "test/support/*.c")
                 if not re.search("/test/(resource|scene)/|/misuse_test.c$", s)]
        planted_bugs.copy(ROOT, place)
        os.mkdir(os.path.join(place, "objects"))
        self.includes = dict(pool.map(self.compile_unchanged, library_sources() + files))
        self.suites = {}  # suite -> the sources that it is in
        for file in files:
            for suite in test_suites.suites_of(file, FLAGS, place):
                self.suites.setdefault(suite, []).append(os.path.relpath(file, ROOT))
        self.link(place, set())
        self.seconds = dict(pool.map(self.time, self.suites))

    @staticmethod
    def object_of(place, source):
        name = os.path.relpath(os.path.join(place, source), place).replace("/", "_")
        return os.path.join(place, "objects", name + ".o")

    def compile(self, place, source):
        """Returns the files that the object depends on."""
        name = self.object_of(place, source)
        build(place, name, ["gcc", "-O1", "-c", "-MMD"], [source])
        with open(name[:-1] + "d", encoding="utf-8") as file:
            return {os.path.normpath(word) for word in file.read().replace("\\\n", " ").split()}

    def compile_unchanged(self, source):
        return source, self.compile(self.place, source)

    def link(self, place, changed):
        build(place, "tests", ["gcc"],
              [self.object_of(place if source in changed else self.place, source)
               for source in self.includes])

    def time(self, suite):
        """Returns how long the suite runs without a bug, or None if it fails."""
        began = time.monotonic()
        failed = fails(self.place, ["./tests", suite + "."])
        return suite, None if failed else time.monotonic() - began

    def build_with(self, place, file):
        """Builds them for the library in `place`, which differs in this file."""
        os.mkdir(os.path.join(place, "objects"))
        changed = {source for source, files in self.includes.items() if file in files}
        for source in changed:
            self.compile(place, source)
        self.link(place, changed)

    def find(self, place, file, are_models):
        """Runs suites until one fails, and returns its name: first those of the file's folder or
        name."""
        def is_near(name, module):
            return any(s.startswith((f"test/{module}/", f"test/{module}_"))
                       for s in self.suites[name])
        names = [name for name, files in self.suites.items()
                 if any(s.endswith("model_test.c") for s in files) == are_models]
        folder, stem = os.path.split(re.sub(r"(_private)?\.[ch]$", "", file))
        modules = [os.path.basename(folder)]
        while stem:
            modules.append(stem)
            stem = stem.rpartition("_")[0]
        module = next((m for m in modules if any(is_near(name, m) for name in names)), "")
        for name in sorted(names, key=lambda name: (not is_near(name, module),
                                                    self.seconds[name])):
            if fails(place, ["./tests", name + "."]):
                return name
        return None


def check_tests(place, bug, tests):
    return tests.find(place, bug.file, are_models=False)


def check_model(place, bug, tests):
    return tests.find(place, bug.file, are_models=True)


def check_exhaustive(place, _bug, _tests):
    folder = os.path.join(ROOT, "test/exhaustive")
    build(place, "exhaustive",
          ["gcc", "-O2", "-include", os.path.join(folder, "constants.h"), "-I" + folder,
           "-Isrc", "-Isrc/lists", "-Isrc/world"],
          [s for s in sources("test/exhaustive/*.c", "test/support/*_model.c",
                              "test/support/*_orders.c", "test/support/world_*.c",
                              "test/support/layout.c", "test/support/lists_items.c",
                              "test/support/pool_holes.c", "test/support/reload.c",
                              "test/support/test.c")
           if not s.endswith("query_model.c")] + library_sources())
    return "all spaces" if fails(place, ["./exhaustive"]) else None


def check_fuzzer(place, bug, _tests):
    # The options that matter for what it finds are those of fuzz.sh.
    build(place, "fuzz", ["clang", "-O2", "-fsanitize=fuzzer,address,undefined",
                          "-fno-sanitize-coverage=trace-cmp", "-fno-sanitize-recover=all",
                          f'-DFUZZ_TARGET="{bug.target}"'],
          sources("test/fuzz/fuzz.c", "test/fuzz/fuzz_main.c") + library_sources() +
          [s for s in sources("test/support/*.c", "test/save/*.c")
           if not s.endswith(("plain.c", "_test.c"))])
    os.makedirs(os.path.join(place, "corpus"))
    found = fails(place, ["./fuzz", f"-max_total_time={FUZZ_SECONDS}", "-max_len=1024",
                          "-len_control=0", "-timeout=10", "corpus"])
    return bug.target if found else None


CHECKS = {"tests": check_tests, "model": check_model, "exhaustive": check_exhaustive,
          "fuzzer": check_fuzzer}


def look_for(bug, place, names, tests):
    """Returns a row of the table, and whether one of the checks has found the bug."""
    shutil.rmtree(place, ignore_errors=True)
    planted_bugs.plant(ROOT, place, bug)
    began = time.monotonic()
    if not {"tests", "model"}.isdisjoint(names):
        tests.build_with(place, bug.file)
    for name in names:
        part = CHECKS[name](place, bug, tests)
        if part is not None:
            return f"| {bug.what} | {name} | {part} | {time.monotonic() - began:.1f} |", True
    return f"| {bug.what} | - | - | {time.monotonic() - began:.1f} |", False


def false_alarms(tests, names):
    """Yields the checks that fail without a bug: their results would mean nothing."""
    for suite, seconds in tests.seconds.items():
        if seconds is None:
            yield suite
    if "exhaustive" in names and check_exhaustive(tests.place, None, tests) is not None:
        yield "exhaustive"


def look_for_all(directory, names):
    directory = os.path.abspath(os.path.join(directory, "planted"))
    shutil.rmtree(directory, ignore_errors=True)
    workers = os.cpu_count() or 1
    places = queue.Queue()
    for i in range(workers):
        places.put(os.path.join(directory, f"place{i}"))
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        tests = Tests(os.path.join(directory, "unchanged"), pool)
        for name in false_alarms(tests, names):
            print(f"planted: '{name}' fails without a bug", file=sys.stderr)
            return 1

        def look(bug):
            place = places.get()
            try:
                return look_for(bug, place, names, tests)
            finally:
                places.put(place)

        print("| bug | found by | in | seconds |\n|---|---|---|--:|", flush=True)
        missed = 0
        for row, is_found in pool.map(look, planted_bugs.BUGS):
            missed += not is_found
            print(row, flush=True)
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
    if verb == "look" and len(arguments) >= 2 and CHECKS.keys() >= set(arguments[2:]):
        return look_for_all(arguments[1], arguments[2:] or list(CHECKS))
    if verb == "plant" and len(arguments) == 3 and arguments[1] in planted_bugs.TARGETS:
        planted_bugs.plant(ROOT, arguments[2], planted_bugs.canary_of(arguments[1]))
        return 0
    if verb == "check" and len(arguments) == 1:
        return check_table()
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
