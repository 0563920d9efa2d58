#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The mutation check: would the tests notice a bug?

    mutate.py BUILD_DIRECTORY ASAN_BUILD_DIRECTORY [MODULE | FILE] [COUNT [SEED]]

Changes one thing at a time in src/ and in the inline code of include/: an operator, a bound, a
constant, a condition, a returned value, or a whole statement. Each change is built in a copy of the
tree inside BUILD_DIRECTORY, and the tests are run until one fails. With MODULE only that module is
changed, or only one file, if it is the path of one; with COUNT only that many changes are tried,
chosen by SEED.

    mutant --> same object code? equivalent, not counted
           --> does not compile?  not counted
           --> the tests of its module, then all others, fastest first: a failure or a timeout kills
           --> survivors again under AddressSanitizer and UBSan
           --> survived: printed

Both directories have been configured by Meson, which lists the sources of the test program.
"""
import concurrent.futures
import glob
import hashlib
import json
import math
import os
import queue
import random
import re
import resource
import shutil
import subprocess
import sys
import time

import mutants
import processes
import test_suites

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CCACHE = ["ccache"] if shutil.which("ccache") else []  # The unchanged sources are most of the work.
INCLUDES = ["-Iinclude", "-Itest", "-Idocs/examples"]
FLAGS = CCACHE + ["gcc", "-std=c11", "-w", "-pthread"] + INCLUDES
ASAN_FLAGS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
COMPILE_LIMIT = 600  # seconds
SLOW = 1.0  # seconds; suites that take longer run last, and not under the sanitizers
ENVIRONMENT = dict(os.environ, HM_TEST_SEED="1",
                   ASAN_OPTIONS="allocator_may_return_null=1:detect_leaks=0")


class Build:
    """One of the two ways to build the test program: commands, sources, objects and suites."""

    def __init__(self, directory, flags):
        self.sanitized = flags == ASAN_FLAGS  # its shadow memory exceeds any limit
        self.compile = FLAGS + flags
        self.link_command = ["gcc", "-pthread"] + flags
        targets = json.loads(subprocess.run(["meson", "introspect", "--targets", directory],
                                            check=True, stdout=subprocess.PIPE).stdout)
        self.library = self.sources_of(targets, "handle_map", "static library")
        self.tests = (self.sources_of(targets, "handle_map_test_plain", "executable") +
                      self.sources_of(targets, "test_support", "static library"))
        self.seconds = {}  # suite -> how long it runs
        self.files = {}  # suite -> the sources it is in
        self.left_out = set()  # suites that are not run
        for source in self.tests:
            for suite in test_suites.suites_of(source, INCLUDES + flags, ROOT):
                self.seconds[suite] = 60.0
                self.files.setdefault(suite, set()).add(source)
        self.objects = {}  # source -> the object of the unchanged source
        self.hashes = {}
        self.includes = {}  # source -> the headers it includes, directly or not

    def distance(self, source, module):
        """Returns 0 for the library and the module's main tests, 1 for its others, else 2."""
        if source in self.library or re.match(rf"test/({module}/)?{module}_(\w+_)?test", source):
            return 0
        return 1 if re.match(rf"test/({module}/|.*/misuse)", source) else 2

    def order(self, module, near_only):
        """Puts the module's suites first, and the slow ones last."""
        near = {suite for suite, files in self.files.items()
                if suite.startswith(module + "_") or
                any(self.distance(file, module) < 2 for file in files)}
        names = [suite for suite in self.seconds
                 if (suite in near or not near_only) and suite not in self.left_out]
        return sorted(names, key=lambda suite: (
            self.seconds[suite] > SLOW, suite not in near, self.seconds[suite]))

    @staticmethod
    def sources_of(targets, name, kind):
        target = next(t for t in targets if t["name"] == name and t["type"] == kind)
        sources = [s for part in target["target_sources"] for s in part.get("sources", [])]
        return sorted(os.path.relpath(s, ROOT) for s in sources if s.endswith(".c"))


class Place:
    """A copy of the tree, in which one mutant at a time is built and run."""

    def __init__(self, directory, builds):
        self.directory = directory
        shutil.rmtree(directory, ignore_errors=True)
        for part in ("src", "include", "test", "docs"):
            shutil.copytree(os.path.join(ROOT, part), os.path.join(directory, part))
        self.builds = builds

    def compiles(self, command):
        return processes.run(command, self.directory, ENVIRONMENT, COMPILE_LIMIT) == 0

    def compile(self, build, source, prefix):
        """Optimises tests only when unchanged: doing it for each change of a header takes long."""
        name = f"{prefix}{self.builds.index(build)}_{source.replace('/', '_')}.o"
        level = "-O0" if source in build.tests and prefix != "whole" else "-O1"
        command = build.compile + [level, "-c", source, "-o", name, "-MMD"]
        return name if self.compiles(command) else None

    def hash(self, name):
        with open(os.path.join(self.directory, name), "rb") as file:
            return hashlib.sha256(file.read()).digest()

    def compile_unchanged(self, build, source, to_change):
        name = self.compile(build, source, "whole")
        if name is None:
            raise RuntimeError(f"{source} does not compile")
        build.objects[source] = name
        with open(os.path.join(self.directory, name[:-1] + "d"), encoding="utf-8") as file:
            build.includes[source] = set(file.read().replace("\\\n", " ").split())
        if not to_change.isdisjoint(build.includes[source]):
            build.hashes[source] = self.hash(self.compile(build, source, "changed"))

    def try_unchanged(self, build, pool):
        """Times the suites, unless an earlier run has timed this very program."""
        if not self.link(build, {}):
            raise RuntimeError("the tests do not link")
        suites = sorted(set(build.seconds) - build.left_out)
        timed = os.path.join(os.path.dirname(self.directory), "timed.json")
        program = self.hash("program").hex()
        known = {}
        if os.path.exists(timed):
            with open(timed, encoding="utf-8") as file:
                known = json.load(file)
        if not set(suites) <= set(known.get(program, {})):
            known[program] = dict(pool.map(lambda suite: self.time(build, suite), suites))
            with open(timed, "w", encoding="utf-8") as file:
                json.dump(known, file)
        build.seconds.update(known[program])

    def time(self, build, suite):
        began = time.monotonic()
        if not self.passes(build, suite):
            raise RuntimeError(f"{suite} fails without any change")
        return suite, time.monotonic() - began

    def link(self, build, changed):
        objects = [changed.get(s, build.objects[s]) for s in build.library + build.tests]
        return self.compiles(build.link_command + objects + ["-o", "program", "-lm"])

    def passes(self, build, suite):
        """A change that makes a test spin ends by its processor time, so that a busy machine kills
        nothing; one that makes it wait, by the elapsed time."""
        limit = 5 + 10 * build.seconds[suite]

        def lower_limits():
            (limit_core if build.sanitized else limit_memory)()
            processes.lower_limit(resource.RLIMIT_CPU, math.ceil(limit))

        return processes.run([os.path.join(self.directory, "program"), suite + "."],
                             self.directory, ENVIRONMENT, 10 * limit, lower_limits) == 0

    def compile_changed(self, build, sources):
        """Returns the objects that differ, or None when a source does not compile."""
        changed = {}
        for source in sources:
            name = self.compile(build, source, "changed")
            if name is None:
                return None
            if self.hash(name) != build.hashes[source]:
                changed[source] = name
        return changed

    def judge(self, mutant):
        """Returns "killed by ...", "survived", "equivalent" or "does not compile"."""
        path = os.path.join(self.directory, mutant.file)
        with open(path, encoding="utf-8") as file:
            whole = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(whole[:mutant.begin] + mutant.new + whole[mutant.end:])
        try:
            return self.judge_built(mutant)
        finally:
            with open(path, "w", encoding="utf-8") as file:
                file.write(whole)

    def judge_built(self, mutant):
        module = module_of(mutant.file)
        same = True
        for build in self.builds:
            # What includes a changed header is compiled in stages: most changes are killed early.
            stages = [[], [], []]
            for source in build.library + build.tests:
                if mutant.file in build.includes[source]:
                    stages[build.distance(source, module)].append(source)
            if build.sanitized:
                stages.pop()  # It takes too long, and finds nothing more.
            changed, passed = {}, set()
            for stage in stages:
                more = self.compile_changed(build, stage)
                if more is None:
                    return "does not compile"
                if more:
                    passed.clear()
                changed.update(more)
                suites = build.order(module, near_only=stage is not stages[-1])
                verdict = self.run_suites(build, changed, [s for s in suites if s not in passed])
                if verdict:
                    return verdict
                passed.update(suites)
            same = same and not changed
        return "equivalent" if same else "survived"

    def run_suites(self, build, changed, suites):
        if not changed or not suites:
            return None
        if not self.link(build, changed):
            return "does not compile"
        for suite in suites:
            if not self.passes(build, suite):
                return "killed by " + suite
        return None


def limit_core():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limit_memory():
    """Makes a mutant that fills memory for ever fail. Reservations do not count."""
    limit_core()
    resource.setrlimit(resource.RLIMIT_DATA, (8 << 30, resource.RLIM_INFINITY))


def module_of(path):
    """Returns "order" for include/handle_map/order.h and src/order/round.c, and "save" for
    src/state/save_map.c: a folder that has no header of its name has several modules."""
    headers = [os.path.basename(h)[:-2] for h in
               glob.glob("include/**/*.h", root_dir=ROOT, recursive=True)]
    parts = path.split("/")
    if parts[0] == "src" and parts[1] in headers:
        return parts[1]
    name = parts[-1].rsplit(".", 1)[0].removesuffix("_private")
    modules = [h for h in headers if name == h or name.startswith(h + "_")]
    return max(modules, key=len, default=parts[1])


def choose(arguments):
    everything = mutants.find_all(ROOT)
    if arguments and not arguments[0].isdigit():
        everything = [m for m in everything if arguments[0] in (module_of(m.file), m.file)]
        arguments = arguments[1:]
    if not arguments:
        return everything
    count = min(int(arguments[0]), len(everything))
    seed = int(arguments[1]) if len(arguments) > 1 else random.randrange(1 << 32)
    print(f"mutate: {count} of {len(everything)}, seed {seed}")
    return sorted(random.Random(seed).sample(everything, count))


def main():
    processes.end_with_signals()
    began = time.monotonic()
    chosen = choose(sys.argv[3:])
    builds = [Build(sys.argv[1], []), Build(sys.argv[2], ASAN_FLAGS)]
    places = queue.Queue()
    workers = os.cpu_count() or 1
    first = Place(os.path.join(sys.argv[1], "place0"), builds)
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        plain, sanitized = builds
        to_change = {mutant.file for mutant in chosen}
        for build in builds:
            list(pool.map(lambda source: first.compile_unchanged(build, source, to_change),
                          build.library + build.tests))
            if build == sanitized:
                build.left_out = {suite for suite, took in plain.seconds.items() if took > SLOW}
            first.try_unchanged(build, pool)
        places.put(first)
        for i in range(1, workers):
            place = Place(os.path.join(sys.argv[1], f"place{i}"), builds)
            shutil.copytree(first.directory, place.directory, dirs_exist_ok=True)
            places.put(place)
        print(f"mutate: ready to try {len(chosen)} after {time.monotonic() - began:.0f} s",
              flush=True)

        def try_one(mutant):
            place = places.get()
            try:
                return mutant, place.judge(mutant)
            finally:
                places.put(place)

        verdicts = []
        with open(os.path.join(sys.argv[1], "verdicts.txt"), "w", encoding="utf-8") as log:
            for mutant, verdict in pool.map(try_one, chosen):
                verdicts.append((mutant, verdict))
                print(mutant, verdict, sep=": ", file=log, flush=True)
                if verdict == "survived":
                    print(f"{mutant}: survived", flush=True)
                if len(verdicts) % 50 == 0:
                    print(f"mutate: {len(verdicts)} of {len(chosen)} tried after "
                          f"{time.monotonic() - began:.0f} s", flush=True)
    return report(verdicts, time.monotonic() - began)


def report(verdicts, seconds):
    killed = sum(verdict.startswith("killed") for _, verdict in verdicts)
    survived = sum(verdict == "survived" for _, verdict in verdicts)
    print(f"{len(verdicts)} changes in {seconds:.0f} s: {len(verdicts) - killed - survived} do not "
          f"compile or compile to the same code; {killed} killed, {survived} survived")
    score = 100 * killed / max(killed + survived, 1)
    print(f"score {score:.1f}%")
    return 0 if score >= 90 else 1


if __name__ == "__main__":
    sys.exit(main())
