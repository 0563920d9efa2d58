#!/bin/sh
# SPDX-License-Identifier: MIT
# make.sh SOURCE DIRECTORY: makes the reference of SOURCE in DIRECTORY/html, and checks that it is
# whole. Needs doxygen and python3.
set -eu
source=$1
rm -rf "$2"
mkdir -p "$2"
directory=$(cd "$2" && pwd)
cd "$source"
{ cat docs/reference/Doxyfile && echo "OUTPUT_DIRECTORY = \"$directory\""; } | doxygen -
python3 docs/reference/check.py . "$directory/html"
