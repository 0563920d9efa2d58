# SPDX-License-Identifier: MIT
"""Checks that are counted, for what a user sees of a program."""
import sys

COUNT = [0]


def check(truth, what, seen=""):
    COUNT[0] += 1
    if not truth:
        sys.exit(f"not so: {what}\n{seen}")


def print_count():
    print(f"{COUNT[0]} checks")
