#!/bin/sh
# SPDX-License-Identifier: MIT
# examples.sh SOURCE PRELUDE: every example in a comment of a public header compiles as C11 without
# a warning, with every compiler that is here. (Most are not C++: they use designated initializers,
# compound literals and implicit conversions from void *.)
#
# An example follows a line that ends with "Example:" or "example:" and an empty line. Its lines are
# indented by four spaces more than text; the first that is not ends it. What belongs to file scope
# (static functions and variables, structs, macros, uses of the DEFINE macros) stays there; the rest becomes
# the body of a function. The prelude declares what they take for granted.
# HM_C_WARNINGS: the compilers' warning flags.
# shellcheck source=test/tools/check.sh
. "$1/test/tools/check.sh"
prelude=$2
examples=0
compiled=0
# These two have nothing to show: one collects the others, one is for other headers.
without_examples=' bits.h handle_map.h '

# extract HEADER: writes its examples to $work, numbered from $examples on, with #line, so that a
# compiler's messages point into the header. Prints how many there are.
extract() {
    awk -v FIRST="$examples" -v DIRECTORY="$work" '
        function fail(message) {
            print FILENAME ":" FNR ": " message > "/dev/stderr"
            failed = 1
            exit 1
        }
        function finish() {
            if (!is_inside)
                return
            output = DIRECTORY "/" FIRST + ++count ".c"
            printf "%s", at_file_scope > output
            printf "void example(void);\nvoid example(void)\n{\n%s}\n", body > output
            close(output)
            at_file_scope = body = ""
            is_inside = 0
        }
        # Takes one line of an example into the part that it belongs to.
        function take(code,   marked) {
            marked = "#line " FNR " \"" FILENAME "\"\n" code "\n"
            if (depth == 0 && !is_open)
                is_file_scope = code ~ /^static |^#define |^HM_[A-Z0-9_]*DEFINE|^struct [a-z_]* \{/
            if (is_file_scope)
                at_file_scope = at_file_scope marked
            else
                body = body marked
            depth += gsub(/\{/, "{", code) - gsub(/\}/, "}", code)
            is_open = depth > 0 || (is_file_scope && code !~ /[;})]$/) || code ~ /^static .*\)$/
        }
        is_expected == 1 && !/^ \*$/ { fail("an example follows an empty line") }
        is_expected == 1 { is_expected = 2; next }
        is_expected == 2 && !/^ \*     / { fail("an example is indented by four spaces more") }
        is_expected == 2 { is_expected = 0; is_inside = 1; depth = is_open = 0 }
        is_inside && /^ \*     / { take(substr($0, 8)); next }
        is_inside && !/^ \*$/ { finish() }
        /[Ee]xample:$/ { is_expected = 1 }
        END {
            if (!failed && is_expected)
                fail("the last example is missing")
            print count + 0
            exit failed
        }' "$1"
}

for header in "$source"/include/handle_map/*.h; do
    count=$(extract "$header")
    case $without_examples in
    *" $(basename "$header") "*) ;;
    *)
        ! [ "$count" -eq 0 ] || fail "$header has no example"
        ;;
    esac
    examples=$((examples + count))
done

for example in "$work"/*.c; do
    for compiler in gcc clang; do
        command -v "$compiler" >/dev/null || continue
        # shellcheck disable=SC2086 # The warnings are a list.
        "$compiler" -std=c11 $HM_C_WARNINGS -Wno-unused -Wno-unused-parameter \
            -Wno-shadow -Werror -O1 -S -o /dev/null -I "$source/include" -include "$prelude" \
            "$example"
        compiled=$((compiled + 1))
    done
done
echo "$examples examples, compiled $compiled times"
[ "$compiled" -ne 0 ] || skip "needs gcc or clang"
