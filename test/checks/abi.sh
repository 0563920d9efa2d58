#!/bin/sh
# SPDX-License-Identifier: MIT
# abi.sh SOURCE: what breaks a program that was linked with the last release is in a list, with its
# reason.
exec sh "$1/test/tools/abi.sh" "$1" compare
