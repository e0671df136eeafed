// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/networks/firmware_files.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "hw/input_error.h"

namespace polycast::tlm::sim {

namespace fs = std::filesystem;

std::string built_in_firmware() {
    if (const char* folder = std::getenv("POLYCAST_FIRMWARE"); folder != nullptr && *folder != 0) return folder;
    std::error_code failed;
    const fs::path program = fs::read_symlink("/proc/self/exe", failed).parent_path();
    const std::array<fs::path, 3> places{program.parent_path() / "firmware", program.parent_path() / "lib" / "polycast",
                                         fs::path(POLYCAST_DEFAULT_FIRMWARE)};
    const auto found = std::ranges::find_if(places, [&](const fs::path& place) {
        return fs::exists(place / firmware_library, failed) || fs::exists(place / firmware_image, failed);
    });
    return (found == places.end() ? places.back() : *found).string();
}

std::string firmware_file(const scenario::loaded& scenario, std::string_view name) {
    const fs::path path = fs::path(scenario.firmware_path().value_or(built_in_firmware())) / name;
    std::error_code failed;
    if (fs::exists(path, failed)) return path.string();
    if (scenario.values.ni.firmware)
        scenario.fail("ni.firmware", "there is no '" + path.string() + "'", "build it with `firmware/`");
    throw hw::input_error("there is no firmware '" + path.string() + "'",
                          "build the target polycast_firmware, or set POLYCAST_FIRMWARE to its folder");
}

}  // namespace polycast::tlm::sim
