# SPDX-License-Identifier: MIT
"""Inside lldb, for gdb.py: loads the script that HM_SCRIPT names, and prints, for each line of
HM_EXPRESSIONS, what that script shows of the global variable, or the part of one, as a line."""
import os
import re
import traceback


def value_of(target, expression):
    """`a.b`, `a[1]` and `::a`, as in gdb."""
    name, rest = re.fullmatch(r"(?:::)?(\w+)(.*)", expression).groups()
    found = [one for one in target.FindGlobalVariables(name, 99) if one.GetName().split("::")[-1] == name]
    plain = found[0].GetNonSyntheticValue()
    return plain.GetValueForExpressionPath(rest) if rest else plain


def answer(target, shown, expression):
    try:
        return shown.text_of(shown.Value(value_of(target, expression)))
    except Exception:  # whatever a printer raises is a finding
        return traceback.format_exc().replace("\n", " / ")


def __lldb_init_module(debugger, _dict):
    script = os.environ["HM_SCRIPT"]
    debugger.HandleCommand(f"command script import {script}")
    target = debugger.GetSelectedTarget()
    import handle_map_lldb as shown  # where the script lies
    shown.Lldb.target = target
    for expression in os.environ["HM_EXPRESSIONS"].split("\n"):
        print(f"<{expression}>{answer(target, shown, expression)}")
