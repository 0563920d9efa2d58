#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One set of verbs: each container has each verb, or a reason why it has not. Reads the public
headers. A cell of the matrix is a list of what a container has for a verb: functions (`insert` of a
map is hm_map_insert), fields of its descriptor (`desc.destroy`), functions of other modules
(`report.add_map` is hm_report_add_map), and macros (`HM_MAP_DEFINE`). Functions are methods of the
C++ class, too. EXCUSES has a reason for each that is missing, and none for others. What the check
`typed` says about typed forms is not repeated here.

    matrix.py SOURCE
"""
import os
import re
import sys

from sources import read, tell

CONTAINERS = "map pool table secondary lists index world".split()

# The first cell of a line names the verb, the others are in the order of CONTAINERS. `-`: nothing;
# `=`: the function that has the verb's name.
MATRIX = """
init            | = | = | = | = | = | = | =
init_desc       | HM_TYPED_DEFINE | HM_TYPED_DEFINE | HM_TABLE_DEFINE_INIT \
                | HM_SECONDARY_DEFINE_INIT | HM_TYPED_DEFINE_INIT | HM_INDEX_DEFINE_INIT | -
fini            | = | = | = | = | = | = | =
clear           | = | = | = | = | = | = | =
trim            | = | = | = | = | = | = | =
reserve         | = | = | = | = | = | = | =
validate        | = | = | = | = | = | = | =
count           | = | = | = | = | = | = | =
capacity        | = | = | = | = | = | = | =
get_stats       | = | = | = | = | = | = | =
describe        | = | = | = | = | = | = | =
explain         | = | = | = | = | = | = | =
make one        | insert emplace emplace_zeroed | insert emplace emplace_zeroed \
                | insert emplace emplace_zeroed | set | create push resize \
                | set | create add
make n          | insert_n | insert_n | insert_n | set_n | create_n push_n | set_n | create_n add_n
available       | = | = | = | - | = | - | =
upcoming        | = | = | = | - | = | - | =
promise         | reserve_promises promise insert_as give_up | reserve_promises promise insert_as \
                give_up | reserve_promises promise insert_as give_up | - | - | - | -
contains        | = | = | = | = | = | = | =
get             | = | = | = | = | items | key_of | get has
contains_n      | = | = | = | = | = | = | =
get_n           | = | = | row_n get_n | = | - | key_of_n | =
end one         | erase | erase | erase | remove | destroy erase_at erase_ordered_at \
                | remove | destroy remove
end n           | erase_n | erase_n | erase_n | remove_n | destroy_n | remove_n \
                | destroy_n remove_n
end by predicate | erase_if | erase_if | erase_if | remove_if | erase_if destroy_if \
                | remove_if | query.destroy query.change
handle_at       | = | = | = | owner_at | = | - | =
index_of        | = | = | row | = | - | - | -
erase_at        | = | = | = | remove_at | - | - | -
each            | HM_MAP_EACH | HM_POOL_EACH | HM_TABLE_EACH | HM_SECONDARY_EACH \
                | HM_LISTS_EACH next | next | query.next
from a pointer  | handle_of | handle_of | handle_of | handle_of | - | - | handle_of
defragment      | = | - | = | = | = | = | defragment
arrange         | = | - | = | = | - | - | -
touch           | = | - | = | = | - | - | =
touch_all       | = | - | = | = | - | - | =
lower_bound     | = | - | = | = | - | - | -
upper_bound     | = | - | = | = | - | - | -
destroy hook    | desc.destroy | desc.destroy | desc.destroy | desc.destroy | desc.destroy \
                | - | desc.destroy
other hooks     | desc.relocate | - | - | - | - | - | desc.add desc.set
in directory    | directory.add_map | directory.add_pool | directory.add_table | - \
                | directory.add_lists | - | directory.add_world
in report       | report.add_map | report.add_pool | report.add_table | report.add_secondary \
                | report.add_lists | report.add_index | report.add_world
typed           | HM_MAP_DEFINE | HM_POOL_DEFINE | HM_TABLE_DEFINE | HM_SECONDARY_DEFINE \
                | HM_LISTS_DEFINE | HM_INDEX_DEFINE | HM_COMPONENT_DEFINE
declared        | HM_MAP_DECLARE | HM_POOL_DECLARE | HM_TABLE_DECLARE | HM_SECONDARY_DECLARE \
                | HM_LISTS_DECLARE | HM_INDEX_DECLARE | -
save            | = | = | = | = | = | = | =
load            | = | = | = | = | = | = | =
merge           | = | = | = | - | = | - | =
adopt           | = | = | = | - | = | - | =
dump            | = | = | = | = | = | = | =
watch           | = | = | = | = | = | = | =
changes         | = | = | = | = | = | = | =
apply           | = | = | = | = | = | = | =
save_changes    | = | = | = | = | = | = | =
load_changes    | = | = | = | = | = | = | =
as_savable      | = | = | = | = | = | = | =
save_values     | = | = | = | = | = | = | =
visit           | = | = | = | = | = | = | =
hash            | = | = | = | = | = | = | =
"""

# Methods that the C++ classes call otherwise; None: what the class has instead is not a method.
METHODS = {"count": "size", "get_stats": "stats", "fini": None}

# "container.part" or "container.part in C++" -> the reason.
EXCUSES = {
    "table.emplace in C++": "insert takes all cells",
    **{kind + ".emplace_zeroed in C++": "emplace() makes an item of zeros, as T{} is"
       for kind in ("map", "pool")},
    "table.emplace_zeroed in C++": "insert takes all cells",
    **{kind + ".as_savable in C++": "hm_load_all takes C structs: hm_map_as_savable(c(), &desc)"
       for kind in ("map", "pool", "table", "secondary", "lists", "index", "world")},
    "world.desc.add": "whoever adds a value acts after the call; see World in docs/design.md",
    "world.desc.set": "whoever replaces a value acts after the call",
}


def strip(text):
    """Leaves comments out, since examples call functions."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)


def read_headers(container):
    """Returns a container's header in C, with what belongs to it in detail."""
    paths = [f"include/handle_map/{container}.h", f"include/handle_map/detail/{container}.h"]
    return "".join(strip(read(path)) for path in paths if os.path.exists(path))


def read_class(container):
    """Returns a container's headers for C++, and the bases of container.hpp that they name."""
    paths = [f"include/handle_map/{container}.hpp", f"include/handle_map/detail/{container}.hpp"]
    text = "".join(strip(read(path)) for path in paths if os.path.exists(path))
    bases = re.findall(r"^template <class \w+> class (\w+)[^;{]*\{(.*?)^\};",
                       strip(read("include/handle_map/container.hpp")), re.MULTILINE | re.DOTALL)
    return text + "".join(body for name, body in bases if re.search(rf"\b{name}<", text))


def read_matrix():
    """Returns pairs of container and part."""
    for line in MATRIX.strip().splitlines():
        verb, *cells = (cell.strip() for cell in line.split("|"))
        if len(cells) != len(CONTAINERS):
            raise ValueError(f"the row of {verb} has {len(cells)} cells")
        for container, cell in zip(CONTAINERS, cells):
            for part in cell.split() if cell != "-" else ():
                yield container, verb if part == "=" else part


def is_there(container, part, texts):
    """Whether a container has a part: a macro, a field, or a function."""
    if part.startswith("HM_"):
        return re.search(rf"\b{part}\b", texts[container]) is not None
    module, _, name = part.rpartition(".")
    if module == "desc":
        struct = "component" if container == "world" else container
        desc = re.search(rf"struct hm_{struct}_desc \{{(.*?)\n\}}", texts[container], re.DOTALL)
        return re.search(rf"\(\*{name}\)\(", desc[1]) is not None
    module = module or container
    function = rf"^[A-Za-z].*[ *]hm_{module}_{name}\("
    return re.search(function, texts[module], re.MULTILINE) is not None


def is_method(container, part, classes):
    name = METHODS.get(part, part)
    return name is None or re.search(rf"[ *&]{name}\(", classes[container]) is not None


def find_missing():
    texts = {name: read_headers(name) for name in CONTAINERS + ["query", "directory", "report"]}
    for name in CONTAINERS:
        texts[name] += "".join(map(read_headers, ["save", "dump", "changes"]))
    classes = {name: read_class(name) for name in CONTAINERS}
    cells = 0
    missing = []
    for container, part in read_matrix():
        cells += 1
        if not is_there(container, part, texts):
            missing.append(f"{container}.{part}")
        elif re.fullmatch(r"[a-z_]+", part) and not is_method(container, part, classes):
            missing.append(f"{container}.{part} in C++")
    return cells, missing


def main():
    os.chdir(sys.argv[1])
    cells, missing = find_missing()
    problems = [f"{name} is missing" for name in missing if name not in EXCUSES]
    problems += [f"{name} is there, or in no cell: its excuse is not needed"
                 for name in EXCUSES if name not in missing]
    print(f"{cells} parts of {len(CONTAINERS)} containers, {len(EXCUSES)} excuses, "
          f"{len(problems)} problems")
    return tell(problems)


if __name__ == "__main__":
    sys.exit(main())
