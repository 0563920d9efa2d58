#!/bin/sh
# SPDX-License-Identifier: MIT
# typed.sh SOURCE: every public function of a container has a row in the tests of all containers, a typed
# form, and one in C++. Each function that the header declares must be called in typed form by
# test/typed/typed_test.c, of a world by test/world/typed_test.c; these and the others in test/typed compile
# as C11 and as C++17 without a warning, with every installed compiler.
# And each must be called by the class of the container, or be listed below with the reason why it is not.
# HM_WARNINGS, HM_C_WARNINGS: the compilers' warning flags.
# shellcheck source=test/tools/check.sh
. "$1/test/tools/check.sh"
program=$source/test/typed/typed_test.c
contracts=$source/test/typed/contract_test.c
layouts=$source/test/typed/layout_test.c
components=$source/test/world/typed_test.c
rows=$source/test/support/kinds.h

needs nm
compiler=$(command -v gcc || command -v clang) || skip "needs gcc or clang"
# Without optimisation a compiler keeps just those of the inline functions that a program calls.
called=$(for file in "$program" "$components"; do
    "$compiler" -std=c11 -O0 -c -o "$work/object" -I "$source/include" -I "$source/test" "$file"
    nm "$work/object" | sed 's/.* _*//'
done)

for kind in index lists map pool secondary table; do
    # A declaration or definition begins at the start of a line.
    names=$(sed -n "s/^[A-Za-z].*[ *]hm_${kind}_\([a-z_]*\)(.*/\1/p" \
        "$source/include/handle_map/$kind.h" | grep -v '_sized$' | sort -u)
    for name in $names; do
        # matrix/contract_test.c tests each row.
        # A call of live_at with no item is a broken contract, which nothing checks: null_test.c has it.
        # A promise is allowed in a callback: matrix/promise_test.c has it.
        [ "$name" = init ] || [ "$name" = live_at ] || [ "$name" = promise ] || grep -qE "R\((kind|$kind), $name," "$rows" ||
            complain "hm_${kind}_$name has no row in test/support/kinds.h"
        case $kind.$name in
        # What concerns one column has its name.
        table.column) typed=body_x ;;
        table.handle_of) typed=body_x_of ;;
        table.cell | table.get | table.get_n | table.group | table.lower_bound | table.upper_bound) typed=body_x_$name ;;
        *) typed=body_${kind}_$name ;;
        esac
        echo "$called" | grep -qx "$typed" ||
            complain "hm_${kind}_$name has no typed form that a typed_test.c calls"
        case $kind.$name in
        map.meta_at) continue ;;    # hm::map has no user meta: an hm::secondary keeps more data
        pool.insert) continue ;;    # items are made in place, by hm_pool_emplace_sized
        pool.next_word) continue ;; # for_each_run finds what is adjacent
        table.emplace | table.emplace_zeroed) continue ;; # insert takes all cells
        *.emplace_zeroed) continue ;; # emplace() makes an item of zeros, as T{} is
        esac
        grep -q "hm_${kind}_$name\(_sized\)\{0,1\}(" "$source/include/handle_map/$kind.hpp" ||
            # A base calls the function of any container by its verb.
            grep -qE "(call|functions<C>)::$name(_sized)?\(" "$source/include/handle_map/container.hpp" \
                "$source/include/handle_map/detail/container.hpp" ||
                    complain "hm_${kind}_$name has no form in $kind.hpp"
    done
    echo "hm_$kind: $(echo "$names" | wc -w) functions"
done

# Of worlds and commands, the functions that take one component have a typed form.
for kind in world commands; do
    names=$(tr '\n' ' ' <"$source/include/handle_map/$kind.h" | tr ';{' '[\n*]' |
        sed -n "s/.*[ *]hm_${kind}_\([a-z_]*\)([^()]*hm_component component[,)].*/\1/p" | sort -u)
    [ $kind = world ] && prefix=place_ || prefix=place_${kind}_
    for name in $names; do
        echo "$called" | grep -qx "$prefix$name" ||
            complain "hm_${kind}_$name has no typed form that test/world/typed_test.c calls"
    done
    echo "hm_$kind: $(echo "$names" | wc -w) functions of a component"
done

# The classes for C++ call each function, unless it is listed here with a reason.
set -- "$source/include/handle_map/world.hpp" "$source/include/handle_map/query.hpp" \
    "$source/include/handle_map/container.hpp" "$source/include/handle_map/detail/container.hpp" \
    "$source/include/handle_map/commands.hpp" "$source/include/handle_map/detail/world.hpp"
for kind in world query commands; do
    names=$(sed -n "s/^[A-Za-z].*[ *]hm_${kind}_\([a-z_]*\)(.*/\1/p" \
        "$source/include/handle_map/$kind.h" | sort -u)
    for name in $names; do
        case $kind.$name in
        world.create) continue ;;    # hm_world_create_with writes the values too
        commands.create) continue ;; # and so does hm_commands_create_with
        commands.change) continue ;; # commands of an entity are joined: adds and removes are one move
        esac
        cat "$@" | grep -qE "(hm_${kind}_|call::|functions<C>::)${name}[(>]" ||
            complain "hm_${kind}_$name has no form in C++"
    done
    echo "hm_$kind: $(echo "$names" | wc -w) functions in C++"
done
names=$(sed -n 's/^[A-Za-z].*[ *]hm_history_\([a-z_]*\)(.*/\1/p' "$source/include/handle_map/history.h")
for name in $names; do
    grep -q "hm_history_$name(" "$source/include/handle_map/history.hpp" ||
        complain "hm_history_$name has no form in C++"
done
echo "hm_history: $(echo "$names" | wc -w) functions in C++"
if $failed; then
    exit 1
fi

for compiler in gcc clang; do
    command -v "$compiler" >/dev/null || continue
    echo "$compiler -std=c11"
    # shellcheck disable=SC2086 # The warnings are a list.
    for file in "$program" "$contracts" "$layouts" "$components"; do
        "$compiler" -std=c11 $HM_C_WARNINGS -Wdeclaration-after-statement -Werror \
            -fsyntax-only -I "$source/include" -I "$source/test" "$file"
    done
done
for compiler in g++ clang++; do
    command -v "$compiler" >/dev/null || continue
    echo "$compiler -std=c++17"
    # shellcheck disable=SC2086 # The warnings are a list.
    for file in "$program" "$contracts" "$layouts" "$components"; do
        "$compiler" -x c++ -std=c++17 $HM_WARNINGS -Wold-style-cast -Werror -fsyntax-only \
            -I "$source/include" -I "$source/test" "$file"
    done
done
