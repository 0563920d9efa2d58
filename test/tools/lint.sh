#!/bin/sh
# SPDX-License-Identifier: MIT
# lint.sh SOURCE: runs the tools that check sources without a build. Each prints one line on what it
# checks, and its findings; all run before the exit code says whether there were any. The lists of
# files come from git, or from the tree without git, so that new files are checked without a change
# here. (test/checks/version.sh and lists.sh test that versions agree and lists of sources are
# complete.)
set -eu
cd "$1"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=

# There is no git in a tarball, and git may refuse a tree with another owner.
if [ -e .git ] && git rev-parse --git-dir >/dev/null 2>&1; then
    has_git=true
else
    has_git=false
fi

# Includes new files that are not yet added.
all_files() {
    if $has_git; then
        git ls-files --cached --others --exclude-standard
    else
        find . -type f ! -path './build/*' ! -path './.git/*' | sed 's|^\./||'
    fi | while read -r file; do
        [ ! -f "$file" ] || echo "$file"
    done
}

files=$(all_files | sort)

# listed PATTERN: prints the files whose names match the extended regular expression.
listed() {
    echo "$files" | grep -E "$1" || true
}

# judge NAME CODE: all output of a tool is a finding.
judge() {
    if grep . "$log" || [ "$2" -ne 0 ]; then
        failed="$failed $1"
    fi
}

# look NAME KIND FILES COMMAND...: runs the command over the files.
look() {
    name=$1 kind=$2 list=$3
    shift 3
    echo "$name: $(echo "$list" | wc -l) $kind"
    code=0
    echo "$list" | xargs "$@" >"$log" 2>&1 || code=$?
    judge "$name" $code
}

# Checks one file; a header is checked as C. The count of warnings in system headers is no finding.
# It goes before the output reaches the log: two processes write there, and may tear a line.
# shellcheck disable=SC2016 # The variables are those of the shell that xargs starts.
tidy_one='file=$1 code=0
shift
found=$(clang-tidy --quiet "$@" "$file" -- -x c -std=c11 -Iinclude -Isrc -Itest -Idocs/examples \
    "-DFUZZ_TARGET=\"map\"" 2>&1) || code=$?
printf "%s\n" "$found" | grep -Ev "^([0-9]+ warnings? generated\.)?$"
exit $code'

# tidy KIND FILES OPTION...: two at a time.
tidy() {
    kind=$1 list=$2
    shift 2
    look clang-tidy "$kind" "$list" -P 2 -I '{}' sh -c "$tidy_one" sh '{}' "$@"
}

# Subjects have at most 72 columns since the commit that added .clang-tidy; older ones are longer.
check_subjects() {
    if ! $has_git; then
        echo "subjects: skipped, there is no repository that git reads"
        return
    fi
    first=$(git log -n 1 --diff-filter=A --format=%H -- .clang-tidy)
    subjects=$(git log --format='%h %s' ${first:+"$first..HEAD"})
    echo "subjects: $(echo "$subjects" | grep -c .) commits"
    echo "$subjects" | LC_ALL=C.UTF-8 grep -E '^[^ ]+ .{73}' |
        sed 's/^/longer than 72 columns: /' >"$log" || true
    judge subjects 0
}

look clang-format files "$(listed '^(benchmarks|docs|include|src|test)/.*\.([ch]|cpp)$')" \
    clang-format --dry-run -Werror

# The analyzer follows a third of the paths that it would by default, which takes half the time.
tidy 'sources and headers' "$(sed 's|^|src/|' src/sources.txt; listed '^(include|src)/.*\.h$')" \
    --extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang \
    --extra-arg=max-nodes=75000
# The search's sources need constants.h before all else, wrong_type.c must not compile,
# freestanding.c needs its macro, and two of the demo's need Assimp's headers.
tidy 'tests, examples and benchmarks' "$(listed '^(benchmarks|docs|test)/.*\.c$' |
    grep -Ev '^test/exhaustive/|/(wrong_type|freestanding|scene_import)\.c$')" \
    '--checks=-clang-analyzer-*'

# All sources see the headers as they are here, in a part of the library without a system and without
# extensions of a compiler, and on Windows. The combinations of macros that a file tests are checked,
# too: those of headers in handle_map.h, which includes the public ones, and in what WebAssembly has.
# It cannot parse the tests' macros.
cppcheck_all() {
    kind=$1 list=$2
    shift 2
    look cppcheck "$kind" "$list" cppcheck -q -j "$(nproc)" --std=c11 --error-exitcode=1 \
        --enable=warning,style,performance,portability -Iinclude \
        --suppressions-list=test/tools/cppcheck.txt "$@"
}
cppcheck_all 'sources and headers' "$(listed '^(include|src)/.*\.[ch]$')" \
    --force --config-exclude=include/ --config-exclude=src/
cppcheck_all 'sources and headers, for other systems' "include/handle_map/handle_map.h
$(listed '^src/.*\.[ch]$' | xargs grep -l __wasm__)" --force
cppcheck_all 'sources, as a part' "$(listed '^src/.*\.c$')" \
    -DHM_WITHOUT_ORDER -DHM_WITHOUT_HISTORY -DHM_PORTABLE -DHM_FREESTANDING
cppcheck_all 'sources, on Windows' "$(listed '^src/.*\.c$')" -D_WIN32 -D_MSC_VER

look shellcheck scripts "$(listed . | xargs grep -l '^#!/bin/sh' | grep -v '\.md$')" shellcheck -x
look pyflakes3 scripts "$(listed '\.py$')" pyflakes3
look codespell files "$(listed . | grep -Ev '^test/fuzz/corpus/|\.(abi|svg)$')" \
    codespell --ignore-words-list crate,statics
check_subjects

# Circles among files, arrows that point up, and code that is written twice.
for check in circles layers alike; do
    echo "$check: the library's sources and headers"
    code=0 list=test/checks/$check.txt
    [ -f "$list" ] || list=
    python3 -B "test/checks/$check.py" . ${list:+"$list"} 2>"$log" >/dev/null || code=$?
    judge "$check" $code
done

if [ -n "$failed" ]; then
    echo "run: lint: something was found by:$failed" >&2
    exit 1
fi
