#!/bin/sh
# SPDX-License-Identifier: MIT
# environments.sh SOURCE BUILD [NAME...] [-NAME...]: builds the plain test program for one environment
# after another and runs it there, and runs what `./run test` leaves out because it is slow: all of
# these, those named, or all but those with a `-`. A table at the end says what ran, and what was left
# out where. BUILD/release, BUILD/asan and BUILD/windows are configured Meson builds; the last also
# provides the list of sources.
# `./run test` covers gcc in release, and clang with ASan and UBSan.
set -u
root=$1 build=$2
shift 2
chosen=" $* "
directory=$build/environments
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Wstrict-prototypes -Wvla -Werror'
export HM_TEST_SCALE

rm -rf "$directory"
mkdir -p "$directory"
cd "$root" || exit 1
sources=$(meson introspect --targets "$build/windows" | python3 -c '
import json, sys
for target in json.load(sys.stdin):
    if target["name"] in ("test_support", "handle_map_test_plain"):
        for group in target["target_sources"]:
            print("\n".join(s for s in group["sources"] if s.endswith(".c")))' | sort -u)
[ -n "$sources" ] || exit 1
# The library as one file, in place of its sources and headers: each header that a test includes
# becomes one that includes the only header there is.
python3 -B tools/amalgamate.py "$directory/one" || exit 1
(cd include && find handle_map -name '*.h') | while read -r header; do
    mkdir -p "$directory/one/include/$(dirname "$header")"
    echo "#include \"$directory/one/handle_map.h\"" >"$directory/one/include/$header"
done
library=$directory/one/handle_map.c
flags="-std=c11 $warnings -I$directory/one -I$directory/one/include -DHM_TEST_ONE_FILE"
test_flags="$flags -Itest -Idocs/examples"

# A token for each processor: an environment takes one while it runs. They keep one busy each.
tokens=$directory/tokens
mkfifo "$tokens"
exec 3<>"$tokens"
nproc | xargs seq | tr -d 0-9 >&3

# environment NAME WHAT COMMAND...: runs the command, with its output in a log, and makes a row of the
# table. A command prints "N tests, ..." for what ran, "left out: ..." for what did not. The longest
# come first, so that none is left to run alone.
begun='' # names
environment() {
    case $chosen in
    *" -$1 "*) return ;;
    '  ' | *" $1 "* | ' -'*) ;;
    *) return ;;
    esac
    read -r _ <&3
    { try "$@" 3>&-; echo >&3; } &
    begun="$begun $1"
}

try() {
    name=$1 what=$2
    shift 2
    log=$directory/$name.log
    begin=$(date +%s)
    result=FAILED
    if "$@" >"$log" 2>&1 </dev/null; then
        result=passed
    fi
    seconds=$(($(date +%s) - begin))
    tests=$(awk '/^[0-9]+ tests, / { sum += $1 } END { print sum }' "$log")
    printf '%-14s %-40s %s after %s s\n' "$name" "$what" $result $seconds
    # Failures first, since the log of a test may end long after them.
    [ $result = passed ] ||
        { grep 'does not hold\|^FAILED\|ended with' "$log" | head -n 20; tail -n 40 "$log"; } |
        sed "s|^|$name: |"
    sed -n 's/^long loops run/left out: rounds of long loops, which run/p; /^left out: /p' "$log" |
        sort | uniq -c | sed "s/^ *\([0-9]*\) left out:/$name:/" >"$log.left_out"
    printf '%-14s | %-40s | %6s | %-6s | %7s\n' "$name" "$what" "${tests:-none}" $result \
        $seconds >"$log.row"
}

# plain SCALE COMPILER RUNNER [TEST...] [-TEST...]: runs the plain program under a runner, empty for
# none; long loops run 1/SCALE of their rounds. A program is built once for each compiler. The limit
# only ends a hang.
# shellcheck disable=SC2086 # The flags are lists.
plain() {
    HM_TEST_SCALE=$1 compiler=$2 runner=$3
    shift 3
    program=$directory/$(echo "$compiler" | tr -c 'a-zA-Z0-9\n' _)
    # Two environments of one compiler may get here together; a move is atomic.
    [ -x "$program" ] || {
        compile "$compiler" "$compiler" "$program.$name" && mv "$program.$name" "$program"
    } || return 1
    timeout 2400 $runner "$program" "$@"
}

# compile COMPILER LIBRARY_COMPILER PROGRAM: the tests are 160 files, whose own speed is worth little:
# they get -O0, which halves the time to compile them, or -O1 where the program runs slowly, which
# halves the time that it takes. Only the library has names for a debugger.
# shellcheck disable=SC2086 # The flags and the sources are lists.
compile() {
    case $1 in
    *linux-gnu-gcc* | *=memory* | 'gcc -O1 -g') optimization=-O1 ;;
    *) optimization=-O0 ;;
    esac
    $2 $flags -c "$library" -o "$3.o" &&
        $(echo "$1" | sed "s/-O[123]/$optimization/; s/ -g / /") $test_flags $sources "$3.o" \
            $libraries -o "$3"
}
libraries='-lm -pthread'

# Through Meson, since the library's own build differs on Windows.
windows() {
    HM_TEST_SCALE=$1
    meson test -C "$build/windows" --no-suite exhaustive --verbose
}

# built BUILD OPTION...: tests of a configured Meson build.
built() {
    directory=$build/$1
    shift
    meson test -C "$directory" --logbase "$name" --verbose "$@" || return 1
    sed -n 's/^.*skipped: /left out: /p' "$directory/meson-logs/$name.txt"
}

# checked NAME: a slow check, which compiles by itself what it needs.
checked() {
    built release --no-rebuild "$1"
}

# debuggers: the programs that they look at are linked with the library that Meson builds.
debuggers() {
    meson compile -C "$build/release" handle_map:static_library && checked gdb
}

# wasm SCALE: runs README's first program and the plain program, with the library as one file, as
# WebAssembly under node. The
# stack comes first in memory, so that an overflow ends the program instead of overwriting data.
# shellcheck disable=SC2086 # The flags and the sources are lists.
wasm() {
    HM_TEST_SCALE=$1
    blocks=$directory/wasm_blocks
    mkdir -p "$blocks" &&
        awk -v DIRECTORY="$blocks" -f test/tools/extract_c_blocks.awk README.md || return 1
    compiler='clang-19 --target=wasm32-wasi -O2 -D_WASI_EMULATED_PROCESS_CLOCKS'
    libraries='-Wl,-z,stack-size=1048576 -Wl,--stack-first -lwasi-emulated-process-clocks'
    run='node --no-warnings test/tools/wasm.mjs'

    $compiler $flags $libraries "$blocks/1.c" "$library" -o "$blocks/1.wasm" || return 1
    $run "$blocks/1.wasm" >"$blocks/output" || return 1
    printf '%s\n' 'grass is 512 wide' 'brick: HM_HANDLE_STALE' 'item 0: 512 wide' |
        diff - "$blocks/output" || return 1

    compile "$compiler" "$compiler" "$directory/wasm" || return 1
    # Where a system discards pages, memory is cleared here: the rounds of that test take 30 s.
    $run "$directory/wasm" -id_table.random_operations_reach_trims
}

# portable SCALE: tests the library as a compiler without GNU extensions sees it. It uses clang
# because glibc's headers define types for an unknown compiler that gcc has already. The tests need
# one of the extensions, __attribute__((constructor)), to register themselves.
portable() {
    HM_TEST_SCALE=$1
    # clang has its built-ins even without __GNUC__, so a use of one is made to fail.
    missing='-D__builtin_ctzll=missing -D__builtin_clzll=missing -D__builtin_clz=missing
        -D__builtin_prefetch=missing -D__builtin_assume=missing -D__builtin_unreachable=missing'
    compiler='clang -O1 -DHM_PORTABLE'
    compile "$compiler" "$compiler $missing -U__GNUC__ -U__clang__" "$directory/portable" &&
        "$directory/portable"
}

# x86: runs the plain program of a 32-bit compiler under qemu where the kernel runs no such program.
# There pthread_join fails in a process whose handler of SIGSEGV has returned.
x86() {
    compiler='gcc -m32 -O2 -g -fsanitize=undefined -fno-sanitize-recover=all'
    echo 'int main(void) { return 0; }' | gcc -m32 -x c - -o "$directory/is_x86" || return 1
    if "$directory/is_x86" 2>/dev/null; then
        plain 50 "$compiler" ''
    else
        plain 100 "$compiler" qemu-i386-static -report.a_change_waits_for_the_inits_that_read_the_list
    fi
}

# threads: runs the suites that start threads. Only their files are compiled, so a file and a name are
# needed here for a new one.
threads() {
    files='/support/|threads|last_error|/report_test'
    sources=$(echo "$sources" | grep -E "$files")
    plain 1 'clang -O1 -g -fsanitize=thread' '' threads last_error. report.
}

# long_loops: what measures memory, or must end in a known number, runs whole; and as much of all else
# as fits in a few minutes.
# shellcheck disable=SC2046,SC2086 # The names are a list.
long_loops() {
    whole='footprint. memory. memory_arena order_limit. same. world_contract.'
    plain 1 'clang -O3' '' $whole &&
        plain 4 'clang -O3' '' $(echo " $whole" | sed 's/ / -/g')
}

# crossed: the random script over all containers together, again and again; the clock gives the seed.
crossed() {
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        plain 1 'clang -O3' '' cross. || return 1
    done
}

aarch64='aarch64-linux-gnu-gcc -O2 -static'
valgrind='valgrind -q --error-exitcode=99'

# Long loops run longest where that is fast: in the build with clang -O3.

# The memory sanitizer runs all tests, so valgrind runs those that reach most of the library with
# their own binary code: the models, files, and all containers together.
environment valgrind 'valgrind, memcheck: models and files' plain 100 'gcc -O1 -g' "$valgrind" \
    _model. save_kinds. cross. same.
environment asan 'ASan: benchmarks and examples' built asan --suite benchmarks --suite examples
environment exhaustive 'every state of small containers' built release --suite exhaustive
environment msan 'clang, memory sanitizer' plain 100 \
    'clang -O1 -g -fsanitize=memory -fno-sanitize-recover=all' ''
environment windows 'Windows under wine' windows 100
environment wasm 'WebAssembly under node' wasm 50
environment s390x 's390x (big-endian) under qemu' plain 100 's390x-linux-gnu-gcc -O2 -static' \
    qemu-s390x-static
# The memory of the excluded tests grows with the page size, and their rounds cannot be reduced.
environment aarch64-64k 'AArch64 under qemu, 64 KiB pages' plain 100 "$aarch64" \
    'qemu-aarch64-static -p 65536' -id_table.random_operations_reach_trims \
    -history.many_changes -history.a_mark_that_is_refused
# Between the page sizes of the others, so only what depends on them.
environment aarch64-16k 'AArch64 under qemu, 16 KiB pages' plain 100 "$aarch64" \
    'qemu-aarch64-static -p 16384' memory. memory_arena array. footprint. history. pool_ same. _fault.
environment clang-O3 'clang -O3, long loops' long_loops
environment cross 'all containers together, ten times' crossed
environment x86 '32-bit x86, gcc, UBSan' x86
environment gcc-O0 'gcc -O0' plain 50 'gcc -O0' ''
environment tsan 'threads, clang, thread sanitizer' threads
environment portable 'clang without GNU extensions' portable 50
environment musl 'musl, static' plain 50 'musl-gcc -O1 -static' ''
environment system-fault 'system calls refused, limits of addresses' \
    sh test/tools/system_fault.sh "$directory"
environment amalgamate 'the library as one file, five compilers' checked amalgamate
environment consumers 'programs with other compilers and flags' checked consumers
environment cmake 'three ways with CMake' checked cmake
environment debuggers 'gdb and lldb' debuggers
environment dist 'the archive of a release' checked dist
environment docs 'code blocks of the documents' checked docs
environment examples "the headers' examples" checked examples
environment freestanding 'without a C library' checked freestanding
environment guide 'the programs of the guide' checked guide
environment headers 'each header alone' checked headers
environment options 'what each option of Meson builds' checked options
environment poison 'a library without ASan' checked poison
environment refused 'what C++ must refuse to compile' checked refused
environment run 'the command lines of ./run' checked run
environment subproject 'Meson subproject' checked subproject
environment types 'typed handles do not mix' checked types

wait
[ -n "$begun" ] || {
    echo "no environment is called$chosen" >&2
    exit 1
}
echo
echo 'left out:'
for name in $begun; do
    cat "$directory/$name.log.left_out"
done
echo
printf '%-14s | %-40s | %6s | %-6s | %7s\n' environment what tests result seconds
failed=false
for name in $begun; do
    cat "$directory/$name.log.row"
    grep -q '| passed |' "$directory/$name.log.row" || failed=true
done
! $failed
