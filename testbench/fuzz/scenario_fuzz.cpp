// SPDX-License-Identifier: Apache-2.0
/// \file Fuzzes the scenario loader and the sweeps: a YAML text, then options after each byte 0xff. Whatever the bytes
/// are, they are accepted or throw input_error, quickly; what is accepted is written, read again, and comes back the
/// same; the options of a run of a sweep give that run alone.
#include <map>
#include <optional>

#include "hw/input_error.h"
#include "testbench/fuzz/require.h"
#include "tlm/scenario/sweep.h"

namespace {

using namespace polycast;
using testbench::fuzz::require;
using tlm::scenario::loaded;

constexpr const char* folder = "folder";
/// The last ones differ from these in values only.
constexpr unsigned runs_looked_at = 4;

struct enough_runs {};

void check(const loaded& once) {
    require(!once.values.workloads.empty(), "a scenario has workloads");
    require(once.values.chip.buffer_flits >= 2 * once.values.chip.chunk_flits, "a buffer holds two chunks");
    require(once.values.host.bus > 0 && once.values.host.cycle_ns > 0, "rates are positive");
    const std::string written = once.yaml();
    try {
        require(tlm::scenario::load_text(written, "again.yaml").yaml() == written, "the same again:\n" + written);
    } catch (const hw::input_error& refused) {
        require(false, std::string("refused what it wrote: ") + refused.what() + "\n" + written);
    }
}

/// Paths are written as they were given, in the file or as an option, and lead to the same place.
std::string settled(const loaded& scenario) {
    const std::map<std::string, std::string> without_paths{
        {"network.topology.path", "x"}, {"network.own_rtl", "x"}, {"ni.firmware", "x"}, {"rails.matrix", "x"}};
    return scenario.topology_path() + "\n" + scenario.own_rtl_path().value_or("none") + "\n" +
           scenario.firmware_path().value_or("built in") + "\n" + scenario.rail_matrix_path().value_or("none") + "\n" +
           scenario.yaml(without_paths);
}

void check_run(const std::string& text, const tlm::scenario::sweep_run& run) {
    check(run.scenario);
    require(!run.name.empty() && run.name.size() <= 120 && run.name.find('/') == std::string::npos,
            "a run's name is one of a file: " + run.name);
    std::string options;
    for (const std::string& option : run.overrides) options += "\n-s " + option;
    try {
        const loaded alone = tlm::scenario::load_text(text, "fuzz.yaml", folder, run.overrides);
        require(settled(alone) == settled(run.scenario), "alone it is the same:" + options);
    } catch (const hw::input_error& refused) {
        require(false, std::string("refused a run alone: ") + refused.what() + options);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::vector<std::string> parts = testbench::fuzz::parts_of(data, size);
    const std::string text = parts.front();
    parts.erase(parts.begin());
    try {
        unsigned runs = 0;
        const auto swept = tlm::scenario::for_each_run(text, "fuzz.yaml", folder, parts, [&](const auto& run) {
            check_run(text, run);
            if (++runs == runs_looked_at) throw enough_runs{};
        });
        require(swept.empty() == (runs == 0), "a sweep has runs");
        if (runs == 0) check(tlm::scenario::load_text(text, "fuzz.yaml", folder, parts));
    } catch (const enough_runs&) {
    } catch (const hw::input_error&) {
    }
    return 0;
}
