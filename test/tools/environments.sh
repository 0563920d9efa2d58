#!/bin/sh
# SPDX-License-Identifier: MIT
# environments.sh SOURCE BUILD [NAME...]: builds the plain test program for one environment after
# another and runs it there, and runs what `./run test` leaves out because it is slow: all of these, or
# those named. A table at the end says what ran, and what was left out where. BUILD/release, BUILD/asan
# and BUILD/windows are configured Meson builds; the last also provides the list of sources.
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
    if target["name"] in ("handle_map", "test_support", "handle_map_test_plain"):
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
one_library=$directory/one/handle_map.c
one_sources="$one_library $(echo "$sources" | grep -v "^$root/src/")"
one_include="-I$directory/one -I$directory/one/include -DHM_TEST_ONE_FILE"

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
    '  ' | *" $1 "*) ;;
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

# plain SCALE COMPILER RUNNER [-TEST...]: runs the plain program under a runner, empty for none;
# long loops run 1/SCALE of their rounds. A program is built once for each compiler.
# shellcheck disable=SC2086 # The flags and the sources are lists.
plain() {
    HM_TEST_SCALE=$1 compiler=$2 runner=$3
    shift 3
    program=$directory/$(echo "$compiler" | tr -c 'a-zA-Z0-9\n' _)
    # Two environments of one compiler may get here together; a move is atomic.
    [ -x "$program" ] || {
        $compiler -std=c11 $warnings ${include:--Iinclude} -Itest -Idocs/examples $sources -lm \
            -pthread -o "$program.$name" && mv "$program.$name" "$program"
    } || return 1
    $runner "$program" "$@"
}

# As plain, with the library as one file. No other environment may use the same compiler.
one() {
    sources=$one_sources include=$one_include
    plain "$@"
}

# Through Meson, since the library's own build differs on Windows.
windows() {
    HM_TEST_SCALE=$1
    meson compile -C "$build/windows" &&
        meson test -C "$build/windows" --no-rebuild --verbose
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

# wasm SCALE: runs README's first program and the plain program, with the library as one file, as
# WebAssembly under node. The
# stack comes first in memory, so that an overflow ends the program instead of overwriting data.
# shellcheck disable=SC2086 # The flags and the sources are lists.
wasm() {
    HM_TEST_SCALE=$1
    blocks=$directory/wasm_blocks
    mkdir -p "$blocks" &&
        awk -v DIRECTORY="$blocks" -f test/tools/extract_c_blocks.awk README.md || return 1
    compile="clang-19 --target=wasm32-wasi -std=c11 -O2 $warnings $one_include
        -Wl,-z,stack-size=1048576 -Wl,--stack-first"
    run='node --no-warnings test/tools/wasm.mjs'

    $compile "$blocks/1.c" $one_library -o "$blocks/1.wasm" || return 1
    $run "$blocks/1.wasm" >"$blocks/output" || return 1
    printf '%s\n' 'grass is 512 wide' 'brick: HM_HANDLE_STALE' 'item 0: 512 wide' |
        diff - "$blocks/output" || return 1

    $compile -D_WASI_EMULATED_PROCESS_CLOCKS -Itest -Idocs/examples $one_sources \
        -lwasi-emulated-process-clocks -o "$directory/wasm" || return 1
    $run "$directory/wasm"
}

# portable SCALE: tests the library, as one file, as a compiler without GNU extensions sees it. It uses
# clang because glibc's headers define types for an unknown compiler that gcc has already. The tests
# need one of the extensions, __attribute__((constructor)), to register themselves.
# shellcheck disable=SC2046,SC2086 # The flags and the sources are lists.
portable() {
    HM_TEST_SCALE=$1
    compile="clang -std=c11 -O2 $warnings -DHM_PORTABLE $one_include"
    # clang has its built-ins even without __GNUC__, so a use of one is made to fail.
    missing='-D__builtin_ctzll=missing -D__builtin_clzll=missing -D__builtin_clz=missing
        -D__builtin_prefetch=missing -D__builtin_assume=missing -D__builtin_unreachable=missing'
    $compile $missing -U__GNUC__ -U__clang__ -c $one_library -o "$directory/portable.o" &&
        $compile -Itest -Idocs/examples $(echo "$sources" | grep -v "^$root/src/") \
            "$directory/portable.o" -lm -pthread -o "$directory/portable" || return 1
    "$directory/portable"
}

aarch64='aarch64-linux-gnu-gcc -O2 -static'
valgrind='valgrind -q --error-exitcode=99'

# valgrind takes a size above half the address space for negative, and seconds for 4 GiB of shadow.
environment valgrind 'valgrind, memcheck' plain 100 'gcc -O1 -g' "$valgrind" \
    -memory.an_absurd_size_is_refused -map_lessons.byte_offsets_pass_4_gib
environment asan 'ASan: whole loops, exhaustive, benchmarks' built asan --suite benchmarks \
    --suite unit --suite examples --suite exhaustive
environment aarch64-4k 'AArch64 under qemu, 4 KiB pages' plain 20 "$aarch64" \
    'qemu-aarch64-static -p 4096'
environment windows 'Windows under wine' windows 10
environment tsan 'clang, thread sanitizer' plain 10 'clang -O1 -g -fsanitize=thread' ''
environment wasm 'WebAssembly under node, one file' wasm 1
environment s390x 's390x (big-endian) under qemu' plain 20 's390x-linux-gnu-gcc -O2 -static' \
    qemu-s390x-static
environment msan 'clang, memory sanitizer' plain 10 \
    'clang -O1 -g -fsanitize=memory -fno-sanitize-recover=all' ''
environment windows-one 'Windows under wine, one file' one 10 \
    'x86_64-w64-mingw32-gcc -O2 -static' /usr/lib/wine/wine64
environment aarch64-16k 'AArch64 under qemu, 16 KiB pages' plain 20 "$aarch64" \
    'qemu-aarch64-static -p 16384'
# The table of the excluded test grows with the page size, and its rounds cannot be reduced.
environment aarch64-64k 'AArch64 under qemu, 64 KiB pages' plain 20 "$aarch64" \
    'qemu-aarch64-static -p 65536' -id_table.random_operations_reach_trims
environment x86-ubsan '32-bit x86, gcc, UBSan' plain 10 \
    'gcc -m32 -O1 -g -fsanitize=undefined -fno-sanitize-recover=all' ''
environment gcc-O0 'gcc -O0, one file' one 1 'gcc -O0' ''
environment clang-O3 'clang -O3, one file' one 1 'clang -O3' ''
environment x86 '32-bit x86' plain 1 'gcc -m32 -O2' ''
environment portable 'clang without GNU extensions, one file' portable 1
environment musl 'musl, static' plain 1 'musl-gcc -O2 -static' ''
environment system-fault 'system calls refused, limits of addresses' \
    sh test/tools/system_fault.sh "$directory"
environment amalgamate 'the library as one file, five compilers' checked amalgamate
environment consumers 'programs with other compilers and flags' checked consumers
environment cmake 'three ways with CMake' checked cmake
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
