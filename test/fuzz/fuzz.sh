#!/bin/sh
# SPDX-License-Identifier: MIT
# fuzz.sh SOURCE BUILD SECONDS [keep]: fuzzes maps, changed files, histories, hostile handles, lying
# orders, indices, lists, pools, secondaries, tables and worlds, for SECONDS in total; before, checks
# that the fuzzer finds planted bugs. With `keep`, new inputs are added to the seed corpora of the
# tree, minimised. Needs clang with libFuzzer, and python3.
set -eu
root=$(cd "$1" && pwd)
mkdir -p "$2"
build=$(cd "$2" && pwd)
seconds=$3
keep=${4:-}
targets='map file history hostile lying index lists pool secondary table world'
canary_seconds=120 # at most; on an idle machine each takes less than 10
limits='-max_len=1024 -len_control=0 -timeout=10 -rss_limit_mb=2048'
flags='-std=c11 -g -O2 -fno-omit-frame-pointer -fno-sanitize-recover=all'
flags="$flags -fsanitize=address,undefined"
# Without tracing compares it runs three times as fast, and gets further: arguments are small
# numbers, and handles are made from live ones.
fuzzer='-fsanitize=fuzzer -fno-sanitize-coverage=trace-cmp'
case $seconds in
'' | 0* | *[!0-9]*)
    echo "fuzz: say for how many seconds, as a number" >&2
    exit 2
    ;;
esac

# compile LIBRARY PROGRAM MAIN OPTION...: the library in that directory, the model and a main.
# shellcheck disable=SC2046,SC2086 # The flags and the sources are lists.
compile() {
    library=$1
    program=$2
    main=$3
    shift 3
    clang $flags -I"$library/include" -I"$root/test" "$@" \
        $(sed "s|^|$library/src/|" "$library/src/sources.txt") "$root/test/fuzz/fuzz.c" \
        "$root/test/fuzz/$main" \
        $(find "$root/test/support" "$root/test/save" -name '*.c' ! -name plain.c \
            ! -name '*_test.c') -pthread -o "$program"
}

# Prints the artifact of a finding in this directory, if there is one.
artifact() {
    find "$1" -type f -name '*-*' | head -n 1
}

# Starts without seeds, so that the fuzzer finds the bug and not a seed.
# shellcheck disable=SC2086 # The flags are lists.
check_canary() {
    canary=$build/canary/$1
    rm -rf "$canary"
    mkdir -p "$canary/corpus" "$canary/artifacts"
    python3 -B "$root/test/tools/planted.py" plant "$1" "$canary"
    compile "$canary" "$canary/fuzz" fuzz_main.c $fuzzer "-DFUZZ_TARGET=\"$1\""
    started=$(date +%s)
    "$canary/fuzz" $limits -max_len=256 -max_total_time=$canary_seconds -print_final_stats=1 \
        -artifact_prefix="$canary/artifacts/" "$canary/corpus" >"$canary/log" 2>&1 || true
    if [ -z "$(artifact "$canary/artifacts")" ]; then
        tail -n 20 "$canary/log" >&2
        echo "fuzz: the bug planted for $1 was not found in $canary_seconds seconds" >&2
        exit 1
    fi
    echo "canary $1: found after $(sed -n 's/^stat::number_of_executed_units: *//p' \
        "$canary/log") executions, $(($(date +%s) - started)) s"
}

# Prints what the fuzzer found, as a short script.
report_finding() {
    tail -n 40 "$build/$1.log" >&2
    compile "$root" "$build/replay" replay.c
    "$build/replay" "$1" "$2" || true
    echo "fuzz: $1 failed: $2" >&2
    exit 1
}

# shellcheck disable=SC2086 # The flags are lists.
fuzz_target() {
    corpus=$build/corpus/$1
    artifacts=$build/artifacts/$1
    rm -rf "$artifacts"
    mkdir -p "$corpus" "$artifacts"
    compile "$root" "$build/$1" fuzz_main.c $fuzzer "-DFUZZ_TARGET=\"$1\""
    failed=false
    "$build/$1" $limits -max_total_time=$share -artifact_prefix="$artifacts/" \
        "$corpus" "$root/test/fuzz/corpus/$1" >"$build/$1.log" 2>&1 || failed=true
    found=$(artifact "$artifacts")
    if $failed || [ -n "$found" ]; then
        report_finding "$1" "$found"
    fi
    # The last line of its status: "#123 DONE cov: 4 ft: 5 corp: 6/78b lim: 9 exec/s: 10 rss: 11Mb"
    awk -v target="$1" '
        $2 == "DONE" {
            for (i = 3; i < NF; i += 2)
                value[$i] = $(i + 1)
            sub("^#", "", $1)
            sub("/.*", "", value["corp:"])
            printf "%-9s %10d executions %7d/s %6d edges, corpus of %d\n", target, $1,
                value["exec/s:"], value["cov:"], value["corp:"]
            done = 1
        }
        END { exit !done }' "$build/$1.log"
}

# The smallest set of files that reaches every edge.
keep_corpus() {
    kept=$build/kept/$1
    rm -rf "$kept"
    mkdir -p "$kept"
    "$build/$1" -set_cover_merge=1 -use_counters=0 -timeout=10 "$kept" "$build/corpus/$1" \
        "$root/test/fuzz/corpus/$1" >"$build/$1.merge.log" 2>&1
    rm -rf "$root/test/fuzz/corpus/$1"
    mkdir -p "$root/test/fuzz/corpus"
    cp -r "$kept" "$root/test/fuzz/corpus/$1"
    echo "$1: kept $(find "$kept" -type f | wc -l) files"
}

for target in $targets; do
    check_canary "$target"
done
# shellcheck disable=SC2086 # A list.
set -- $targets
share=$(((seconds + $# - 1) / $#))
for target in $targets; do
    fuzz_target "$target"
    if [ "$keep" = keep ]; then
        keep_corpus "$target"
    fi
done
