#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Line, branch and MC/DC coverage of src/ and of the inline code in include/.

    coverage.py BUILD_DIRECTORY...

Each directory holds handle_map_test_plain, built by clang-19 with -fcoverage-mcdc. A header's
inline function is compiled into many objects; here it counts as covered if any of them covers
it, and a macro's branches count where the macro is used. (llvm-cov's own report takes the best of
the compilations instead.)

Code that cannot be reached has the reason in a comment that begins with "Coverage:", on its line or
on the lines before it. Such a comment excuses that one line; before the #if of a file that is not
compiled here, it excuses the file. One that excuses nothing is an error.
"""
import collections
import glob
import json
import os
import re
import shutil
import subprocess
import sys

LLVM = "-19"
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXPANSION = 1  # the kind of a region where a macro is used


def llvm(tool, *arguments):
    return subprocess.run([tool + LLVM, *arguments], check=True, stdout=subprocess.PIPE).stdout


def run_tests(directory):
    """Runs the tests and returns llvm-cov's report, as JSON and as lcov."""
    program = os.path.join(directory, "test", "handle_map_test_plain")
    raw = os.path.join(directory, "raw")
    profile = os.path.join(directory, "tests.profdata")
    shutil.rmtree(raw, ignore_errors=True)
    # %m: the children of death tests add to the same file instead of overwriting it.
    environment = dict(os.environ, LLVM_PROFILE_FILE=os.path.join(raw, "%m.profraw"))
    subprocess.run([program], check=True, env=environment)
    llvm("llvm-profdata", "merge", "-o", profile, raw)
    export = ["export", program, "-instr-profile=" + profile, ROOT + "/src", ROOT + "/include"]
    return json.loads(llvm("llvm-cov", *export)), llvm("llvm-cov", *export, "--format=lcov")


def name_of(path):
    return os.path.relpath(os.path.realpath(path), os.path.realpath(ROOT))


def is_ours(name):
    """Of C: a template has code only where a test uses it."""
    return name.startswith(("src/", "include/")) and not name.endswith(".hpp")


class Source:
    """A file's lines, and which of them a comment excuses."""

    def __init__(self, name):
        with open(os.path.join(ROOT, name), encoding="utf-8") as file:
            text = file.read()
        self.reasons = {}  # line of code -> reason
        self.used = set()
        for comment in re.finditer(r"/\*\s*Coverage: (.*?)\s*\*/", text, re.DOTALL):
            line = text.count("\n", 0, comment.end()) + 1
            begin = text.rfind("\n", 0, comment.start()) + 1
            if not text[begin:comment.start()].strip():
                line += 1
            self.reasons[line] = " ".join(comment.group(1).split())

    def excuses(self, line):
        if line not in self.reasons:
            return False
        self.used.add(line)
        return True


def collect(functions, branches, conditions):
    """Sums branches and merges MC/DC over all compilations, by their place in the source."""
    for function in functions:
        names = [name_of(path) for path in function["filenames"]]
        used_at = {r[6]: (r[5], r[0], r[1]) for r in function["regions"] if r[7] == EXPANSION}

        seen = collections.Counter()

        def place(record, file):
            # A macro's conditions count at its outermost use. Those that are written in its
            # arguments all have the place of its parameter, so a number distinguishes them.
            inner = []
            line, column = record[0], record[1]
            while file in used_at:
                inner.append((names[file], line, column))
                file, line, column = used_at[file]
            key = (names[file], line, column, record[2], record[3])
            seen[key, tuple(inner)] += 1
            # A list that a program passes to a generator repeats a condition for each element. It
            # is the same condition, as it is in all functions that a generator makes.
            ours = tuple(use for use in inner if is_ours(use[0]))
            return key + (ours, seen[key, tuple(inner)])

        for branch in function["branches"]:
            sums = branches[place(branch, branch[6])]
            sums[0] += branch[4]
            sums[1] += branch[5]
        seen.clear()
        repeated = collections.Counter()
        total = collections.Counter(tuple(d[:4]) for d in function["mcdc_records"])
        for decision in function["mcdc_records"]:
            # The export does not say which file a decision is in; it is that of its conditions.
            # Several in one argument of a macro are at one place of one file.
            begin, end = decision[0:2], decision[2:4]
            inside = {b[6] for b in function["branches"] if begin <= b[0:2] and b[2:4] <= end}
            if not any(is_ours(names[file]) for file in inside):
                continue
            at = tuple(decision[:4])
            file = sorted(inside)[repeated[at] // -(-total[at] // len(inside))]
            repeated[at] += 1
            shown = decision[-1]
            key = place(decision, file)
            before = conditions.get(key, [False] * len(shown))
            conditions[key] = [a or b for a, b in zip(before, shown)]


def count_lines(lcov, counts):
    for line in lcov.decode().splitlines():
        if line.startswith("SF:"):
            name = name_of(line[3:])
        elif line.startswith("DA:"):
            number, count = line[3:].split(",")[:2]
            counts[name, int(number)] += int(count)


def judge(directories):
    lines = collections.Counter()
    branches = collections.defaultdict(lambda: [0, 0])
    conditions = {}
    for directory in directories:
        report, lcov = run_tests(directory)
        collect(report["data"][0]["functions"], branches, conditions)
        count_lines(lcov, lines)
    names = [name for pattern in ("src/**/*.[ch]", "include/**/*.h")
             for name in glob.glob(pattern, root_dir=ROOT, recursive=True)]
    files = {name: Source(name) for name in sorted(names)}
    table = {name: [[0, 0], [0, 0], [0, 0]] for name in files}  # lines, branches, MC/DC
    missed = []

    def count(name, kind, line, covered, what):
        if not covered and files[name].excuses(line):
            return
        table[name][kind][0] += covered
        table[name][kind][1] += 1
        if not covered:
            missed.append((name, line, what))

    for (name, line), hits in lines.items():
        if is_ours(name):
            count(name, 0, line, hits > 0, "this line is not run")
    for (name, line, *_), (true, false) in branches.items():
        if is_ours(name):
            count(name, 1, line, true > 0, "this condition is never true")
            count(name, 1, line, false > 0, "this condition is never false")
    for (name, line, *_), shown in conditions.items():
        if is_ours(name):
            for number, covered in enumerate(shown, 1):
                count(name, 2, line, covered, f"condition {number} never decides alone")
    return files, table, missed


def percentage(covered, total):
    return f"{covered:5d} of {total:<5d}{100 * covered / total:6.1f}%" if total else f"{'-':>21s}"


def main():
    files, table, missed = judge(sys.argv[1:])
    print(f"{'':28s}{'lines':>20s}{'branches':>22s}{'MC/DC conditions':>22s}")
    absent = [name for name in files if not any(total for _, total in table[name])]
    for name in files:
        if name not in absent:
            print(f"{name:28s}", *(percentage(*part) for part in table[name]))
    sums = [[sum(table[n][k][i] for n in table) for i in (0, 1)] for k in (0, 1, 2)]
    print(f"{'all':28s}", *(percentage(*part) for part in sums))
    print("\nleft out:")
    for name, source in files.items():
        if name in absent:
            source.used |= set(source.reasons)
            if name.endswith(".c") and not source.reasons:
                missed.append((name, 1, "nothing of this file is compiled"))
        for line in sorted(source.reasons):
            print(f"  {name}:{line}: {source.reasons[line]}")
            if line not in source.used:
                missed.append((name, line, "its comment excuses nothing"))
    for name, line, what in sorted(missed):
        print(f"{name}:{line}: {what}")
    return 1 if missed else 0


sys.exit(main())
