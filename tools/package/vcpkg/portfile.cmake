# SPDX-License-Identifier: MIT
# A port for vcpkg: copy this directory into the overlay ports of a program as `handle-map`, and put the
# archive of the release beside it, or replace the path by vcpkg_download_distfile with the archive's URL
# and its SHA512. `./run ways` builds, installs and moves the library by the same steps with CMake alone.
vcpkg_extract_source_archive(source_path ARCHIVE
                             "${CMAKE_CURRENT_LIST_DIR}/handle_map-${VERSION}.tar.xz")
vcpkg_cmake_configure(SOURCE_PATH "${source_path}")
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME handle_map CONFIG_PATH lib/cmake/handle_map)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST "${source_path}/LICENSE")
