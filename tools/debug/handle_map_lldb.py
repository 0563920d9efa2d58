# SPDX-License-Identifier: MIT
"""Summaries and children in lldb for handles and containers: see handle_map_printers.py, which must
lie beside this file.

    (lldb) command script import tools/debug/handle_map_lldb.py
    (lldb) frame variable wood
    (texture_handle) wood = texture_handle(index 12, generation 7, type 3) {...}

Put the first line into ~/.lldbinit to have them always. `frame variable --raw` shows the fields
themselves.
"""
import os
import sys

import lldb

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import handle_map_printers as printers  # noqa: E402, as it lies there

LIMIT = 1000  # children that are made: lldb shows 256
TYPES = "^(const )?({}|[A-Za-z0-9_]+_({})|hm::({})(<.*>)?)$"


class Error(Exception):
    """lldb has no such value, or cannot read it."""


class Type:
    def __init__(self, found):
        self.found = found
        self.sizeof = found.GetByteSize()
        self.name = found.GetUnqualifiedType().GetName()

    @property
    def tag(self):
        return self.name.removeprefix("struct ")

    def strip_typedefs(self):
        return Type(self.found.GetCanonicalType().GetUnqualifiedType())

    def unqualified(self):
        return Type(self.found.GetUnqualifiedType())

    def pointer(self):
        return Type(self.found.GetPointerType())

    def fields(self):
        return [Field(field) for field in self.found.GetCanonicalType().fields]

    def __str__(self):
        return self.name


class Field:
    def __init__(self, found):
        self.name = found.GetName()
        self.type = Type(found.GetType())
        self.bitpos = found.GetOffsetInBits()


class Value:
    """A value as gdb's Python has it, as far as printers use that."""
    def __init__(self, found, address=None):
        """`address`: where it is, even if nothing can be read there."""
        if address is None and (not found.IsValid() or found.GetError().Fail()):
            raise Error(str(found.GetError()))
        self.found = found.GetNonSyntheticValue()
        self.address = found.GetLoadAddress() if address is None else address

    @property
    def type(self):
        return Type(self.found.GetType())

    def __int__(self):
        error = lldb.SBError()
        number = self.found.GetValueAsUnsigned(error, 0)
        if error.Fail():
            raise Error(str(error))
        return number

    def __getitem__(self, key):
        if isinstance(key, str):
            return Value(self.found.GetChildMemberWithName(key))
        if not self.found.GetType().IsPointerType():
            return Value(self.found.GetChildAtIndex(key))
        element = self.found.GetType().GetPointeeType()
        address = int(self) + key * element.GetByteSize() & printers.address_mask_of(self)
        return Lldb.value_at(address, Type(element))

    def cast(self, found):
        return Value(self.found.Cast(found.found))

    def dereference(self):
        return Value(self.found.Dereference())

    def __str__(self):
        return text_of(self)


class Lldb:
    error = Error
    target = None  # whose value is being shown

    @classmethod
    def read(cls, address, size):
        error = lldb.SBError()
        data = cls.target.GetProcess().ReadMemory(address, size, error) if size > 0 else b""
        if error.Fail() or len(data) != size:
            raise Error(str(error))
        return data

    @classmethod
    def type_of(cls, name):
        found = cls.target.FindFirstType(name.removeprefix("struct "))
        return Type(found) if found.IsValid() else None

    @classmethod
    def pointed_to(cls, name):
        types = []
        for context in cls.target.FindFunctions(name):
            function = context.GetFunction().GetType()
            arguments = function.GetFunctionArgumentTypes()
            each = [function.GetFunctionReturnType(),
                    *(arguments.GetTypeAtIndex(i) for i in range(arguments.GetSize()))]
            types += [Type(found.GetPointeeType().GetUnqualifiedType())
                      for found in each if found.IsPointerType()]
        return types

    @classmethod
    def value_at(cls, address, found):
        place = lldb.SBAddress(address, cls.target)
        return Value(cls.target.CreateValueFromAddress("item", place, found.found), address)

    @classmethod
    def value_of(cls, data, found, count=None):
        held = lldb.SBData()
        held.SetData(lldb.SBError(), data, cls.target.GetByteOrder(), cls.target.GetAddressByteSize())
        made = found.found if count is None else found.found.GetArrayType(count)
        return Value(cls.target.CreateValueFromData("item", held, made))

    @staticmethod
    def is_struct(found):
        return found.found.GetCanonicalType().GetTypeClass() in (lldb.eTypeClassStruct,
                                                                 lldb.eTypeClassClass)

    @staticmethod
    def types_of_class(found):
        types = []
        for number in range(min(found.found.GetNumberOfTemplateArguments(),
                                printers.TEMPLATE_ARGUMENTS)):
            if found.found.GetTemplateArgumentKind(number) != lldb.eTemplateArgumentKindType:
                continue
            argument = Type(found.found.GetTemplateArgumentType(number))
            if not argument.name.startswith("hm::lanes<"):
                types.append(argument)
        return types


printers.debugger = Lldb


def children_of(printer):
    return printer.children() if hasattr(printer, "children") else ()


def text_of(value):
    """A value in one line, with what is in it."""
    if isinstance(value, str):
        return value
    printer = printers.printer_of(value)
    if printer is not None:
        children = [f"{name} = {text_of(child)}" for name, child in children_of(printer)]
        return printer.to_string() + (f" = {{{', '.join(children)}}}" if children else "")
    found = value.found
    kind = found.GetType().GetCanonicalType()
    if kind.IsArrayType():
        inner = (text_of(Value(found.GetChildAtIndex(i))) for i in range(found.GetNumChildren()))
        return f"{{{', '.join(inner)}}}"
    if Lldb.is_struct(value.type):
        inner = (found.GetChildAtIndex(i) for i in range(found.GetNumChildren()))
        return f"{{{', '.join(f'{one.GetName()} = {text_of(Value(one))}' for one in inner)}}}"
    if kind.GetTypeClass() == lldb.eTypeClassEnumeration and kind.IsScopedEnumerationType():
        return f"{value.type.name}::{found.GetValue()}"
    return str(int(value)) if kind.GetByteSize() == 1 else str(found.GetValue())


class Children:
    """What lldb asks for the children of a value. Text becomes an array of characters."""
    def __init__(self, value, _dict):
        self.value = value
        self.children = []

    def update(self):
        Lldb.target = self.value.GetTarget()
        printer = printers.printer_of(Value(self.value))
        if printer is None:
            raw = self.value.GetNonSyntheticValue()
            self.children = [raw.GetChildAtIndex(i) for i in range(raw.GetNumChildren())]
            return False
        found = (pair for pair, _ in zip(children_of(printer), range(LIMIT)))
        self.children = [self.made(name, child) for name, child in found]
        return False

    def made(self, name, child):
        if isinstance(child, Value):
            return child.found.Clone(name) if child.found.GetName() != name else child.found
        data = lldb.SBData.CreateDataFromCString(Lldb.target.GetByteOrder(),
                                                 Lldb.target.GetAddressByteSize(), child)
        kind = Lldb.target.GetBasicType(lldb.eBasicTypeChar).GetArrayType(len(child))
        return self.value.CreateValueFromData(name, data, kind)

    def num_children(self):
        return len(self.children)

    def has_children(self):
        return bool(self.children)

    def get_child_index(self, name):
        names = [child.GetName() for child in self.children]
        return names.index(name) if name in names else -1

    def get_child_at_index(self, index):
        return self.children[index] if 0 <= index < len(self.children) else None


def summary(value, _dict):
    Lldb.target = value.GetTarget()
    printer = printers.printer_of(Value(value.GetNonSyntheticValue()))
    return printer.to_string() if printer is not None else ""


def __lldb_init_module(debugger, _dict):
    kinds = "|".join(name.removeprefix("hm_") for name in printers.PRINTERS)
    names = TYPES.format("|".join(printers.PRINTERS), kinds, kinds)
    debugger.HandleCommand(f'type summary add --expand --python-function {__name__}.summary --regex "{names}"')
    debugger.HandleCommand(f'type synthetic add --python-class {__name__}.Children --regex "{names}"')
