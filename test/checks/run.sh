#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh SOURCE: ./run refuses invalid arguments with exit code 2 and names them, and answers
# --help, before it installs or configures anything. Valid commands get that far.
# shellcheck source=test/tools/check.sh
. "$1/test/tools/check.sh"

# A copy, since a command that is not refused would recreate its build directory.
mkdir -p "$work/bin" "$work/docs" "$work/src/base"
cp -R "$source/run" "$source/test" "$work"
cp "$source/docs/design.md" "$work/docs"
cp "$source/src/base/base.c" "$work/src/base"

# The programs that commands run first. They all fail, so that a command goes no further.
for program in apt-get meson clang clang-format clang-tidy cppcheck shellcheck codespell pyflakes3 \
    python3; do
    printf '#!/bin/sh\necho "%s $*" >>"%s"\nexit 1\n' $program "$work/log" >"$work/bin/$program"
    chmod +x "$work/bin/$program"
done
# Any user seems to be root, so that missing packages would be installed.
printf '#!/bin/sh\necho 0\n' >"$work/bin/id"
chmod +x "$work/bin/id"
PATH=$work/bin:$PATH
commands=0

fail() {
    echo "./run $command: $*" >&2
    cat "$work/output" >&2
    exit 1
}

# run ARGUMENT...: leaves the exit code in $code, the output in `output`, and what was run in `log`.
run() {
    command=$*
    code=0
    commands=$((commands + 1))
    : >"$work/log"
    "$work/run" "$@" >"$work/output" 2>&1 </dev/null || code=$?
}

nothing_done() {
    [ ! -s "$work/log" ] || fail "did this: $(cat "$work/log")"
    [ ! -e "$work/build" ] || fail "made build/"
}

# refused WORD ARGUMENT...: the message quotes the word and names the verb.
refused() {
    word=$1
    shift
    run "$@"
    [ $code -eq 2 ] || fail "ended with $code instead of 2"
    nothing_done
    grep -Fq -e "'$word'" "$work/output" || fail "does not say what is wrong with '$word'"
    grep -q "^run: .*$1" "$work/output" || fail "does not name the verb"
}

helped() {
    run "$@"
    [ $code -eq 0 ] || fail "ended with $code instead of 0"
    nothing_done
    grep -q '^usage: ./run demo' "$work/output" || fail "does not print the usage"
}

# begun ARGUMENT...: the command is not refused.
begun() {
    run "$@"
    [ $code -ne 2 ] || fail "is refused"
    [ -s "$work/log" ] || fail "was not begun"
    rm -rf "$work/build"
}

refused nonsense nonsense
refused nonsense nonsense --help
for verb in test lint coverage ways docs page release; do
    refused surplus $verb surplus
done
refused nosuch check nosuch
refused nosuch check gcc-O0 nosuch
refused gcc check gcc
refused nosuch check -nosuch
refused nosuch exhaustive nosuch
refused nosuch exhaustive one nosuch
refused nosuch planted nosuch
refused nosuch planted model nosuch
refused nosuch mutate nosuch
refused src/nosuch.c mutate src/nosuch.c
refused 0 mutate 0
refused nosuch mutate order nosuch
refused nosuch mutate 5 nosuch
refused 7 mutate order 5 6 7
refused soon fuzz soon
refused 0 fuzz 0
refused 010 fuzz 010
refused '' fuzz ''
refused nosuch fuzz 5 nosuch
refused surplus fuzz 5 keep surplus
refused nosuch bench nosuch
refused surplus bench --full surplus
refused nosuch abi nosuch
refused surplus abi dump surplus

helped
helped help
helped --help
for verb in demo test check lint coverage mutate fuzz planted exhaustive bench ways abi docs page release; do
    grep -q "\./run $verb " "$work/output" || fail "does not mention $verb"
    helped $verb --help
    helped $verb nosuch --help
done

begun test
begun lint
begun coverage
begun planted
begun planted model
begun check
begun check -gcc-O0 -cross
# shellcheck disable=SC2013 # A name is one word.
for name in $(sed -n 's/^environment \([^ ]*\) .*/\1/p' "$source/test/tools/environments.sh"); do
    begun check "$name"
done
begun exhaustive
begun exhaustive all
begun exhaustive one range
begun mutate
begun mutate order
begun mutate src/base/base.c 5
begun mutate id_table 5 0
begun mutate 5
begun fuzz
begun fuzz 10
begun fuzz 10 keep
begun bench
begun bench --full
begun demo
echo "$commands commands"
