#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No circle among sources: no file calls another that calls it, directly or over others. A source
calls another if it names a function that is defined there and not static, with or without
parentheses. If it names an inline function or a macro of a header, it names what that names, too.
Names that a macro pastes together are not seen. Headers are in the same graph, for what they
include. src/sources.txt lists each source behind those that it calls, so that few functions of the
library as one file need to be declared.

    circles.py SOURCE
"""
import glob
import os
import re
import sys

from sources import INCLUDE, NOISE, read, target_of, tell

# A function begins at the first column, as clang-format leaves it, and ends with a brace there.
FUNCTION = re.compile(r"^(?P<head>[A-Za-z_][\w \t*]*?[ *])?(?P<name>\w+)"
                      r"\((?:[^;{}()]|\([^;{}()]*\))*\)\n\{\n(?P<body>.*?)^\}",
                      re.MULTILINE | re.DOTALL)
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(?P<name>\w+)(?P<body>(?:[^\n]*\\\n)*[^\n]*)",
                   re.MULTILINE)
NAME = re.compile(r"\b[A-Za-z_]\w*")


def strip(text):
    """Leaves comments, strings and characters out."""
    return NOISE.sub(" ", text)


def read_functions(texts):
    """Returns function -> the sources that define it. Each platform has the same functions."""
    defined = {}
    for path, text in texts.items():
        for match in FUNCTION.finditer(text) if path.endswith(".c") else ():
            if not {"static", "HM_INLINE"} & set((match["head"] or "").split()):
                defined.setdefault(match["name"], set()).add(path)
    return defined


def read_templates(texts):
    """Returns inline function or macro of a header -> the names in it."""
    templates = {}
    for path, text in texts.items():
        if path.endswith(".h"):
            for match in (*FUNCTION.finditer(text), *MACRO.finditer(text)):
                templates.setdefault(match["name"], set()).update(NAME.findall(match["body"]))
    return templates


def expand(names, templates):
    """Adds the names in inline functions and macros, and the names in these."""
    found, new = set(), set(names)
    while new:
        found |= new
        new = set().union(*(templates.get(name, ()) for name in new)) - found
    return found


def read_calls(texts):
    """Returns (caller, callee) -> the functions that the caller names."""
    defined, templates = read_functions(texts), read_templates(texts)
    calls = {}
    for path, text in texts.items():
        if path.endswith(".c"):
            for name in sorted(expand(NAME.findall(text), templates) & defined.keys()):
                for callee in defined[name] if path not in defined[name] else ():
                    calls.setdefault((path, callee), []).append(name)
    return calls


def find_circles(files, edges):
    """Returns the groups of files each of which leads to all others of its group."""
    next_of = {path: [] for path in files}
    for start, end in edges:
        next_of[start].append(end)

    def reach(path):
        seen, stack = set(), [path]
        while stack:
            for target in set(next_of[stack.pop()]) - seen:
                seen.add(target)
                stack.append(target)
        return seen

    reached = {path: reach(path) for path in files}
    circles = {frozenset({path, *(other for other in reached[path] if path in reached[other])})
               for path in files if path in reached[path]}
    return sorted(map(sorted, circles))


def check():
    """Returns what is wrong."""
    files = sorted(path for pattern in ("include/**/*.h", "src/**/*.[ch]")
                   for path in glob.glob(pattern, recursive=True))
    originals = {path: read(path) for path in files}
    calls = read_calls({path: strip(text) for path, text in originals.items()})
    problems = []
    includes = {(path, target_of(path, *match)) for path, text in originals.items()
                for match in INCLUDE.findall(text)}
    includes = {(path, target) for path, target in includes if target in originals}
    for circle in find_circles(files, calls.keys() | includes):
        problems.append("a circle: " + ", ".join(circle))
        for start, end in sorted(calls.keys() | includes):
            if start in circle and end in circle:
                names = ", ".join(calls.get((start, end), ["include"]))
                problems.append(f"    {start} -> {end}: {names}")
    places = {f"src/{name}": i for i, name in enumerate(read("src/sources.txt").split())}
    problems += [f"{caller} calls {callee}, which is behind it in src/sources.txt"
                 for caller, callee in sorted(calls) if places[caller] < places[callee]]
    if not problems:
        print(f"{sum(path.endswith('.c') for path in files)} sources, "
              f"{sum(map(len, calls.values()))} calls between them, {len(includes)} includes, "
              "no circle")
    return problems


def main():
    os.chdir(sys.argv[1])
    return tell(check())


if __name__ == "__main__":
    sys.exit(main())
