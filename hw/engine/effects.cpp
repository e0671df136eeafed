// SPDX-License-Identifier: Apache-2.0
#include "hw/engine/effects.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <optional>
#include <tuple>

#include "hw/engine/told.h"

namespace polycast::hw::engine {

namespace {

using turn = std::pair<cycle, std::uint32_t>;

}  // namespace

std::string effect_writer::take() {
    std::string bytes = std::exchange(bytes_, std::ostringstream()).str();
    std::vector<turn> turns = std::exchange(turns_, {});
    if (std::exchange(in_order_, true)) return bytes;
    std::vector<std::size_t> order(turns.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t index) { return turns[index].when_and_chip; });
    std::string sorted;
    for (const std::size_t index : order) {
        const std::size_t end = index + 1 < turns.size() ? turns[index + 1].place : bytes.size();
        sorted.append(bytes, turns[index].place, end - turns[index].place);
    }
    return sorted;
}

effect_log::effect_log() = default;
effect_log::~effect_log() = default;

void effect_log::write_down() {
    writer_ = std::make_unique<effect_writer>();
}

void effect_log::act(std::span<effect_log* const> logs, std::span<const std::string> written, const performer& perform,
                     cycle last, std::uint32_t last_chip) {
    std::vector<std::size_t> next(logs.size());
    std::deque<effect_reader> readers(written.begin(), written.end());
    const turn end{last, last_chip};
    // Another simulator steps the chips of a cycle in an order of its own.
    for (effect_log* const log : logs) {
        const auto turn_of = [](const entry& one) { return turn{one.when, one.chip}; };
        if (!std::ranges::is_sorted(log->entries_, {}, turn_of)) std::ranges::stable_sort(log->entries_, {}, turn_of);
    }
    while (true) {
        std::optional<turn> first;
        std::size_t log_of_first = logs.size();
        effect_reader* reader_of_first = nullptr;
        for (std::size_t log = 0; log < logs.size(); ++log) {
            if (next[log] == logs[log]->entries_.size()) continue;
            const entry& one = logs[log]->entries_[next[log]];
            if (first && *first <= turn{one.when, one.chip}) continue;
            first = {one.when, one.chip};
            log_of_first = log;
        }
        for (effect_reader& reader : readers) {
            if (reader.over() || (first && *first <= turn{reader.when(), reader.chip()})) continue;
            first = {reader.when(), reader.chip()};
            reader_of_first = &reader;
        }
        if (!first || end < *first) break;
        if (reader_of_first != nullptr) {
            perform(first->second, *reader_of_first);
            reader_of_first->next();
        } else {
            logs[log_of_first]->entries_[next[log_of_first]++].act();
        }
    }
    for (effect_log* const log : logs) log->entries_.clear();
}

}  // namespace polycast::hw::engine
