// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/failure_waves.h"

#include <algorithm>

#include "tlm/trace/wave_recorder.h"
#include "tlm/verilated/rtl_chip.h"

namespace polycast::testbench::equivalence {

namespace {

constexpr std::uint64_t cycles_before = 300;

template <typename Params, typename Tables, typename Run>
std::string record(const Run& run, const contender_of<Params, Tables>& first,
                   const contender_of<Params, Tables>& second, std::uint64_t failed,
                   const hw::format::header_shape& headers, const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    std::string files;
    const auto make = [&](const contender_of<Params, Tables>& which) {
        return contender_of<Params, Tables>{which.name, [&, which](const Params& params, const Tables& tables) {
                                                std::unique_ptr<hw::engine::chip> chip = which.make(params, tables);
                                                if (auto* rtl = dynamic_cast<tlm::rtl_chip*>(chip.get())) {
                                                    const std::filesystem::path file =
                                                        folder / (which.name + "_inside.fst");
                                                    rtl->open_trace(file);
                                                    files += "inside of the RTL: " + file.string() + "\n";
                                                }
                                                return chip;
                                            }};
    };
    lockstep bench(compare(run, make(first), make(second)));
    tlm::trace::trace_config trace;
    trace.file = folder / "both.fst";
    trace.from = failed > cycles_before ? failed - cycles_before : 0;
    tlm::trace::wave_recorder recorder(trace, "equivalence", headers,
                                       {{first.name, &bench.chip(0), {}}, {second.name, &bench.chip(1), {}}});
    hw::engine::cycle last = 0;
    const std::optional<difference> again = bench.run(
        [&](hw::engine::cycle now, const hw::engine::pins& in, const std::array<const hw::engine::pins*, 2>& out) {
            for (unsigned which = 0; which < 2; ++which)
                recorder.stepped(which, now, in, *out[which], bench.chip(which));
            last = now;
        });
    // Recording must not disturb: the same difference has to come again.
    if (!again || again->cycle != failed) {
        files += again ? "while recording, the first difference is in cycle " + std::to_string(again->cycle) + ": " +
                             again->what + "\n"
                       : "while recording, there is no difference\n";
    }
    const tlm::trace::recording recording = recorder.finish(last + 2);
    if (recording.written)
        files += "both sides: " + recording.wave_file.string() + ", save file " + recording.save_file.string() + "\n";
    return files;
}

}  // namespace

std::string write_waves(const switch_run& run, const contender& first, const contender& second, std::uint64_t failed,
                        const std::filesystem::path& folder) {
    return record(run, first, second, failed, run.params.header_shape(), folder);
}

std::string write_waves(const router_run& run, const router_contender& first, const router_contender& second,
                        std::uint64_t failed, const std::filesystem::path& folder) {
    return record(run, first, second, failed, {}, folder);
}

std::string write_waves(const coding_run& run, const coding_contender& first, const coding_contender& second,
                        std::uint64_t failed, const std::filesystem::path& folder) {
    return record(run, first, second, failed, {}, folder);
}

std::string write_waves(const broadcast_run& run, const broadcast_contender& first, const broadcast_contender& second,
                        std::uint64_t failed, const std::filesystem::path& folder) {
    return record(run, first, second, failed, {}, folder);
}

std::string write_waves(const vl_switch_run& run, const vl_switch_contender& first, const vl_switch_contender& second,
                        std::uint64_t failed, const std::filesystem::path& folder) {
    return record(run, first, second, failed, {}, folder);
}

}  // namespace polycast::testbench::equivalence
