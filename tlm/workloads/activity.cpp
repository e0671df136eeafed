// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/activity.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "hw/ni/abi/ni_firmware.h"

namespace polycast::tlm::sim {

using hw::ni::resource;

void activity_recorder::used(const hw::ni::span_record& span) {
    if (span.begin == span.end || span.end <= from_) return;
    if (recorded_.spans.size() == most_spans) {
        recorded_.cut = true;
        return;
    }
    recorded_.spans.push_back(span);
}

void activity_recorder::called(function_span span) {
    if (span.end <= from_) return;
    span.begin = std::max(span.begin, from_);
    if (recorded_.functions.size() == most_spans) {
        recorded_.cut = true;
        return;
    }
    recorded_.functions.push_back(std::move(span));
}

activity activity_recorder::take() {
    activity taken;
    std::swap(taken, recorded_);
    std::ranges::stable_sort(taken.spans, {}, [](const hw::ni::span_record& span) {
        return std::tuple(span.begin, span.host, span.where, span.end);
    });
    std::ranges::stable_sort(taken.functions, {}, [](const function_span& span) {
        return std::tuple(span.begin, span.host, span.depth, span.end);
    });
    return taken;
}

std::string_view name_of(resource where) {
    constexpr std::array<std::string_view, 5> names{"host_processor", "bus", "ni_processor", "link_out", "link_in"};
    return names[static_cast<std::size_t>(where)];
}

std::string_view use_of(const hw::ni::span_record& span) {
    constexpr std::array<std::string_view, 2> host{"send", "receive"};
    constexpr std::array<std::string_view, 4> bus{"from_host", "to_host", "completion", "count"};
    constexpr std::array<std::string_view, NI_OPERATIONS> operations{"idle", "keep", "receive", "send", "command"};
    const auto pick = [&](const auto& names) {
        return span.what < names.size() ? names[span.what] : std::string_view("other");
    };
    switch (span.where) {
        case resource::host_processor: return pick(host);
        case resource::bus: return pick(bus);
        case resource::ni_processor: return pick(operations);
        case resource::link_out:
        case resource::link_in: return "packet";
    }
    return "other";
}

}  // namespace polycast::tlm::sim
