# SPDX-License-Identifier: MIT
"""Where the sources can be changed, and how: the list of mutants for mutate.py.

Works on the text, with comments, strings and directives blanked out. The sources are formatted by
clang-format, so a binary operator is one with a space before and after it.
"""
import glob
import os
import re
from typing import NamedTuple

OPERATORS = {
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"],
    "==": ["!="], "!=": ["=="], "&&": ["||"], "||": ["&&"],
    "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["/"],
    "<<": [">>"], ">>": ["<<"], "&": ["|"], "|": ["&"], "^": ["|"],
    "+=": ["-="], "-=": ["+="], "*=": ["/="], "|=": ["&="], "&=": ["|="],
}
OPERATOR = re.compile(r"(?<= )(" + "|".join(
    re.escape(o) for o in sorted(OPERATORS, key=len, reverse=True)) + r")(?=\s)")
BOUND = re.compile(r"\b(UINT32_MAX|SIZE_MAX|HM_HANDLE_MAX_GENERATION|HM_HANDLE_MAX_TYPE_ID|"
                   r"HM_MEMORY_ALIGNMENT|HM_DEFAULT_CAPACITY)\b")
NUMBER = re.compile(r"(?<![\w.])(0[xX][0-9a-fA-F]+|\d+)(?![\w.])")
STATUS = re.compile(r"\bHM_(OK|ERROR_[A-Z]+)\b")
RETURN = re.compile(r"\breturn ([^;]+);")
CONSTANT = re.compile(r"0|1|-1|true|false|NULL|HM_\w+")
IF = re.compile(r"\b(?:if|while) \(")
# A call, an assignment, an increment or a jump; not a declaration, whose name follows a type.
STATEMENT = re.compile(r"(?<=[;{}):])(\s+)((?:\(void\))?\*?[a-z]\w*(?:(?:\[[^;]*?\]|->|\.|\w)*)"
                       r"(?:\(| [-+*|&]?= |(?:\+\+|--)(?=;))[^;{}]*;|"
                       r"HM_CONTRACT(?:_IDLE|_AT_REST)?\([^;]*;|break;|continue;)")
KEYWORDS = re.compile(r"(if|for|while|switch|return|sizeof|static_assert)\b")


class Mutant(NamedTuple):
    file: str
    begin: int  # offsets into the file
    end: int
    new: str
    line: int
    column: int
    old: str

    def __str__(self):
        old, new = (" ".join(text.split()) or "(nothing)" for text in (self.old, self.new))
        return f"{self.file}:{self.line}:{self.column}: {old} -> {new}"


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def code_of(text):
    """Returns the text with comments, strings and directives blanked out; offsets stay valid."""
    text = re.sub(r"/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\])'", blank, text, flags=re.S)
    text = re.sub(r"^#(?!define HM_(?:MAP_DEFINE|MAP_OF|CONTRACT)).*$", blank, text,
                  flags=re.MULTILINE)
    return text.replace("\\\n", " \n")


def closing(code, begin):
    depth = 0
    for i in range(begin, len(code)):
        depth += (code[i] in "({[") - (code[i] in ")}]")
        if depth == 0:
            return i
    raise ValueError("unbalanced")


def regions_of(code):
    """Yields function bodies, constants at file level, and the conditions of two macros."""
    position = 0
    for match in re.finditer(r"\)\s*(\{)", code):
        if match.start(1) >= position:
            position = closing(code, match.start(1)) + 1
            yield match.start(1), position
    for match in re.finditer(r"^static const [^;]*;|^enum \{.*\};|"
                             r"^#define HM_(?:MAP_OF|CONTRACT)\([^\n]*(?:\n [^\n]*)*", code, re.M):
        yield match.start(), match.end()


def changes(code, begin, end):
    """Yields the changes in a region as (begin, end, new)."""
    def each(pattern):
        return pattern.finditer(code, begin, end)

    for m in each(OPERATOR):
        for new in OPERATORS[m.group(1)]:
            yield *m.span(1), new
    for m in each(re.compile(r"[!~](?=[\w(])")):
        yield *m.span(), ""
    for m in each(re.compile(r"\+\+|--")):
        yield *m.span(), "--" if m.group() == "++" else "++"
    for m in each(re.compile(r"\b(true|false)\b")):
        yield *m.span(), "false" if m.group() == "true" else "true"
    for m in each(BOUND):
        yield *m.span(), f"({m.group()} - 1)"
    for m in each(NUMBER):
        value = int(m.group(), 0)
        yield *m.span(), str(value + 1)
        if value > 0:
            yield *m.span(), str(value - 1)
    for m in each(RETURN):
        if not CONSTANT.fullmatch(m.group(1)):
            yield *m.span(1), "0"
        status = STATUS.fullmatch(m.group(1))
        if status:
            yield *m.span(1), "HM_ERROR_INVALID" if m.group(1) == "HM_OK" else "HM_OK"
    for m in each(IF):
        last = closing(code, m.end() - 1)
        if m.group().startswith("if"):
            yield m.end(), last, f"!({code[m.end():last]})"
    for m in each(STATEMENT):
        if not KEYWORDS.match(m.group(2)):
            yield *m.span(2), ";"


def find_in(root, name):
    with open(os.path.join(root, name), encoding="utf-8") as file:
        text = file.read()
    code = code_of(text)
    found = set()
    for begin, end in regions_of(code):
        for first, last, new in changes(code, begin, end):
            if text.count("\n", first, last) and "\\\n" in text[first:last]:
                new = new.replace("\n", "\\\n")
            line = text.count("\n", 0, first) + 1
            column = first - text.rfind("\n", 0, first)
            found.add(Mutant(name, first, last, new, line, column, text[first:last]))
    return found


def find_all(root):
    names = glob.glob("src/**/*.[ch]", root_dir=root, recursive=True)
    names += glob.glob("include/**/*.h", root_dir=root, recursive=True)
    found = set()
    for name in names:
        # Compiled on other systems only.
        if name not in ("src/memory/wasm.c", "src/memory/windows.c"):
            found |= find_in(root, name)
    return sorted(found)
