#!/bin/sh
# SPDX-License-Identifier: MIT
# release.sh SOURCE BUILD DIRECTORY: makes the files of a release in DIRECTORY: the sources, the
# library as one source with one header, the Debian packages, the reference and the page, which are in
# BUILD, the changelog's section, and the checksums of all. The same commit gives the same bytes: all
# times in the files are that of the commit, or SOURCE_DATE_EPOCH
# (https://reproducible-builds.org/specs/source-date-epoch/).
# shellcheck source=test/tools/check.sh
. "$1/test/tools/check.sh"
build=$2
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$source" log -1 --format=%ct)}
export SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC
umask 022

archive=$(sh "$source/test/tools/archive.sh" "$source" "$work")
name=$(basename "$archive" .tar.xz)
version=${name#handle_map-}
rm -rf "$3"
mkdir -p "$3"
directory=$(cd "$3" && pwd)
cd "$work"
tar -xf "$archive"

# pack NAME: makes NAME.tar.xz of the release from the directory NAME.
pack() {
    chmod -R u=rwX,go=rX "$1"
    tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
        --format=ustar -cf - "$1" | xz -6 -T1 >"$directory/$1.tar.xz"
}

pack "$name"

one=$name-one-source
python3 -B "$name/tools/amalgamate.py" "$one/whole/handle_map"
python3 -B "$name/tools/amalgamate.py" --one "$one/one"
python3 -B "$name/tools/amalgamate.py" --folders "$one/map" map
python3 -B "$name/tools/amalgamate.py" --folders "$one/pool" pool
cp "$name/LICENSE" "$one"
pack "$one"

cp -R "$build/docs/html" "$name-reference"
pack "$name-reference"
cp "$build/page/index.html" "$directory/$name-page.html"

# The section of this version, or what is not released yet.
section() {
    awk -v HEAD="## [$1]" 'index($0, "## [") == 1 { inside = index($0, HEAD) == 1; next } inside' \
        "$name/docs/changelog.md"
}
section "$version" >changes.md
[ -s changes.md ] || section Unreleased >changes.md
[ -s changes.md ] || fail "docs/changelog.md has no section $version"
cp changes.md "$directory/$name-changes.md"

mkdir debian
cp "$directory/$name.tar.xz" "debian/handle-map_$version.orig.tar.xz"
cp -R "$name" debian
cp -R "$name/tools/package/debian" "debian/$name"
cd "debian/$name"
quietly dpkg-buildpackage -us -uc -b
cp ../*.deb "$directory"

cd "$directory"
sha256sum -- * >"$work/SHA256SUMS"
mv "$work/SHA256SUMS" .
cat SHA256SUMS
