// SPDX-License-Identifier: Apache-2.0
#include "hw/lanes/lane_messages.h"

#include <algorithm>
#include <string>

#include "hw/input_error.h"

namespace polycast::hw::lanes {

using collectives::byte_range;
using collectives::lane_choice;
using collectives::lane_edge;
using collectives::lane_plan;

namespace {

/// Goes through the edges of a plan and notes who has what from whom.
class builder {
public:
    builder(const lane_plan& plan, std::uint64_t bytes, std::uint64_t piece)
        : plan_(plan), bytes_(bytes), piece_(piece) {
        const bool joined =
            std::ranges::any_of(plan.edges, [](const lane_edge& edge) { return edge.lanes == lane_choice::both; });
        halves_ = joined ? 2 : 1;
        suppliers_.assign(std::size_t{plan.nodes()} * halves_ * plan.parts, lane_message::none);
    }

    std::vector<lane_message> build() {
        for (const lane_edge& edge : plan_.edges) {
            const bool joined = edge.lanes == lane_choice::both;
            for (unsigned half = 0; half < halves_; ++half) add(edge, joined ? half : edge.uses(0) ? 0 : 1, half);
        }
        return std::move(messages_);
    }

private:
    std::uint32_t& supplier(std::uint32_t node, unsigned half, std::uint32_t part) {
        return suppliers_[(std::size_t{node} * halves_ + half) * plan_.parts + part];
    }

    byte_range range_of(unsigned half, std::uint32_t part) const {
        const byte_range all = collectives::part_of(bytes_, halves_, half);
        const byte_range own = collectives::part_of(all.bytes, plan_.parts, part);
        return {all.first + own.first, own.bytes};
    }

    struct draft {
        lane_message message;
        std::uint32_t first_part = 0;
        std::uint32_t end_part = 0;
    };

    /// The messages of an edge on one lane with what belongs to one half.
    void add(const lane_edge& edge, unsigned lane, unsigned half) {
        const std::uint64_t piece = edge.lanes == lane_choice::both ? (piece_ + 1) / 2 : piece_;
        const std::uint32_t end = edge.first_part + edge.parts;
        std::vector<draft> drafts;
        for (std::uint32_t part = edge.first_part; part < end;) {
            lane_message own{.parent = edge.parent, .child = edge.child, .lane = lane, .range = range_of(half, part)};
            own.supplier = supplier(edge.parent, half, part);
            own.pipelined = edge.pipelined;
            own.wide = edge.wide;
            const std::uint32_t first = part++;
            if (!edge.pipelined) {
                for (; part < end && supplier(edge.parent, half, part) == own.supplier; ++part)
                    own.range.bytes += range_of(half, part).bytes;
            }
            // What is not pipelined counts once, when it is complete.
            own.step = static_cast<std::uint32_t>(edge.pipelined ? std::min(piece, own.range.bytes) : own.range.bytes);
            if (own.range.bytes != 0) drafts.push_back({own, first, part});
        }
        if (!edge.pipelined) {
            const auto age = [](const draft& one) { return one.message.supplier + 1; };  // none: 0, the oldest
            std::ranges::stable_sort(drafts, std::ranges::greater{}, age);
        }
        for (const draft& one : drafts) {
            if (one.message.supplier != lane_message::none) messages_[one.message.supplier].followed = true;
            for (std::uint32_t part = one.first_part; part < one.end_part; ++part)
                supplier(edge.child, half, part) = static_cast<std::uint32_t>(messages_.size());
            messages_.push_back(one.message);
        }
    }

    const lane_plan& plan_;
    std::uint64_t bytes_;
    std::uint64_t piece_;
    unsigned halves_ = 1;
    std::vector<std::uint32_t> suppliers_;  ///< [node][half][part]
    std::vector<lane_message> messages_;
};

}  // namespace

std::vector<lane_message> lane_messages(const lane_plan& plan, std::uint64_t bytes, std::uint64_t piece) {
    if (bytes == 0) throw input_error("a broadcast of no bytes", "1 or more");
    if (bytes > most_bytes)
        throw input_error("a broadcast of " + std::to_string(bytes) + " bytes does not fit into a region",
                          "at most " + std::to_string(most_bytes));
    if (piece == 0) throw input_error("pieces of no bytes", "1 or more");
    return builder(plan, bytes, piece).build();
}

}  // namespace polycast::hw::lanes
