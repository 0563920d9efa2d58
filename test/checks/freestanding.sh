#!/bin/sh
# SPDX-License-Identifier: MIT
# freestanding.sh SOURCE PROGRAM: with HM_FREESTANDING the library compiles without any header of a C
# library, calls nothing but memcpy, memmove and memset, and works: PROGRAM runs every kind of
# container in memory of its own, with the one file and with what Meson and CMake build.
# Where clang can, the sources are compiled for firmware and for WebAssembly without a system.
# HM_C_WARNINGS: the compilers' warning flags.
# shellcheck source=test/tools/check.sh
. "$1/test/tools/check.sh"
program=$2
python3 -B "$source/tools/amalgamate.py" "$work/one"

# compile COMPILER FLAG...: with the headers that belong to the compiler itself, and no others.
compile() {
    compiler=$1
    shift
    case $compiler in
    gcc) own=$(gcc -print-file-name=include) ;;
    *) own=$("$compiler" -print-resource-dir)/include ;;
    esac
    # shellcheck disable=SC2086 # The warnings are a list.
    "$compiler" -std=c11 -O2 -ffreestanding -nostdinc -isystem "$own" -DHM_FREESTANDING \
        $HM_C_WARNINGS -Werror -I "$source/include" "$@"
}

# calls_only_memory OBJECT
calls_only_memory() {
    others=$(nm -u "$1" | awk '{ print $NF }' |
        grep -vxE 'memcpy|memmove|memset|_GLOBAL_OFFSET_TABLE_' || true)
    [ -z "$others" ] || fail "$1 needs more than memcpy, memmove and memset: $others"
}

# runs NAME: the program passes, and the end of a broken contract is a trap after the hook.
runs() {
    "$work/$1" || fail "$1 ended with $?"
    code=0
    hook=$("$work/$1" panic 2>&1) || code=$?
    case "$hook" in
    *'hm_map_insert: map is NULL'*) ;;
    *) fail "$1: the hook was not called: $hook" ;;
    esac
    [ $code -gt 128 ] || fail "$1: a broken contract ended with $code, and should trap"
    echo "$1 works"
}

for compiler in gcc clang; do
    command -v "$compiler" >/dev/null || continue
    tested=true
    compile "$compiler" -c "$work/one/handle_map.c" -o "$work/$compiler.o"
    calls_only_memory "$work/$compiler.o"
    "$compiler" -std=c11 -O1 -DHM_FREESTANDING -I "$source/include" "$program" "$work/$compiler.o" \
        -o "$work/$compiler"
    runs "$compiler"
done
$tested || skip "needs gcc or clang"

for target in thumbv7m-none-eabi wasm32-unknown-unknown riscv64-unknown-elf; do
    echo 'int program;' | clang --target=$target -x c -c -o /dev/null - 2>/dev/null || continue
    compile clang -O1 --target=$target -c "$work/one/handle_map.c" -o /dev/null
    echo "compiled for $target"
done

# Compilers for firmware often have a uint32_t that is a long: that is no reason for warnings.
if echo 'int program;' | gcc -m32 -x c -c -o /dev/null - 2>/dev/null; then
    compile gcc -m32 -U__UINT32_TYPE__ '-D__UINT32_TYPE__=long unsigned int' -fsyntax-only \
        "$work/one/handle_map.c"
    echo "compiled with another uint32_t"
fi

quietly meson setup -Dfreestanding=true --prefix "$work/meson-root" "$work/meson-build" "$source"
quietly meson install -C "$work/meson-build"
PKG_CONFIG_PATH=$(dirname "$(find "$work/meson-root" -name handle_map.pc)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # Flags are a list.
cc -std=c11 $(pkg-config --cflags handle_map) "$program" \
    "$(find "$work/meson-root" -name libhandle_map.a)" -o "$work/meson"
runs meson
! meson setup -Dfreestanding=true -Dtests=true "$work/tests" "$source" >"$work/log" 2>&1 ||
    fail "Meson configures tests of a freestanding library"
grep -q 'not freestanding' "$work/log" ||
    fail "nothing says that tests need a library that is not freestanding"

if command -v cmake >/dev/null; then
    mkdir "$work/consumer"
    cp "$program" "$work/consumer/program.c"
    write_cmake_project "$work/consumer" 'find_package(handle_map 0.3 REQUIRED)'
    quietly cmake -S "$source" -B "$work/cmake-build" -DHANDLE_MAP_FREESTANDING=ON \
        -DCMAKE_INSTALL_PREFIX="$work/cmake-root"
    quietly cmake --build "$work/cmake-build" --target install
    quietly cmake -S "$work/consumer" -B "$work/consumer/build" \
        -DCMAKE_PREFIX_PATH="$work/cmake-root"
    quietly cmake --build "$work/consumer/build"
    cp "$work/consumer/build/program" "$work/cmake"
    runs cmake
fi
