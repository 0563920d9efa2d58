#!/bin/sh
# SPDX-License-Identifier: MIT
# make.sh SOURCE DIRECTORY: makes the reference of SOURCE in DIRECTORY/html, and checks that it is
# whole. Needs doxygen, python3 and a C compiler. Its look is that of doxygen-awesome-css, if
# installed.
set -eu
source=$1
theme=/usr/share/doxygen-awesome-css/doxygen-awesome
style=
[ ! -f "$theme.css" ] || style="$theme.css $theme-sidebar-only.css"
rm -rf "$2"
mkdir -p "$2"
directory=$(cd "$2" && pwd)
cd "$source"
{
    cat docs/reference/Doxyfile
    echo "OUTPUT_DIRECTORY = \"$directory\""
    echo "HTML_EXTRA_STYLESHEET = $style docs/reference/reference.css"
} | doxygen -
python3 docs/reference/check.py . "$directory/html"
