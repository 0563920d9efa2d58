#!/bin/sh
# SPDX-License-Identifier: MIT
# archive.sh SOURCE DIRECTORY: makes the archive of a release, by `meson dist`, and prints its path,
# DIRECTORY/handle_map-VERSION.tar.xz. `meson dist` takes what is committed, so it is given a copy of
# the tree, DIRECTORY/tree, in which everything is committed that git does not ignore.
set -eu
source=$1 directory=$2
tree=$directory/tree
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE # of a git that runs the tests
mkdir -p "$tree"
tar -C "$source" --exclude=./build --exclude=./.git -cf - . | tar -C "$tree" -xf -
{
    git init "$tree"
    git -C "$tree" add -A
    git -C "$tree" -c user.name=test -c user.email=test@localhost -c commit.gpgsign=false \
        commit -m 'The tree as it is'
    meson setup "$tree/build" "$tree"
    meson dist -C "$tree/build" --no-tests
} >"$directory/archive.log" 2>&1 || {
    cat "$directory/archive.log" >&2
    exit 1
}
mv "$tree"/build/meson-dist/*.tar.xz "$directory"
rm -rf "$tree/build"
echo "$directory"/*.tar.xz
