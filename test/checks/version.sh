#!/bin/sh
# SPDX-License-Identifier: MIT
# version.sh SOURCE: the version in meson.build, in the wrap file and in the packages' recipes is the one
# in base.h, and every source file names its licence in one of its first three lines.
# shellcheck source=test/tools/check.sh
. "$1/test/tools/check.sh"
cd "$source"

# part NAME: the value of HM_VERSION_NAME.
part() {
    sed -n "s/^#define HM_VERSION_$1 \([0-9][0-9]*\)\$/\1/p" include/handle_map/base.h
}

header=$(part MAJOR).$(part MINOR).$(part PATCH)
# The first match only.
build=$(sed -n "s/^  version: '\(.*\)',\$/\1/p" meson.build | head -n 1)
if [ "$header" != "$build" ] || [ "$header" = .. ]; then
    complain "base.h says version '$header', meson.build '$build'"
fi
for name in directory source_filename; do
    grep -q "^$name = handle_map-$header\(\.tar\.xz\)\{0,1\}\$" tools/package/handle_map.wrap ||
        complain "$name in tools/package/handle_map.wrap is not of version $header"
done
grep -q "^handle-map ($header-" tools/package/debian/changelog ||
    complain "tools/package/debian/changelog has no entry for version $header"
for recipe in vcpkg/vcpkg.json conan/conanfile.py; do
    grep -q "^ *\"\{0,1\}version\"\{0,1\}\( =\|:\) \"$header\",\{0,1\}\$" "tools/package/$recipe" ||
        complain "tools/package/$recipe is not of version $header"
done

files=$(find run .ci/run include src test tools benchmarks docs -type f \( -path run -o -path .ci/run \
    -o -name '*.c' -o -name '*.h' -o -name '*.cpp' -o -name '*.py' -o -name '*.sh' \
    -o -name '*.awk' -o -name '*.rs' \) | sort)
# shellcheck disable=SC2086 # The files are a list.
awk 'FNR <= 3 && /SPDX-License-Identifier: MIT/ { print FILENAME }' $files >"$work/named"
for file in $(echo "$files" | sort - "$work/named" | uniq -u); do
    complain "$file does not name its licence"
done
echo "version $header, $(echo "$files" | wc -l) files"
! $failed
