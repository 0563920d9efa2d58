#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Includes point down. The table of modules in docs/design.md says which module is on which layer;
every header and source belongs to one of its modules, and includes its own module's headers and
those of lower layers only. (circles.py sees that includes make no circle.) Calls point down through
headers too: a header names only functions whose source is of its own module or of a lower layer, so
the slow half of an inline function is beside its fast half. A word of the table of words is in names
of the modules that the table says, and nowhere else. Only the module `memory` includes headers
of an operating system, and examples include public headers only.

    layers.py SOURCE
"""
import glob
import os
import re
import sys

from circles import NAME, read_functions, strip
from sources import INCLUDE, read, target_of, tell

UMBRELLA = "include/handle_map/handle_map.h"
STANDARD = {name + ".h" for name in """assert ctype errno float inttypes limits math setjmp stdalign
            stdarg stdatomic stdbool stddef stdint stdio stdlib string time""".split()}
STANDARD |= {"type_traits", "intrin.h"}  # for typed functions in C++; Microsoft C's bit scans


def read_layers(page):
    """Returns module -> layer and header -> module, from lines like "| 2 | `ids`, `handle` | owns |".
    The first name is that of the folder in src/, the others are those of public headers."""
    layers, modules = {}, {}
    for layer, names in re.findall(r"^\| (\d+) \| (`.*?`) \|", page, re.MULTILINE):
        names = re.findall(r"`([\w/]+)`", names)
        layers[names[0]] = int(layer)
        modules.update(dict.fromkeys(names, names[0]))
    return layers, modules


def module_of(path, modules):
    """For src/order/merge.c or include/handle_map/detail/map.h."""
    folder, name = os.path.split(os.path.splitext(path)[0])
    if folder.startswith("src/"):
        name = folder.removeprefix("src/")
    if folder.endswith("/detail") and "detail/" + name in modules:
        name = "detail/" + name
    return modules.get(name)


def read_includes(files, layers, problems):
    """Returns file -> the project's files that it includes and may include."""
    includes = {path: [] for path in files}
    for path, module in files.items():
        if module is None:
            problems.append(f"{path}: docs/design.md names no module that it belongs to")
            continue
        for kind, name in INCLUDE.findall(read(path)):
            target = target_of(path, kind, name)
            if target is None:
                if name not in STANDARD and module != "memory":
                    problems.append(f"{path}: includes {name}, which only memory may")
            elif files.get(target) is None:
                problems.append(f"{path}: includes {target}, which belongs to no module")
            else:
                includes[path].append(target)
                if files[target] != module and layers[files[target]] >= layers[module]:
                    problems.append(f"{path}: includes {target}, which is not below")
                if files[target] != module and target.endswith("_internal.h"):
                    problems.append(f"{path}: includes {target}, which is private to its module")
    return includes


def find_calls_up(files, layers):
    """Returns a sentence for each function of a higher layer that a header names."""
    texts = {path: strip(read(path)) for path in files}
    defined = read_functions(texts)
    return [f"{path}: names {name} of {source}, which is not below"
            for path, module in files.items() if path.endswith(".h")
            for name in sorted(defined.keys() & set(NAME.findall(texts[path])))
            for source in sorted(defined[name])
            if files[source] != module and layers[files[source]] >= layers[module]]


def find_words(files, page):
    """Returns a sentence for each name with a word of lines like "| `extent` | what it means | `pool` |"
    that is in a file of another module. Names that begin with an underscore are a compiler's."""
    problems = []
    table = page.partition("\n## Words\n")[2].partition("\n## ")[0]
    for word, modules in re.findall(r"^\| `(\w+)` \| .* \| (.*) \|$", table, re.MULTILINE):
        allowed = set(re.findall(r"`(\w+)`", modules))
        part = re.compile(rf"(?:^|_){word}s?(?:_|$)", re.IGNORECASE)
        problems += [f"{path}: {name} has the word '{word}'" for path, module in files.items()
                     if module not in allowed
                     for name in sorted(set(NAME.findall(strip(read(path)))))
                     if part.search(name) and not name.startswith("_")]
    return problems


def check():
    """Prints the layers; returns what is wrong."""
    page = read("docs/design.md")
    layers, modules = read_layers(page)
    problems = []
    files = {path: module_of(path, modules) for pattern in ("include/**/*.h", "src/**/*.[ch]")
             for path in sorted(glob.glob(pattern, recursive=True)) if path != UMBRELLA}
    includes = read_includes(files, layers, problems)
    if not problems:
        problems += find_calls_up(files, layers) + find_words(files, page)
    for module, layer in sorted(layers.items(), key=lambda pair: pair[1]):
        own = [path for path in files if files[path] == module]
        below = {files[target] for path in own for target in includes[path]} - {module}
        print(f"layer {layer}: {module}, {len(own)} files, includes {', '.join(sorted(below)) or '-'}")
        if not own:
            problems.append(f"docs/design.md names '{module}', which has no file")
    for path in glob.glob("docs/examples/*.[ch]"):
        if re.search(r"#include.*(src/|\.\./)", read(path)):
            problems.append(f"{path}: reaches into the library")
    print(f"{len(set(layers.values()))} layers, {len(files)} files, "
          f"{sum(map(len, includes.values()))} includes, {len(problems)} problems")
    return problems


def main():
    os.chdir(sys.argv[1])
    return tell(check())


if __name__ == "__main__":
    sys.exit(main())
