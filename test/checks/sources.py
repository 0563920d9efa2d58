# SPDX-License-Identifier: MIT
"""What the checks of the sources share. Paths are relative to the root."""
import os
import re
import sys

NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]*)[>"]', re.MULTILINE)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def target_of(path, kind, name):
    """Returns the project's file that an include names, or None."""
    if kind == '"':
        return os.path.normpath(os.path.join(os.path.dirname(path), name))
    return "include/" + name if name.startswith("handle_map/") else None


def tell(problems):
    """Prints what is wrong; returns the exit code."""
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0
