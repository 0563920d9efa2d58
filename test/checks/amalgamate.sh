#!/bin/sh
# SPDX-License-Identifier: MIT
# amalgamate.sh SOURCE PROGRAM: the library as three files: the same from run to run and from any
# working directory, compiled without a warning by every installed compiler; and README's first
# program, in C, and a program in C++ run with them. So no two names of the library clash, static ones
# included. And parts of it: whole in themselves, not longer than is said below, and PROGRAM runs with
# each, as C and as C++.
# HM_WARNINGS, HM_C_WARNINGS: the compilers' warning flags.
# shellcheck source=test/tools/check.sh
. "$1/test/tools/check.sh"
program=$2

cd "$work"
python3 -B "$source/tools/amalgamate.py" one
mkdir elsewhere
(cd elsewhere && python3 -B "$source/tools/amalgamate.py" "$work/other/deep")
diff -r one other/deep
ln -s "$source/tools/amalgamate.py" script
python3 -B script 'with spaces/and a link'
diff -r one 'with spaces/and a link'

# What it cannot do is told in a sentence; what it can, without an error.
touch file
! python3 -B script file 2>output || fail "it writes into a file"
if [ "$(wc -l <output)" -ne 1 ] || ! grep -q "file" output; then
    fail "it should say in one line that 'file' is no directory, but says: $(cat output)"
fi
python3 -B script --help | grep -q 'amalgamate.py .*DIR'

write_first_program
sed 's|<handle_map/handle_map.h>|"handle_map.h"|' first.c >program.c
cat >program.cpp <<'END'
#include "handle_map.hpp"

struct sprite {
    float depth;
};

int main()
{
    hm::map<sprite> sprites(100);
    const hm::handle<sprite> hero = sprites.emplace(1.5f);
    return sprites.get(hero)->depth == 1.5f && sprites.erase(hero) && !sprites.get(hero) ? 0 : 1;
}
END

for compiler in gcc clang 'clang -U__GNUC__ -U__clang__ -DHM_PORTABLE' x86_64-w64-mingw32-gcc; do
    command -v "${compiler%% *}" >/dev/null || continue
    tested=true
    echo "$compiler"
    # shellcheck disable=SC2086 # The warnings and the compiler are lists.
    $compiler -std=c11 $HM_C_WARNINGS -Werror -O1 -c one/handle_map.c -o library.o
    case $compiler in
    gcc | clang)
        # shellcheck disable=SC2086 # The warnings are a list.
        $compiler -std=c11 $HM_C_WARNINGS -Werror -Ione program.c library.o -pthread -o program
        ./program
        for standard in c++17 c++20; do
            for option in '' '-fno-exceptions -fno-rtti'; do
                # shellcheck disable=SC2086 # The warnings and options are lists.
                "$(echo "$compiler" | sed 's/gcc/g++/; s/clang/clang++/')" -std=$standard \
                    $HM_WARNINGS -Werror $option -Ione program.cpp library.o -pthread -o program
                ./program
            done
        done
        ;;
    x86_64*)
        [ -n "${WINEPREFIX-}" ] || continue # set where wine is ready
        $compiler -std=c11 -Ione program.c library.o -o program.exe
        /usr/lib/wine/wine64 program.exe
        ;;
    esac
done
$tested || skip "needs gcc or clang"

# The one header: behind other includes, with a prefix in two sources of a program, static in one.
# refuses TEXT OPTION...: the compiler ends with an error that has the text.
refuses() {
    text=$1
    shift
    ! "$@" -Ione/header -fsyntax-only >output 2>&1 || fail "this compiles: $*"
    grep -q "error.*$text" output || fail "no error says '$text': $(cat output)"
}

python3 -B "$source/tools/amalgamate.py" --one one/header
sed '1i #include <stdio.h>\n#define HANDLE_MAP_IMPLEMENTATION' program.c >implemented.c
for name in ours theirs; do
    cat >$name.c <<END
#include <stdlib.h>
#define HANDLE_MAP_PREFIX ${name}_
#define HANDLE_MAP_IMPLEMENTATION
#include "handle_map.h"
HM_MAP_DEFINE($name, int, 1)
bool use_$name(void);
bool use_$name(void)
{
    ${name}_map items;
    bool is_used = ${name}_map_init(&items, 9) == HM_OK && hm_map_reserve(&items.map, 9) == HM_OK;
    ${name}_map_fini(&items);
    return is_used;
}
END
done
cat >both.cpp <<'END'
#define HANDLE_MAP_PREFIX ours_
#include "handle_map.hpp"
#include "handle_map.h"

extern "C" bool use_ours(void);
extern "C" bool use_theirs(void);

int main()
{
    ours_hm::map<int> items(100);
    return items.get(items.insert(7)) && use_ours() && use_theirs() ? 0 : 1;
}
END
echo 'static int unused; int use(void) { return hm_version()[0] + unused; }' | sed '1i \
#define HANDLE_MAP_STATIC\n#include "handle_map.h"\nint use(void);' >alone.c
cat >two.c <<'END'
#ifndef NONE
#define HANDLE_MAP_PREFIX a_
#include "handle_map.h"
#undef HANDLE_MAP_PREFIX
#else
#include "handle_map.h"
#endif
#ifndef THEN_NONE
#define HANDLE_MAP_PREFIX b_
#endif
#include "handle_map.h"
END
mkdir older
sed 's/HM_COPY_[0-9]*_/HM_COPY_9_/' one/header/handle_map.h >older/old.h
printf '#include "handle_map.h"\n#include "older/old.h"\n' >versions.c
printf '#include "handle_map.h"\n#define HANDLE_MAP_STATIC\n#include "handle_map.h"\n' >late.c
python3 -B "$source/tools/amalgamate.py" --one one/part map pool
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    echo "$compiler, one header"
    # shellcheck disable=SC2086 # The warnings are a list.
    for name in implemented ours theirs alone; do
        $compiler -std=c11 $HM_C_WARNINGS -Werror -Ione/header -c $name.c
    done
    # shellcheck disable=SC2086 # The warnings are a list.
    for option in -Ione/part '-DHM_FREESTANDING -Ione/header'; do
        $compiler -std=c11 $HM_C_WARNINGS -Werror $option -c ours.c
    done
    # shellcheck disable=SC2086 # The warnings are a list.
    $compiler -std=c11 $HM_C_WARNINGS -Werror -Ione/header -c ours.c
    $compiler implemented.o -pthread -o program
    ./program
    # shellcheck disable=SC2086 # The warnings are a list.
    "$(echo $compiler | sed 's/gcc/g++/; s/clang/clang++/')" -std=c++17 $HM_WARNINGS -Werror \
        -Ione/header both.cpp ours.o theirs.o -pthread -o program
    ./program
    nm ours.o | sed -n 's/.* [A-TV-Z] //p' | sort >defined
    ! grep -v '^ours_hm_\|^use_ours$' defined || fail "names without the prefix"
    [ "$(nm alone.o | sed -n 's/.* [A-TV-Z] //p')" = use ] || fail "names that are not static"
    refuses b_handle_map_is_here $compiler two.c
    refuses 'another prefix' $compiler -DNONE two.c
    refuses 'another prefix' $compiler -DTHEN_NONE two.c
    refuses 'another copy' $compiler versions.c
    refuses 'only once as static' $compiler late.c
    refuses 'compile its sources as C11' $compiler -x c++ implemented.c
done

# check_part LINES PART...: header and source together have at most so many lines, which keep out what
# the part does not need. The source calls and the header declares only what is in the source.
check_part() {
    most=$1
    shift
    uses=$(echo " $*" | tr '[:lower:]' '[:upper:]' | sed 's/ / -DHAS_/g')
    for compiler in gcc clang; do
        command -v $compiler >/dev/null || continue
        rm -rf part
        if [ $compiler = gcc ]; then
            python3 -B "$source/tools/amalgamate.py" --folders part "$@"
        else
            python3 -B "$source/tools/amalgamate.py" part/handle_map "$@"
            mv part/handle_map/handle_map.c part
        fi
        # shellcheck disable=SC2086 # The warnings and parts are lists.
        $compiler -std=c11 $HM_C_WARNINGS -Werror -Ipart -Ipart/handle_map -c part/handle_map.c \
            -o part.o
        # shellcheck disable=SC2086 # As above.
        $compiler -std=c11 $HM_C_WARNINGS -Werror $uses -Ipart "$program" part.o -pthread -o program
        ./program || fail "line $? of $program, with $compiler and $*"
        # shellcheck disable=SC2086 # As above.
        "$(echo $compiler | sed 's/gcc/g++/; s/clang/clang++/')" -std=c++17 $HM_WARNINGS -Werror \
            $uses -Ipart -x c++ "$program" -x none part.o -pthread -o program
        ./program || fail "line $? of $program, with $compiler as C++ and $*"
        nm part.o | sed -n 's/.* [TDBRVW] //p' | sort -u >defined
        nm -u part.o | sed 's/.* //' | grep '^hm_' >missing || true
        cat part/handle_map/*.h part/handle_map/*/*.h 2>/dev/null | tr -d '\n' | tr ';{}' '\n' |
            sed -n 's/^.*HM_API [^()]*[ *]\(hm_[a-z_0-9]*\)(.*/\1/p' | sort -u |
            comm -23 - defined >>missing
        [ ! -s missing ] || fail "$* has no $(tr '\n' ' ' <missing)"
    done
    cat part/handle_map/*.h | grep -q '^/\* handle: a 64-bit name' ||
        fail "$* does not say what a handle is: the comment at the head of a file is lost"
    lines=$(cat part/handle_map.c part/handle_map/*.h | wc -l)
    echo "$*: $lines lines"
    [ "$lines" -le "$most" ] || fail "$* has $lines lines, more than $most"
}

check_part 6600 map
check_part 10170 map order arena
check_part 6610 pool
check_part 9630 pool lists
check_part 7120 table
check_part 10440 index transpose
check_part 27130 report
check_part 35390 save
