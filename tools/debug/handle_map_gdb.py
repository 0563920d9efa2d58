# SPDX-License-Identifier: MIT
"""Pretty-printers of gdb for handles and containers: see handle_map_printers.py, which must lie
beside this file.

    (gdb) source tools/debug/handle_map_gdb.py
    (gdb) print wood
    $1 = texture_handle(index 12, generation 7, type 3)

Put the first line into ~/.gdbinit to have them always. `print/r` shows the fields themselves.
"""
import os
import sys

import gdb
import gdb.printing

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import handle_map_printers as printers  # noqa: E402, as it lies there


class Gdb:
    error = gdb.error

    @staticmethod
    def read(address, size):
        return bytes(gdb.selected_inferior().read_memory(address, size))

    @staticmethod
    def type_of(name):
        try:
            return gdb.lookup_type(name)
        except gdb.error:
            return None

    @staticmethod
    def pointed_to(name):
        symbol = gdb.lookup_static_symbol(name) or gdb.lookup_global_symbol(name)
        if symbol is None or symbol.type is None or symbol.type.code != gdb.TYPE_CODE_FUNC:
            return []
        types = [symbol.type.target(), *(field.type for field in symbol.type.fields())]
        return [found.target().unqualified() for found in types if found.code == gdb.TYPE_CODE_PTR]

    @staticmethod
    def value_at(address, found):
        return gdb.Value(address).cast(found.pointer()).dereference()

    @staticmethod
    def value_of(data, found, count=None):
        return gdb.Value(data, found if count is None else found.array(count - 1))

    @staticmethod
    def is_struct(found):
        return found.strip_typedefs().code == gdb.TYPE_CODE_STRUCT

    @staticmethod
    def types_of_class(found):
        types = []
        for number in range(printers.TEMPLATE_ARGUMENTS):
            try:
                argument = found.template_argument(number)
            except gdb.error:  # gdb does not know this type
                continue
            except RuntimeError:  # no further one
                break
            if isinstance(argument, gdb.Type) and not str(argument).startswith("hm::lanes<"):
                types.append(argument)
        return types


class Lookup:
    """What gdb asks for the printer of a value."""
    name = "handle_map"
    enabled = True

    def __call__(self, value):
        return printers.printer_of(value)


printers.debugger = Gdb
gdb.printing.register_pretty_printer(gdb.current_objfile(), Lookup(), replace=True)
