// SPDX-License-Identifier: Apache-2.0
/// \file Activity of hosts, buses, interface processors and links during one run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/ni/observer.h"

namespace polycast::tlm::sim {

/// A firmware function on an interface's processor, from its first to its last instruction.
struct function_span {
    std::uint32_t host = 0;
    std::uint32_t depth = 0;  ///< callers around it
    std::uint64_t begin = 0, end = 0;
    std::string name;

    template <typename archive>
    void serialize(archive& all) {
        all(host, depth, begin, end, name);
    }
};

/// What a run left for a chart, in order of begin, then host, resource, end.
struct activity {
    std::vector<hw::ni::span_record> spans;
    std::vector<function_span> functions;
    bool cut = false;  ///< there was more than `most_spans`

    bool empty() const { return spans.empty() && functions.empty(); }
};

/// Charts with more bars than this cannot be read; the first ones are kept.
inline constexpr std::size_t most_spans = 100000;

/// Records spans; everything else is passed over. One for a run, used by one thread.
class activity_recorder final : public hw::ni::observer {
public:
    /// What ends before cycle `from`, such as the start of the processors, is left out.
    explicit activity_recorder(std::uint64_t from) : from_(from) {}

    void arrived(hw::ni::cycle, const hw::ni::received_packet&) override {}
    void used(const hw::ni::span_record& span) override;
    bool wants_spans() const override { return true; }
    void called(function_span span);

    /// What was recorded, sorted; the recorder is empty afterwards.
    activity take();

private:
    std::uint64_t from_;
    activity recorded_;
};

/// Word for a table or a chart: "host_processor", "bus", ...
std::string_view name_of(hw::ni::resource where);
/// Word for what the resource was used for: "send", "to_host", "receive", ...
std::string_view use_of(const hw::ni::span_record& span);

}  // namespace polycast::tlm::sim
