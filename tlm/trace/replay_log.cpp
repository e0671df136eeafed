// SPDX-License-Identifier: Apache-2.0
#include "tlm/trace/replay_log.h"

#include <algorithm>
#include <tuple>

#include "hw/chips/link/link_counters.h"

namespace polycast::tlm::trace {

namespace engine = hw::engine;
using engine::cycle;

replay_log::replay_log(const std::vector<engine::chip_id>& cables, const log_window& window, replay_store& store)
    : window_(window), store_(store), cables_(cables.size()) {
    for (std::uint32_t place = 0; place < cables.size(); ++place) {
        if (cables[place] >= places_.size()) places_.resize(cables[place] + 1);
        places_[cables[place]] = place + 1;
        for (unsigned end = 0; end < 2; ++end) cables_[place][end].now = {cables[place], end};
    }
}

void replay_log::stepped(engine::chip_id id, cycle now, const engine::pins& /*in*/, const engine::pins& /*out*/,
                         const engine::chip& chip) {
    if (id >= places_.size() || places_[id] == 0) return;
    if (now != now_) tell();
    now_ = now;
    chip.probe(probe_);
    for (unsigned which = 0; which < 2; ++which) {
        link_end& end = cables_[places_[id] - 1][which];
        const engine::chip_probe::link_end& state = probe_.ends[which];
        const bool replays = state.tx == static_cast<std::uint8_t>(hw::chips::link_tx_state::replay);
        const bool starts = replays && (!end.replays || state.replays > end.count);
        if (end.replays && (starts || !replays)) ends(end, now - 1);
        if (starts) {
            end.now.first = now;
            end.now.by_timer = end.timer <= now;
        }
        end.replays = replays;
        end.count = state.replays;
        end.timer = state.timer;
    }
}

void replay_log::ends(link_end& end, cycle last) {
    end.now.last = last;
    if (last >= window_.from && last < window_.to) ended_.push_back(end.now);
}

void replay_log::tell() {
    std::ranges::sort(ended_, {}, [](const link_replay& replay) { return std::tuple(replay.cable, replay.end); });
    for (const link_replay& replay : ended_) store_.add(replay);
    ended_.clear();
}

void replay_log::finish(cycle end) {
    tell();
    for (std::array<link_end, 2>& cable : cables_)
        for (link_end& one : cable)
            if (one.replays) ends(one, end - 1);
    tell();
}

}  // namespace polycast::tlm::trace
