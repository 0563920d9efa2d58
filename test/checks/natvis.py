# SPDX-License-Identifier: MIT
"""tools/debug/handle_map.natvis is well-formed, and each field that it names is one of the struct
that it names it in, through members and arrays too.

    natvis.py SOURCE
"""
import glob
import os
import re
import sys
import xml.etree.ElementTree as xml

from sources import read, tell

NAMESPACE = "{http://schemas.microsoft.com/vstudio/debugger/natvis/2010}"
NEEDED = {"hm_handle", "hm_index", "hm_lists", "hm_map", "hm_pool", "hm_secondary", "hm_table",
          "hm_world"}
NEEDED |= {name.replace("hm_", "hm::") + "<*>" * (name != "hm_world") for name in NEEDED}
WITH_EXPRESSION = {"Item", "Size", "ValueNode", "ValuePointer", "Exec", "ExpandedItem"}
FORMATS = {"s", "x", "d"}  # behind the comma of an expression
BUILT_IN = {"void", "unsigned", "int", "__int64", "char"}  # the types that a cast may have
TOKEN = re.compile(r"->|0x[0-9A-Fa-f]+|\d+|\$?[A-Za-z_]\w*|\S")


def read_structs(source):
    """Returns struct -> field -> the name of its type, from the headers."""
    structs = {}
    for path in glob.glob(os.path.join(source, "include/handle_map/**/*.h"), recursive=True):
        text = re.sub(r"/\*.*?\*/", "", read(path), flags=re.DOTALL)
        for name, body in re.findall(r"typedef struct (hm_\w+) \{(.*?)\n\} \1;", text, re.DOTALL):
            fields = structs.setdefault(name, {})
            for declaration in body.split(";"):
                match = re.match(r"\s*(?:const |struct |enum |unsigned )*(\w+)\s+([^(]*)$", declaration)
                for field in match[2].split(",") if match else []:
                    fields[re.sub(r"\[.*?\]|[*\s]", "", field)] = match[1]
    return structs


def read_classes(source):
    """Returns the same for the classes of C++ and what they keep, which has the struct of C."""
    kept = [(r"class handle\n\{\n    hm_handle id_;", "hm::handle<*>", "id_", "hm_handle"),
            (r"world_core \*core = &none;", "hm::owned world", "core", "hm::world_core"),
            (r"struct world_core \{.*?\n    hm_world c\{\};", "hm::world_core", "c", "hm_world")]
    classes, base = {}, ""
    for path in ("container.hpp", "detail/container.hpp"):
        base += read(os.path.join(source, "include/handle_map", path))
    own = re.search(r"typename Shape::owner (\w+);", base)[1]
    inner = re.search(r"struct owned \{\n    C (\w+)\{\};", base)[1]
    for path in glob.glob(os.path.join(source, "include/handle_map/**/*.hpp"), recursive=True):
        text = read(path)
        for kind in re.findall(r" : shape_of<hm_(\w+),", text):
            name = f"hm::{kind}" + "<*>" * (kind != "world")
            classes[name] = {own: f"hm::owned {kind}"}
            classes.setdefault(f"hm::owned {kind}", {inner: f"hm_{kind}"})
        for pattern, name, field, kind in kept:
            if re.search(pattern, text, re.DOTALL):
                classes[name] = {field: kind}
    return classes


class Reader:
    """Follows the fields of an expression from struct to struct."""

    def __init__(self, structs, owner, variables):
        self.structs, self.owner, self.variables = structs, owner, variables
        self.problems, self.fields = [], 0

    def step(self, struct, field):
        """Returns the type of a field."""
        self.fields += 1
        if field not in self.structs.get(struct, {}):
            self.problems.append(f"{struct} has no field '{field}'")
            return None
        return self.structs[struct][field]

    def read(self, tokens):
        """Reads up to a closing bracket, which it takes."""
        while tokens:
            token = tokens.pop(0)
            if token == "]":
                return
            if token == "[":
                self.read(tokens)
            elif re.match(r"[A-Za-z_]", token) and token not in self.variables | BUILT_IN:
                self.follow(token, tokens)

    def follow(self, field, tokens):
        struct = self.step(self.owner, field)
        while tokens and tokens[0] in ("[", ".", "->"):
            if tokens.pop(0) == "[":
                self.read(tokens)
            elif struct is not None:
                struct = self.step(struct, tokens.pop(0))
            else:
                tokens.pop(0)


def expressions_of(node):
    """Yields the expressions in an element, not those in the elements below."""
    tag = node.tag.removeprefix(NAMESPACE)
    for attribute in "Condition", "InitialValue":
        if attribute in node.attrib:
            yield node.attrib[attribute]
    if tag in WITH_EXPRESSION:
        yield node.text
    elif tag == "DisplayString":
        yield from re.findall(r"\{(.*?)\}", node.text)


def check(structs, root):
    """Returns what is wrong, the number of types and that of fields."""
    problems, fields = [], 0
    types = {node.attrib["Name"]: node for node in root.findall(NAMESPACE + "Type")}
    problems += [f"there is no type {name}" for name in sorted(NEEDED - set(types))]
    for name, node in types.items():
        if name not in structs:
            problems.append(f"the headers have no struct {name}")
            continue
        variables = {v.attrib["Name"] for v in node.iter(NAMESPACE + "Variable")}
        reader = Reader(structs, name, variables)
        for expression in (text for below in node.iter() for text in expressions_of(below)):
            body, comma, form = expression.partition(",")
            if comma and form not in FORMATS:
                reader.problems.append(f"{name}: '{expression}' has an unknown format")
            reader.read(TOKEN.findall(body))
        problems += reader.problems
        fields += reader.fields
    return problems, len(types), fields


def main():
    source = sys.argv[1]
    structs = read_structs(source) | read_classes(source)
    root = xml.parse(os.path.join(source, "tools/debug/handle_map.natvis")).getroot()
    problems, types, fields = check(structs, root)
    tell(problems)
    print(f"{len(structs)} structs in the headers; {types} types, {fields} uses of fields")
    return 1 if problems or fields == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
