# SPDX-License-Identifier: MIT
"""Checks that are counted, of what a user sees of a program."""
import sys

count = 0


def check(truth, what, seen=""):
    global count
    count += 1
    if not truth:
        sys.exit(f"not so: {what}\n{seen}")


def print_count():
    print(f"{count} checks")
