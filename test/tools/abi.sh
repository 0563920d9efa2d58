#!/bin/sh
# SPDX-License-Identifier: MIT
# abi.sh SOURCE compare [REPORT]: compares the binary interface of the shared library with that of the
# last release: which functions it exports, and the types that public headers define. test/abi/ has the
# dump of the last release, VERSION.abi, and breaks.abignore: what a program would notice that was
# linked with that release. Fails for a break that is not in this list, for an entry that matches
# none, and for one without a reason or whose words are not in the changelog. What abidiff says about
# all of them is written to REPORT.
# abi.sh SOURCE dump: for the next release: replaces the dump by that of this tree, and empties the
# list.
# shellcheck source=test/tools/check.sh
. "$1/test/tools/check.sh"
verb=$2 report=${3-/dev/null}
needs gcc abidw abidiff
[ "$(uname -m)" = x86_64 ] || skip "the dump is of x86-64"
cd "$source"

# As one unit, since libabigail 2.2 does not see all functions of several. Without a soname, so that a
# change of that does not count as a break: it is the answer to one.
sed 's|.*|#include "src/&"|' src/sources.txt | gcc -std=gnu11 -D_GNU_SOURCE -O0 -g -w -fPIC \
    -shared -fvisibility=hidden -I. -Iinclude -x c - -pthread -o "$work/libhandle_map.so"
abidw --headers-dir include --drop-private-types --no-show-locs --no-corpus-path \
    --no-comp-dir-path --no-parameter-names --out-file "$work/new.abi" "$work/libhandle_map.so"
symbols=$(grep -c '<elf-symbol ' "$work/new.abi")
functions=$(grep -o "elf-symbol-id='[^']*'" "$work/new.abi" | sort -u | wc -l)
[ "$symbols" -eq "$functions" ] ||
    fail "abidw sees $symbols symbols, but the types of $functions functions"

version=$(sed -n 's/^#define HM_VERSION_[A-Z]* \([0-9][0-9]*\)$/\1/p' include/handle_map/base.h |
    paste -s -d . -)
if [ "$verb" = dump ]; then
    rm -f test/abi/*.abi
    cp "$work/new.abi" "test/abi/$version.abi"
    sed -i '/^$/,$d' test/abi/breaks.abignore # all but its first comment
    echo "test/abi/$version.abi is the dump of the last release from here on"
    exit
fi

old=$(echo test/abi/*.abi)
release=$(basename "$old" .abi)
[ -f "$old" ] || fail "test/abi has to have the dump of one release, but has: $old"

# differs SUPPRESSIONS OUTPUT OPTION...: whether something differs that is not suppressed.
differs() {
    suppressions=$1 output=$2
    shift 2
    code=0
    abidiff --no-default-suppression --suppressions "$suppressions" --leaf-changes-only \
        --no-show-locs "$@" "$old" "$work/new.abi" >"$output" 2>&1 || code=$?
    # Bit 0 is an error, bit 1 a wrong option, bit 2 a difference.
    [ $((code & 3)) -eq 0 ] || fail "$(cat "$output")"
    [ $code -ne 0 ]
}

# An entry is a paragraph: its reason in comments, then what is suppressed.
mkdir "$work/entries"
awk -v DIRECTORY="$work/entries" 'BEGIN { RS = "" } /(^|\n)\[/ {
    file = sprintf("%s/%03d", DIRECTORY, ++entries)
    print > file
}' test/abi/breaks.abignore
changelog=$(tr -s ' \n' ' ' <docs/changelog.md)
: >"$work/none"
differs "$work/none" "$report" || true

echo "breaks since $release:"
for entry in "$work"/entries/*; do
    [ -f "$entry" ] || continue
    what=$(sed -n 's/^ *name\(_regexp\)\{0,1\} *= *//p' "$entry")
    reason=$(sed -n '/^# changelog: /d; s/^# *//p' "$entry")
    words=$(sed -n 's/^# changelog: //p' "$entry")
    echo "- $what: $(echo "$reason" | paste -s -d ' ' -)"
    if [ -z "$reason" ] || [ -z "$words" ]; then
        complain "  this has no reason, or no words of the changelog"
        continue
    fi
    case $changelog in
    *"$words"*) ;;
    *) complain "  docs/changelog.md does not say '$words'" ;;
    esac
    for other in "$work"/entries/*; do
        [ "$other" = "$entry" ] || cat "$other"
        echo
    done >"$work/without"
    differs "$work/without" "$work/log" --no-added-syms || complain "  this suppresses nothing"
done

differs "$work/none" "$work/log" || true
grep '^Removed/Changed/Added functions summary\|^Changed leaf types summary' "$work/log" || true
if differs test/abi/breaks.abignore "$work/log" --no-added-syms; then
    cat "$work/log" >&2
    complain "a program that was linked with $release would notice this; if it has to be, say why in" \
        "test/abi/breaks.abignore, and what changes in docs/changelog.md"
fi
! $failed
