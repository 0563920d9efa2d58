# SPDX-License-Identifier: MIT
"""Finds the suites of tests in a source, as the compiler sees it: macros name some."""
import re
import subprocess


def suites_of(source, flags, directory):
    """Flags are those that find the headers; the test runner is the plain one."""
    command = ["gcc", "-std=c11", "-E", "-P", "-w"] + flags + [source]
    text = subprocess.run(command, cwd=directory, check=True, stdout=subprocess.PIPE).stdout
    return set(re.findall(r'_case = {"(\w+)", "\w+"', text.decode()))
