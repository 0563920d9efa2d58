#!/bin/sh
# SPDX-License-Identifier: MIT
# ways.sh SOURCE [RELEASE]: builds README's first program by each way to get the library that
# docs/install.md lists, and compares what it prints. It starts from the files of the release in that
# directory, else from an archive that it makes. A table at the end has the
# commands, their seconds, and their processor time, which other jobs on the machine change less.
# Everything is in a temporary directory: the Debian packages are unpacked there instead of installed,
# so that no run needs root or changes the system; `dpkg --simulate` says whether they could be
# installed.
# shellcheck source=test/tools/check.sh
. "$1/test/tools/check.sh"
processors=$(nproc)
# ninja uses all processors, make and dpkg-buildpackage as many as these say.
export CMAKE_BUILD_PARALLEL_LEVEL="$processors" DEB_BUILD_OPTIONS="parallel=$processors"
export CCACHE_DISABLE=1

files=${2-}
if [ -n "$files" ]; then
    files=$(cd "$files" && pwd)
    (cd "$files" && quietly sha256sum -c SHA256SUMS)
    version=${files##*/release-}
    archive=$files/handle_map-$version.tar.xz
else
    archive=$(sh "$source/test/tools/archive.sh" "$source" "$work")
fi
release=$(basename "$archive" .tar.xz)
version=${release#handle_map-}
write_first_program
printf '%s\n' 'grass is 512 wide' 'brick: HM_HANDLE_STALE' 'item 0: 512 wide' >"$work/expected"

now() {
    date +%s%3N
}

# Tenths of seconds of processor time that all commands have taken so far, into $spent.
spend() {
    times >"$work/times"
    spent=$(sed -n 2p "$work/times" | tr 'ms' '  ' |
        awk '{ printf "%d", 10 * (60 * ($1 + $3) + $2 + $4) }')
}

# prepare NAME: makes the directory of a way and enters it. The program and the sources are in it;
# what is installed into its `root` is found.
prepare() {
    mkdir "$work/$1"
    cd "$work/$1"
    cp "$work/first.c" program.c
    tar -xf "$archive"
    mv "$release" handle_map
    PKG_CONFIG_PATH=$PWD/root/lib/pkgconfig
    LD_LIBRARY_PATH=$PWD/root/lib
    CMAKE_PREFIX_PATH=$PWD/root
    export PKG_CONFIG_PATH LD_LIBRARY_PATH CMAKE_PREFIX_PATH
}

# try WAY PROGRAM COMMAND...: runs the commands, which build PROGRAM, and then that; no PROGRAM is
# empty.
try() {
    way=$1 program=$2
    shift 2
    begin=$(now)
    spend
    before=$spent
    for command; do
        sh -eu -c "$command" >"$work/log" 2>&1 </dev/null || {
            tail -n 40 "$work/log" >&2
            fail "run: ways: $way: this fails: $command"
        }
    done
    milliseconds=$(($(now) - begin))
    spend
    spent=$((spent - before))
    linked=
    if [ -n "$program" ]; then
        "$program" >"$work/output"
        diff "$work/expected" "$work/output"
        linked=static
        if readelf -d "$program" | grep -q 'NEEDED.*libhandle_map'; then
            linked=shared
        fi
    fi
    seconds=$((milliseconds / 1000)).$((milliseconds % 1000 / 100))
    processor=$((spent / 10)).$((spent % 10))
    echo "$way: $seconds s, $processor s of processor time"
    for command; do
        printf '%-28s  %-7s  %7s  %9s  %s\n' "$way" "$linked" "$seconds" "$processor" "$command" \
            >>"$work/table"
        way='' linked='' seconds='' processor=''
    done
}

# The commands are not expanded here, so that the table shows what a reader would type.
# shellcheck disable=SC2016
{
    build='cmake -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build'
    compile='cc -O2 program.c $(pkg-config --cflags --libs handle_map) -o program'
    list='$(sed s,^,handle_map/src/, handle_map/src/sources.txt)'

    prepare pkg-config
    try 'pkg-config' ./program \
        'meson setup build handle_map --prefix "$PWD/root" --libdir lib' \
        'meson install -C build' "$compile"

    prepare subproject
    mkdir -p subprojects/packagefiles
    cp handle_map/tools/package/handle_map.wrap subprojects
    cp "$archive" subprojects/packagefiles
    cat >meson.build <<'END'
project('program', 'c', default_options: ['buildtype=release'])
executable('program', 'program.c', dependencies: dependency('handle_map'))
END
    try 'Meson subproject, wrap file' build/program \
        'meson setup build && meson compile -C build program'

    prepare subdirectory
    write_cmake_project . 'add_subdirectory(handle_map)'
    try 'add_subdirectory' build/program "$build"

    prepare fetched
    write_cmake_project . "include(FetchContent)
FetchContent_Declare(handle_map URL $archive)
FetchContent_MakeAvailable(handle_map)"
    try 'FetchContent' build/program "$build"

    prepare found
    write_cmake_project . "find_package(handle_map $version REQUIRED)"
    try 'find_package, from CMake' build/program \
        'cmake -S handle_map -B library -DCMAKE_INSTALL_PREFIX="$PWD/root"' \
        'cmake --build library --target install' "$build"

    prepare found-meson
    write_cmake_project . "find_package(handle_map $version REQUIRED)"
    try 'find_package, from Meson' build/program \
        'meson setup library handle_map --prefix "$PWD/root" --libdir lib' \
        'meson install -C library' "$build"

    # What the recipes of vcpkg and Conan run: the sources are built as each kind of library, debug
    # beside release, installed into a place of their own, and used in another.
    for shared in OFF ON; do
        prepare "manager-$shared"
        write_cmake_project . "find_package(handle_map $version CONFIG REQUIRED)"
        kind=static
        [ $shared = OFF ] || kind=shared
        try "package manager, $kind" build/program \
            "cmake -S handle_map -B dbg -DCMAKE_BUILD_TYPE=Debug -DBUILD_SHARED_LIBS=$shared" \
            'cmake --build dbg && cmake --install dbg --prefix package/debug' \
            "cmake -S handle_map -B rel -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=$shared" \
            'cmake --build rel && cmake --install rel --prefix package' \
            'mv package root' "$build"
    done

    prepare one
    if [ -n "$files" ]; then
        tar -xf "$files/$release-one-source.tar.xz" --strip-components=1
    else
        python3 -B handle_map/tools/amalgamate.py whole/handle_map
        python3 -B handle_map/tools/amalgamate.py --one one
        python3 -B handle_map/tools/amalgamate.py --folders map map
    fi
    mkdir alone
    sed 's|<handle_map/handle_map.h>|"handle_map.h"|; 1i #define HANDLE_MAP_IMPLEMENTATION' \
        program.c >alone/program.c
    try 'one header' ./program 'cc -O2 -Ione alone/program.c -pthread -o program'
    try 'one source, one header' ./program \
        'cc -O2 -Iwhole program.c whole/handle_map/handle_map.c -pthread -o program'
    try 'a part of it' ./program 'cc -O2 -Imap program.c map/handle_map.c -pthread -o program'

    prepare sources
    try 'the sources themselves' ./program \
        "cc -O2 -Ihandle_map/include program.c $list -pthread -o program"

    prepare debian
    cp "$archive" "handle-map_$version.orig.tar.xz"
    cp -R handle_map/tools/package/debian handle_map
    if [ -n "$files" ]; then
        cp "$files"/*.deb .
    else
        try 'Debian packages' '' '(cd handle_map && dpkg-buildpackage -us -uc -b)'
    fi
    try '  source package, lintian' '' \
        '(cd handle_map && dpkg-buildpackage -us -uc -S)' \
        'lintian --fail-on error,warning ./*.changes ./*.deb'
    try '  unpacked' '' \
        'dpkg --simulate --install ./*.deb' \
        'for package in *.deb; do dpkg-deb -x $package root; done'
    libraries=$(dirname "$(find "$PWD/root" -name 'libhandle_map.so')")
    PKG_CONFIG_PATH=$libraries/pkgconfig
    PKG_CONFIG_SYSROOT_DIR=$PWD/root
    LD_LIBRARY_PATH=$libraries
    CMAKE_PREFIX_PATH=$PWD/root/usr
    export PKG_CONFIG_SYSROOT_DIR
    try '  by pkg-config' ./program "$compile"
    write_cmake_project . "find_package(handle_map $version REQUIRED)"
    try '  by find_package' build/program "$build"
}

echo
printf '%-28s  %-7s  %7s  %9s  %s\n' way library seconds processor commands
cat "$work/table"
echo
echo "$processors processors, $(cc --version | head -n 1); load $(cut -d ' ' -f 1 /proc/loadavg)"
