// SPDX-License-Identifier: Apache-2.0
// What a driver does where its interface stands still.
#include <algorithm>
#include <array>

#include "hw/host/process.h"

namespace polycast::hw::host {

/// Commands that the interface has taken and not answered.
std::vector<process::waiting_command> process::given() const {
    const auto waits = [this](command_kind kind, std::uint32_t index) {
        const auto same = [=](const waiting_command& one) { return one.kind == kind && one.index == index; };
        return static_cast<std::uint32_t>(std::ranges::count_if(urgent_, same) + std::ranges::count_if(waiting_, same));
    };
    std::vector<waiting_command> all;
    const auto add = [&](command_kind kind, std::size_t index, std::uint32_t commands) {
        const auto number = static_cast<std::uint32_t>(index);
        for (std::uint32_t part = waits(kind, number); part < commands; ++part) all.push_back({kind, number, part});
    };
    for (std::size_t i = 0; i < sends_.items.size(); ++i)
        add(command_kind::send, i, sends_.items[i].active && sends_.items[i].given ? 1 : 0);
    for (std::size_t i = 0; i < groups_.items.size(); ++i)
        if (groups_.items[i].active) add(command_kind::group, i, groups_.items[i].parts - groups_.items[i].answers);
    for (std::size_t i = 0; i < withdrawals_.items.size(); ++i)
        add(command_kind::withdraw, i, withdrawals_.items[i].active && withdrawals_.items[i].given ? 1 : 0);
    for (std::size_t i = 0; i < landings_.items.size(); ++i)
        add(command_kind::landing, i, landings_.items[i].active ? 1 : 0);
    for (std::size_t i = 0; i < counters_.items.size(); ++i)
        add(command_kind::counter, i, counters_.items[i].active ? 1 : 0);
    for (std::size_t i = 0; i < buffers_.size(); ++i)
        add(command_kind::receive, i, buffers_[i].state == buffer_state::posted ? 1 : 0);
    add(command_kind::statistics, 0, static_cast<std::uint32_t>(questions_));
    return all;
}

void process::hung(cycle when) {
    if (client_ == nullptr) return;
    completion(when);  // what was written before
    space_ = 0;
    full_ = true;
    std::array<std::uint32_t, NI_COMPLETION_WORDS> entry{};
    entry[NI_COMPLETION_KIND] = NI_COMPLETION_FAILED | static_cast<std::uint32_t>(NI_STATUS_HUNG) << 8;
    entry[NI_COMPLETION_GROUP] = 0xffff;
    report(when, entry);
    for (const waiting_command& command : given()) answer(when, command.kind, command.index, NI_STATUS_HUNG);
}

}  // namespace polycast::hw::host
