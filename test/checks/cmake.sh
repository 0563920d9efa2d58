#!/bin/sh
# SPDX-License-Identifier: MIT
# cmake.sh SOURCE: README's first program builds and runs in each way that CMake offers: with the
# library as a subdirectory, fetched from an archive, and installed, static and shared. Only what a
# program needs is copied, so that nothing else can be used.
# shellcheck source=test/tools/check.sh
. "$1/test/tools/check.sh"
needs cmake

library=$work/handle_map
mkdir -p "$library/tools"
cp -R "$source/CMakeLists.txt" "$source/src" "$source/include" "$library"
cp -R "$source/tools/package" "$source/tools/debug" "$library/tools"
tar -C "$work" -czf "$work/handle_map.tar.gz" handle_map
write_first_program

# make_program NAME LINES: a project that gets the library by these lines.
make_program() {
    mkdir "$work/$1"
    cp "$work/first.c" "$work/$1/program.c"
    write_cmake_project "$work/$1" "$2"
}

# run_program NAME OPTION...
run_program() {
    name=$1
    shift
    echo "$name:"
    quietly cmake -S "$work/$name" -B "$work/$name/build" "$@"
    quietly cmake --build "$work/$name/build"
    "$work/$name/build/program"
}

make_program subdirectory "add_subdirectory($library handle_map)
option(BUILD_SHARED_LIBS [[The program's own default]] ON)
if(NOT BUILD_SHARED_LIBS)
  message(FATAL_ERROR [[the library has set BUILD_SHARED_LIBS for the whole program]])
endif()"
run_program subdirectory
flags=$work/subdirectory/build/handle_map/CMakeFiles/handle_map.dir/flags.make
grep -q '^C_FLAGS.* -O2' "$flags" || fail "a program without a build type gets a slow library"
quietly cmake -S "$work/subdirectory" -B "$work/subdirectory/build" -DCMAKE_BUILD_TYPE=Debug
! grep -q -e ' -O' "$flags" || fail "a program for debugging gets an optimised library"
quietly cmake -S "$work/subdirectory" -B "$work/subdirectory/build" -DCMAKE_BUILD_TYPE= \
    -DCMAKE_C_FLAGS=-O1
! grep -q -e ' -O2' "$flags" || fail "the program's own flags are overruled"

make_program fetched "include(FetchContent)
FetchContent_Declare(handle_map URL $work/handle_map.tar.gz)
FetchContent_MakeAvailable(handle_map)"
run_program fetched

make_program installed 'find_package(handle_map 0.3 REQUIRED)'
for shared in OFF ON; do
    # The headers may go to a folder of their own.
    quietly cmake -S "$library" -B "$work/build-$shared" -DBUILD_SHARED_LIBS=$shared \
        -DCMAKE_INSTALL_PREFIX="$work/package" \
        -DCMAKE_INSTALL_INCLUDEDIR="include/shared-$shared"
    quietly cmake --build "$work/build-$shared" --target install
    # Package managers install into one place, and use what is there in another.
    mv "$work/package" "$work/root-$shared"
    [ -f "$work/root-$shared/share/handle_map/handle_map_lldb.py" ] ||
        fail "what shows containers in debuggers is not installed"
    rm -rf "$work/installed/build"
    run_program installed -DCMAKE_PREFIX_PATH="$work/root-$shared"
done

# find_package VERSION: whether a program that asks for this version finds the library.
find_version() {
    rm -rf "$work/installed/build"
    sed -i "s/^find_package.*/find_package(handle_map $1 REQUIRED)/" \
        "$work/installed/CMakeLists.txt"
    cmake -S "$work/installed" -B "$work/installed/build" \
        -DCMAKE_PREFIX_PATH="$work/root-ON" >"$work/log" 2>&1
}

# The next minor version may have changed signatures, so it is refused.
for version in '' 0.3 0.3.0 '0.3 EXACT' '0.3...0.5' '0.3...<0.4'; do
    find_version "$version" || fail "a program that asks for version '$version' does not find it"
done
for version in 0.2 0.4 0.3.99 1 '0.4...0.5'; do
    ! find_version "$version" || fail "a program that asks for version $version gets another"
done
