#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Code is written once. Finds the passages of 8 and more lines in src and include that are alike
but for names, numbers and strings, and compares them with a list, alike.txt beside this file: its
lines name places, `file:name` each, and then why their code is alike. Fails for a pair of places
that no line has, and for a place that is like no other of its line.

Comments, empty lines, directives without code and lone braces do not count. A place is named after
the function, the macro or the type that has most of its lines.

    alike.py SOURCE LIST [--print]

With --print it shows all passages with their lines."""
import collections
import glob
import os
import re
import sys

from sources import NOISE, read, tell

LEAST = 8  # lines of a passage
KINDS = 4  # lines that differ in shape within it; fewer are a list, as of names or of values
KEYWORDS = set("""auto bool break case char class const constexpr continue default define delete do
    double else enum explicit extern false float for friend goto if inline int int32_t int64_t long
    namespace new noexcept NULL nullptr operator private public return short signed size_t sizeof
    static static_cast struct switch template this true typedef typename uint16_t uint32_t uint64_t
    uint8_t uintptr_t union unsigned using void while""".split())
TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.']*|[^\s\w]")
# What begins a function, a macro or a type, at the first column or as a member of a class.
HEAD = re.compile(r"(?:#[ \t]*define[ \t]+(?P<macro>\w+)"
                  r"|(?:typedef )?(?:struct|class|enum|union) (?P<type>\w+)(?![^{;]*\()"
                  r"|(?!return|else|if|for|while|switch|static_assert)(?:[A-Za-z_][^;=()]*?[ *&])?"
                  r"(?P<function>~?\w+|operator\S+)\()")


def blank(match):
    """Leaves out a comment, and what a string says; lines stay where they are."""
    text = match[0]
    return "\n" * text.count("\n") if text.startswith("/") else '""'


def shape_of(line):
    """The line with one word for every name and number. Nothing for a line that does not count."""
    if line.startswith('extern "') or re.match(r"\s*#(?!\s*define \w+\S* )", line):
        return ""
    tokens = ["n" if re.match(r"\w", token) and token not in KEYWORDS else token
              for token in TOKEN.findall(line)]
    return " ".join(tokens) if re.search(r"\w", line) else ""


def read_lines(path):
    """Returns the lines that count, each as (shape, number, name of what it is in)."""
    lines, name = [], ""
    for number, line in enumerate(NOISE.sub(blank, read(path)).split("\n"), 1):
        is_member = path.endswith(".hpp") and re.match(r" {4}\S", line)
        head = HEAD.match(line, 4 if is_member else 0)
        if head:
            name = head["macro"] or head["type"] or head["function"]
        shape = shape_of(line)
        if shape:
            lines.append((shape, number, name))
    return lines


def find_passages(files):
    """Returns the longest passages that are alike: (path, from, path, from, how many lines)."""
    windows = {}
    for path, lines in files.items():
        for at in range(len(lines) - LEAST + 1):
            window = tuple(line[0] for line in lines[at:at + LEAST])
            if len(set(window)) >= KINDS:
                windows.setdefault(window, []).append((path, at))
    starts = {(*one, *other) for places in windows.values()
              for i, one in enumerate(places) for other in places[i + 1:]}
    passages = []
    for path, at, other, at_other in sorted(starts):
        if (path, at - 1, other, at_other - 1) in starts:
            continue
        end = 1
        while (path, at + end, other, at_other + end) in starts:
            end += 1
        # A passage that repeats within itself is two, up to where the second begins.
        length = end - 1 + LEAST
        if path == other:
            length = min(length, at_other - at)
        if length >= LEAST:
            passages.append((path, at, other, at_other, length))
    return passages


def read_reasons(path):
    """Returns the list's lines as tuples of places."""
    groups, problems = [], []
    for number, line in enumerate(read(path).split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        places, bar, reason = line.partition(" | ")
        group = tuple(places.split())
        if not reason.strip() or len(group) < 2:
            problems.append(f"{path}:{number}: should be two places or more, a bar, a reason")
        groups.append(group)
    return groups, problems


def check(reasons, show):
    """Returns what is wrong."""
    files = {path: read_lines(path) for pattern in ("include/**/*.h*", "src/**/*.[ch]")
             for path in sorted(glob.glob(pattern, recursive=True))}
    groups, problems = read_reasons(reasons)
    found = set()
    passages = find_passages(files)
    for path, at, other, at_other, length in passages:
        pair = []
        for file, start in ((path, at), (other, at_other)):
            lines = files[file][start:start + length]
            first, last = lines[0][1], lines[-1][1]
            name, _ = collections.Counter(line[2] for line in lines).most_common(1)[0]
            pair.append((f"{file.removeprefix('include/handle_map/')}:{name}",
                         f"{file}:{first}-{last}"))
        found.add(frozenset(place for place, _ in pair))
        has_reason = any(pair[0][0] in group and pair[1][0] in group for group in groups)
        if show or not has_reason:
            print(f"{length} lines: {pair[0][1]} {pair[1][1]}, {pair[0][0]} {pair[1][0]}")
        if not has_reason:
            problems.append(f"{length} lines of {pair[0][1]} and {pair[1][1]} are alike: "
                            f"write them once, or say in alike.txt why {pair[0][0]} "
                            f"and {pair[1][0]} are")
    for group in groups:
        for place in group:
            if not any(place in pair and pair <= set(group) for pair in found):
                problems.append(f"alike.txt: {place} is like no other place of its line")
    print(f"{len(files)} files, {len(passages)} passages of {LEAST} and more lines alike, "
          f"{len(found)} pairs of places, {len(groups)} reasons")
    return problems


def main():
    source, reasons = sys.argv[1], os.path.abspath(sys.argv[2])
    os.chdir(source)
    return tell(check(reasons, "--print" in sys.argv[3:]))


if __name__ == "__main__":
    sys.exit(main())
