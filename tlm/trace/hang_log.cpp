// SPDX-License-Identifier: Apache-2.0
#include "tlm/trace/hang_log.h"

#include <algorithm>

namespace polycast::tlm::trace {

namespace engine = hw::engine;
using engine::cycle;

hang_log::hang_log(const std::vector<engine::chip_id>& hosts, const log_window& window, hang_store& store)
    : window_(window), store_(store) {
    for (const engine::chip_id id : hosts) hosts_.push_back({false, {id, 0, 0}});
}

/// After the step of a cycle a host is in the state of the next one.
void hang_log::stepped(engine::chip_id id, cycle now, const engine::pins& /*in*/, const engine::pins& /*out*/,
                       const engine::chip& chip) {
    const auto host = std::ranges::find(hosts_, id, [](const watched_host& each) { return each.now.host; });
    if (host == hosts_.end()) return;
    if (now != now_) tell();
    now_ = now;
    chip.probe(probe_);
    const bool hangs = std::ranges::any_of(probe_.interfaces, &engine::chip_probe::interface::hung);
    if (hangs && !host->hangs) host->now.first = now + 1;
    if (!hangs && host->hangs) ends(*host, now);
    host->hangs = hangs;
}

void hang_log::ends(watched_host& host, cycle last) {
    host.now.last = last;
    if (last >= window_.from && host.now.first < window_.to) ended_.push_back(host.now);
}

void hang_log::tell() {
    std::ranges::sort(ended_, {}, &logged_hang::host);
    for (const logged_hang& hang : ended_) store_.add(hang);
    ended_.clear();
}

void hang_log::finish(cycle end) {
    tell();
    for (watched_host& host : hosts_)
        if (host.hangs && host.now.first < end) ends(host, end - 1);
    tell();
}

}  // namespace polycast::tlm::trace
