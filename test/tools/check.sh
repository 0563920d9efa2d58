# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What the checks share, which begin with `. "$1/test/tools/check.sh"`: they end at the first command
# that fails, $source is the root of the sources, and $work a directory that is removed at the end.
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tested=false
failed=false

fail() {
    echo "$*" >&2
    exit 1
}

# complain MESSAGE: the check goes on, and ends with `! $failed`.
complain() {
    echo "$*" >&2
    failed=true
}

# skip WHY: the check says nothing here.
skip() {
    echo "skipped: $*" >&2
    exit 77
}

# needs TOOL...: each of them.
needs() {
    for tool; do
        command -v "$tool" >/dev/null || skip "needs $tool"
    done
}

# quietly COMMAND...: prints what the command prints only if it fails.
quietly() {
    "$@" >"$work/log" 2>&1 || {
        cat "$work/log" >&2
        fail "this fails: $*"
    }
}

# write_first_program: README's first program in C, as $work/first.c.
write_first_program() {
    mkdir "$work/blocks"
    awk -v DIRECTORY="$work/blocks" -f "$source/test/tools/extract_c_blocks.awk" \
        "$source/README.md"
    mv "$work/blocks/1.c" "$work/first.c"
    rm -r "$work/blocks"
}

# write_cmake_project DIRECTORY LINE: a project of `program.c`, which gets the library by this line.
write_cmake_project() {
    cat >"$1/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.16)
project(program LANGUAGES C)
$2
add_executable(program program.c)
target_link_libraries(program PRIVATE handle_map::handle_map)
set_target_properties(program PROPERTIES C_STANDARD 11)
END
}
