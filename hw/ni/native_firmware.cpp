// SPDX-License-Identifier: Apache-2.0
#include "hw/ni/native_firmware.h"

#include <dlfcn.h>

#include <filesystem>
#include <utility>

#include "hw/input_error.h"

namespace polycast::hw::ni {

namespace {

void check_version(const ni_firmware_interface& functions, const std::string& path) {
    if (functions.version != NI_FIRMWARE_VERSION)
        throw input_error(path, {},
                          "is firmware of version " + std::to_string(functions.version) + ", not " +
                              std::to_string(NI_FIRMWARE_VERSION),
                          "build it anew");
}

}  // namespace

std::shared_ptr<const native_firmware> native_firmware::load(const std::string& path) {
    if (!std::filesystem::is_regular_file(path))
        throw input_error(path, {}, "there is no such file", "build the firmware's host library first");
    // An absolute path, because dlopen looks for a bare name elsewhere. It counts who has opened the same file.
    const std::string file = std::filesystem::absolute(path).string();
    const std::shared_ptr<void> library(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL), [](void* handle) {
        if (handle != nullptr) dlclose(handle);
    });
    if (library == nullptr) throw input_error(path, {}, std::string("cannot be loaded: ") + dlerror());
    const void* const symbol = dlsym(library.get(), "polycast_firmware");
    if (symbol == nullptr)
        throw input_error(path, {}, "is no firmware: it does not export polycast_firmware",
                          "build the firmware's host library");
    const auto& functions = *static_cast<const ni_firmware_interface*>(symbol);
    check_version(functions, path);
    return std::shared_ptr<const native_firmware>(new native_firmware(functions, library));
}

native_firmware::native_firmware(const ni_firmware_interface& functions) : native_firmware(functions, nullptr) {
    check_version(functions, "linked-in firmware");
}

native_firmware::native_firmware(const ni_firmware_interface& functions, std::shared_ptr<void> library)
    : library_(std::move(library)), functions_(&functions) {}

}  // namespace polycast::hw::ni
