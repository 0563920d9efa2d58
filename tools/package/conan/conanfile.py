# SPDX-License-Identifier: MIT
"""A recipe for Conan 2: put it beside the unpacked sources' CMakeLists.txt, then
`conan create .`. `./run ways` builds, installs and moves the library by the same steps with CMake
alone."""
import os

from conan import ConanFile
from conan.tools.cmake import CMake, cmake_layout
from conan.tools.files import copy, rmdir


class HandleMap(ConanFile):
    name = "handle_map"
    version = "0.3.0"
    license = "MIT"
    description = "Containers whose items are named by 64-bit handles instead of pointers"
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    languages = ("C",)
    implements = ("auto_shared_fpic",)
    exports_sources = "CMakeLists.txt", "LICENSE", "include/*", "src/*", "tools/package/*"
    generators = "CMakeToolchain"

    def layout(self):
        cmake_layout(self)

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        # Conan writes the CMake package of its users itself.
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))

    def package_info(self):
        self.cpp_info.set_property("cmake_target_name", "handle_map::handle_map")
        self.cpp_info.libs = ["handle_map"]
        if self.options.shared:
            self.cpp_info.defines = ["HM_USE_SHARED"]
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["pthread"]
