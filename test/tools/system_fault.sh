#!/bin/sh
# SPDX-License-Identifier: MIT
# system_fault.sh DIRECTORY: runs a map while system calls fail. strace refuses each call of mmap,
# mprotect, madvise and munmap that a run makes, only that one or all from there on, in a run for
# each, with what the system's table keeps and without; then come runs under limits. Run at the root
# of the sources.
set -eu
directory=$1
program=$directory/system_fault
trace=$directory/system_fault.trace
lives=0 failed=0 refusals=0

# Static, so that few calls come before main.
# shellcheck disable=SC2046 # The sources are a list.
gcc -std=c11 -O1 -g -Wall -Wextra -Werror -static -Iinclude \
    $(sed 's|^|src/|' src/sources.txt) test/tools/system_fault.c -pthread -o "$program"

# calls SYSCALL VERB: prints how many a complete run makes.
calls() {
    # shellcheck disable=SC2086 # $keeps is one argument or none.
    strace -o "$trace" -e trace="$1" "$program" "$2" $keeps 2>/dev/null
    grep -c "^$1(" "$trace" || true
}

# live VERB INJECTION...: makes one run; every refusal must be seen if $silent is empty.
live() {
    verb=$1
    shift
    lives=$((lives + 1))
    # shellcheck disable=SC2086 # As above.
    if said=$(strace -o "$trace" "$@" "$program" "$verb" $keeps 2>&1) &&
        [ -n "$silent${said#0 refusals}" ]; then
        refusals=$((refusals + ${said%% *}))
    else
        failed=$((failed + 1))
        echo "FAILED $*: $said"
    fi
}

if strace -o "$trace" true 2>/dev/null; then
    for run in mmap mprotect madvise munmap mmap:nothing mprotect:nothing; do
        call=${run%:*}
        keeps=${run#"$call"}
        keeps=${keeps#:}
        # Release reports no failure, huge pages are only a hint, and what is kept may serve.
        case $run in
        *:nothing) silent= ;;
        *) silent=silent ;;
        esac
        first=$(($(calls "$call" start) + 1))
        last=$(calls "$call" once)
        [ "$last" -ge "$first" ]
        k=$first
        while [ "$k" -le "$last" ]; do
            live once -e "inject=$call:error=ENOMEM:when=$k"
            live on -e "inject=$call:error=ENOMEM:when=$k+"
            k=$((k + 1))
        done
        echo "$run: calls $first to $last refused"
    done
    echo "$lives runs with injected failures, $refusals refusals"
else
    echo 'left out: failing system calls: strace may not trace here'
fi

for keeps in '' nothing; do
    # shellcheck disable=SC2086 # As above.
    if "$program" limits $keeps; then
        lives=$((lives + 3))
    else
        failed=$((failed + 1))
    fi
done
echo "$lives tests, $failed failed"
[ "$failed" -eq 0 ]
