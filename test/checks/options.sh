#!/bin/sh
# SPDX-License-Identifier: MIT
# options.sh SOURCE: without options the library is configured and nothing else, and no C++ compiler
# is looked for. Each option adds what it names and nothing else. The benchmarks are configured even
# if rustc is installed but does not work.
# shellcheck source=test/tools/check.sh
. "$1/test/tools/check.sh"

# configure NAME OPTION...
configure() {
    name=$1
    shift
    quietly meson setup "$@" "$work/$name" "$source"
    mv "$work/log" "$work/$name.log"
}

# targets NAME: prints their kinds and names, one a line.
targets() {
    meson introspect --targets "$work/$1" | python3 -c '
import json, sys
for target in json.load(sys.stdin):
    print(target["type"], target["name"])'
}

# tests NAME: prints the number of tests.
tests() {
    meson introspect --tests "$work/$1" | grep -o '"suite"' | wc -l
}

# has NAME TARGET
has() {
    targets "$1" | grep "^executable $2\$" >/dev/null
}

configure default
[ "$(targets default | sort)" = "shared library handle_map
static library handle_map" ] || fail "built without an option: $(targets default)"
[ "$(tests default)" -eq 0 ] || fail "there are tests without an option"
! grep -q 'C++ compiler' "$work/default.log" || fail "the library looks for a C++ compiler"

configure tests -Dtests=true
has tests handle_map_test_plain || fail "-Dtests=true brings no tests"
! has tests demo || fail "-Dtests=true brings the demo"
! has tests random_handles || fail "-Dtests=true brings the benchmarks"

configure examples -Dexamples=true
has examples demo || fail "-Dexamples=true does not bring the demo"
! has examples handle_map_test_plain || fail "-Dexamples=true brings the tests"

# As rustup installs it before there is a toolchain.
mkdir "$work/bin"
cat >"$work/bin/rustc" <<'END'
#!/bin/sh
echo 'error: no toolchain is installed' >&2
exit 1
END
chmod +x "$work/bin/rustc"
PATH=$work/bin:$PATH
configure benchmarks -Dbenchmarks=true
has benchmarks random_handles || fail "-Dbenchmarks=true brings no benchmarks"
! has benchmarks handle_map_test_plain || fail "-Dbenchmarks=true brings the tests"
if ! grep -q 'C++ compiler' "$work/benchmarks.log"; then
    echo "without a C++ compiler there is nothing to compare with"
elif ! grep -q "Rust's slot maps are left out" "$work/benchmarks.log"; then
    fail "nothing says that Rust's slot maps are left out"
fi
echo "no option, and each of three"
