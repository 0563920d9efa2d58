#!/bin/sh
# SPDX-License-Identifier: MIT
# guide.sh SOURCE: what docs/guide.md tells a reader to do works. In a copy of the sources it saves
# each ```c and ```cpp block that follows "Save this as `NAME`:", runs each ```sh block, and compares what that
# prints with the ```text block behind it, if there is one.
# shellcheck source=test/tools/check.sh
. "$1/test/tools/check.sh"
needs meson cc c++
mkdir "$work/copy" "$work/steps"
# What is in the repository, without what was built.
tar -C "$source" --exclude=./build --exclude=./.git -cf - . | tar -C "$work/copy" -xf -

# Writes the blocks in their order: N.sh, the text that it prints as N.text, and files as N.save,
# whose first line is the name.
awk -v DIRECTORY="$work/steps" '
    /^```/ && output != "" { close(output); output = ""; next }
    /^```sh$/ { output = sprintf("%s/%03d.sh", DIRECTORY, ++steps); next }
    /^```text$/ {
        output = sprintf("%s/%03d.text", DIRECTORY, steps)
        printf "" > output
        next
    }
    /^```c(pp)?$/ {
        output = name == "" ? "/dev/null" : sprintf("%s/%03d.save", DIRECTORY, ++steps)
        if (name != "")
            print name > output
        name = ""
        next
    }
    output != "" { print > output }
    match($0, /Save this as `[a-z_]*\.c(pp)?`:$/) {
        name = substr($0, RSTART + 14, RLENGTH - 16)
    }' "$source/docs/guide.md"

cd "$work/copy"
saved=0 ran=0 compared=0
for step in "$work"/steps/*.save "$work"/steps/*.sh; do
    echo "$step"
done | sort >"$work/order"
while read -r step; do
    case $step in
    *.save)
        tail -n +2 "$step" >"$(head -n 1 "$step")"
        saved=$((saved + 1))
        ;;
    *)
        sh -eu "$step" >"$work/output" 2>"$work/errors" </dev/null || {
            cat "$step" "$work/output" "$work/errors" >&2
            exit 1
        }
        ran=$((ran + 1))
        if [ -e "${step%.sh}.text" ]; then
            diff "${step%.sh}.text" "$work/output" || exit 1
            compared=$((compared + 1))
        fi
        ;;
    esac
done <"$work/order"
echo "$saved programs saved, $ran commands run, $compared outputs compared"
[ "$saved" -gt 0 ] && [ "$compared" -gt 0 ]
