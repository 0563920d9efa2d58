#!/bin/sh
# SPDX-License-Identifier: MIT
# docs.sh SOURCE: every ```c block of README.md and docs/*.md is a complete translation unit that
# compiles without a warning, with every installed compiler, and so is every ```cpp block. The
# way to Debian packages in docs/install.md names what they are built with. If Doxygen is installed, the reference that
# it makes of the pages and the headers is whole.
# HM_WARNINGS, HM_C_WARNINGS: the compilers' warning flags.
# shellcheck source=test/tools/check.sh
. "$1/test/tools/check.sh"
blocks=0
compiled=0

way=$(grep '^| Debian packages |' "$source/docs/install.md")
packages=$(sed -n 's/^Build-Depends: //p' "$source/tools/package/debian/control" |
    sed 's/([^)]*)//g; s/debhelper-compat/debhelper/; s/,//g')
for package in build-essential $packages; do
    case $way in
    *" $package"[\ \`]*) ;;
    *)
        fail "docs/install.md's way to Debian packages does not name $package"
        ;;
    esac
done

for page in "$source/README.md" "$source"/docs/*.md; do
    mkdir "$work/page"
    awk -v DIRECTORY="$work/page" -f "$source/test/tools/extract_c_blocks.awk" "$page"
    for block in "$work"/page/*.c*; do
        [ -e "$block" ] || continue
        blocks=$((blocks + 1))
        # Other headers are not there with the library as one source.
        ! grep '#include <handle_map/' "$block" | grep -qv '/handle_map\.hp*>' ||
            fail "${page##*/}: a program includes another header than handle_map.h"
        compilers='gcc clang' flags="-std=c11 $HM_C_WARNINGS"
        if [ "${block%.cpp}" != "$block" ]; then
            compilers='g++ clang++' flags="-std=c++17 $HM_WARNINGS"
        fi
        for compiler in $compilers; do
            command -v "$compiler" >/dev/null || continue
            # shellcheck disable=SC2086 # The flags are a list.
            "$compiler" $flags -Werror -O1 -S -o - -I "$source/include" \
                -I "$source/docs/examples" "$block" >/dev/null
            compiled=$((compiled + 1))
        done
    done
    rm -r "$work/page"
done
echo "$blocks blocks, compiled $compiled times"
! [ "$blocks" -eq 0 ] || fail "no \`\`\`c block was found"
[ "$compiled" -ne 0 ] || skip "needs gcc or clang"

if command -v doxygen >/dev/null && command -v python3 >/dev/null; then
    sh "$source/docs/reference/make.sh" "$source" "$work/reference"
fi
