// SPDX-License-Identifier: Apache-2.0
/// \file Fuzzes the scenario loader: a YAML text, then options after each byte 0xff. Whatever the bytes are, the loader
/// accepts them or throws input_error, quickly; what it accepts is written, read again, and comes back the same.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "hw/input_error.h"
#include "tlm/scenario/load.h"

namespace {

using namespace polycast;

void require(bool holds, const std::string& what) {
    if (holds) return;
    std::cerr << "violated: " << what << "\n";
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::vector<std::string> parts(1);
    for (std::size_t i = 0; i < size; ++i) {
        if (data[i] == 0xff) {
            parts.emplace_back();
        } else {
            parts.back() += static_cast<char>(data[i]);
        }
    }
    const std::string text = parts.front();
    parts.erase(parts.begin());
    try {
        const tlm::scenario::loaded once = tlm::scenario::load_text(text, "fuzz.yaml", "folder", parts);
        require(!once.values.workloads.empty(), "a scenario has workloads");
        require(once.values.chip.buffer_flits >= 2 * once.values.chip.chunk_flits, "a buffer holds two chunks");
        require(once.values.host.bus > 0 && once.values.host.cycle_ns > 0, "rates are positive");
        const std::string written = once.yaml();
        try {
            require(tlm::scenario::load_text(written, "again.yaml").yaml() == written, "the same again:\n" + written);
        } catch (const hw::input_error& refused) {
            require(false, std::string("refused what it wrote: ") + refused.what() + "\n" + written);
        }
    } catch (const hw::input_error&) {
    }
    return 0;
}
