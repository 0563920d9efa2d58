#!/bin/sh
# SPDX-License-Identifier: MIT
# cmake.sh SOURCE: README's first program builds and runs in each way that CMake offers: with the
# library as a subdirectory, fetched from an archive, and installed, static and shared. Only what a
# program needs is copied, so that nothing else can be used.
set -eu
source=$1
command -v cmake >/dev/null || {
    echo "skipped: needs cmake" >&2
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

library=$work/handle_map
mkdir -p "$library/tools" "$work/blocks"
cp -R "$source/CMakeLists.txt" "$source/src" "$source/include" "$library"
cp -R "$source/tools/package" "$library/tools"
tar -C "$work" -czf "$work/handle_map.tar.gz" handle_map
awk -v DIRECTORY="$work/blocks" -f "$source/test/tools/extract_c_blocks.awk" "$source/README.md"

# make_program NAME: a project that gets the library by the commands on standard input.
make_program() {
    mkdir "$work/$1"
    cp "$work/blocks/1.c" "$work/$1/program.c"
    {
        echo 'cmake_minimum_required(VERSION 3.16)'
        echo 'project(program LANGUAGES C)'
        cat
        echo 'add_executable(program program.c)'
        echo 'target_link_libraries(program PRIVATE handle_map::handle_map)'
        echo 'set_target_properties(program PROPERTIES C_STANDARD 11)'
    } >"$work/$1/CMakeLists.txt"
}

# run_program NAME OPTION...
run_program() {
    name=$1
    shift
    echo "$name:"
    if ! { cmake -S "$work/$name" -B "$work/$name/build" "$@" &&
        cmake --build "$work/$name/build"; } >"$work/log" 2>&1; then
        cat "$work/log" >&2
        exit 1
    fi
    "$work/$name/build/program"
}

make_program subdirectory <<END
add_subdirectory("$library" handle_map)
option(BUILD_SHARED_LIBS "The program's own default" ON)
if(NOT BUILD_SHARED_LIBS)
  message(FATAL_ERROR "the library has set BUILD_SHARED_LIBS for the whole program")
endif()
END
run_program subdirectory

make_program fetched <<END
include(FetchContent)
FetchContent_Declare(handle_map URL "$work/handle_map.tar.gz")
FetchContent_MakeAvailable(handle_map)
END
run_program fetched

make_program installed <<END
find_package(handle_map 0.3 REQUIRED)
END
for shared in OFF ON; do
    # The headers may go to a folder of their own.
    if ! { cmake -S "$library" -B "$work/build-$shared" -DBUILD_SHARED_LIBS=$shared \
        -DCMAKE_INSTALL_PREFIX="$work/package" \
        -DCMAKE_INSTALL_INCLUDEDIR="include/shared-$shared" &&
        cmake --build "$work/build-$shared" --target install; } >"$work/log" 2>&1; then
        cat "$work/log" >&2
        exit 1
    fi
    # Package managers install into one place, and use what is there in another.
    mv "$work/package" "$work/root-$shared"
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
    find_version "$version" || {
        echo "a program that asks for version '$version' does not find it" >&2
        exit 1
    }
done
for version in 0.2 0.4 0.3.99 1 '0.4...0.5'; do
    if find_version "$version"; then
        echo "a program that asks for version $version gets another" >&2
        exit 1
    fi
done
