// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/lanes/lane_messages.h"

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
    builder(const lane_plan& plan, std::uint64_t bytes, std::uint64_t piece, std::uint32_t segments)
        : plan_(plan), bytes_(bytes), piece_(piece) {
        const bool joined =
            std::ranges::any_of(plan.edges, [](const lane_edge& edge) { return edge.lanes == lane_choice::both; });
        halves_ = joined ? 2 : 1;
        if (std::ranges::all_of(plan.edges, &lane_edge::pipelined)) segments_ = segments;
        suppliers_.assign(std::size_t{plan.nodes()} * halves_ * plan.parts * segments_, lane_message::none);
        followed_.resize(std::size_t{plan.nodes()} * collectives::broadcast_lanes);
    }

    std::vector<lane_message> build() {
        for (const lane_edge& edge : plan_.edges) {
            const bool joined = edge.lanes == lane_choice::both;
            for (unsigned half = 0; half < halves_; ++half) add(edge, joined ? half : edge.uses(0) ? 0 : 1, half);
        }
        return std::move(messages_);
    }

private:
    std::uint32_t& supplier(std::uint32_t node, unsigned half, std::uint32_t segment) {
        return suppliers_[(std::size_t{node} * halves_ + half) * plan_.parts * segments_ + segment];
    }
    std::uint32_t supplier(std::uint32_t node, unsigned half, std::uint32_t segment) const {
        return suppliers_[(std::size_t{node} * halves_ + half) * plan_.parts * segments_ + segment];
    }

    /// Segments count through all parts.
    byte_range range_of(unsigned half, std::uint32_t segment) const {
        const byte_range all = collectives::part_of(bytes_, halves_, half);
        const byte_range part = collectives::part_of(all.bytes, plan_.parts, segment / segments_);
        const std::uint64_t share = (part.bytes + segments_ - 1) / segments_;
        const std::uint64_t most = (share + piece_ - 1) / piece_ * piece_;
        const std::uint64_t first = std::min(segment % segments_ * most, part.bytes);
        return {all.first + part.first + first, std::min(most, part.bytes - first)};
    }

    struct draft {
        lane_message message;
        std::uint32_t first = 0;
        std::uint32_t end = 0;  ///< of its segments
    };

    /// What the parent sends before on this lane has followed it, so it is complete by then.
    bool followed(const lane_message& own, std::uint32_t number) const {
        return std::ranges::find(followed_of(own), number) != followed_of(own).end();
    }
    const std::vector<std::uint32_t>& followed_of(const lane_message& own) const {
        return followed_[std::size_t{own.parent} * collectives::broadcast_lanes + own.lane];
    }

    /// Adds a part to a message that is not pipelined, if it can. Pieces of a pipelined message count from its first
    /// byte, so one is joined with nothing.
    bool join(lane_message& own, unsigned half, std::uint32_t segment) const {
        const std::uint32_t next = supplier(own.parent, half, segment);
        if (range_of(half, segment).bytes == 0) return true;
        if (next != own.supplier) {
            if (messages_[next].pipelined || messages_[own.supplier].pipelined) return false;
            if (!followed(own, next)) {
                if (!followed(own, own.supplier)) return false;
                own.supplier = next;
            }
            if (std::ranges::find(own.sources, next) == own.sources.end()) own.sources.push_back(next);
        }
        own.range.bytes += range_of(half, segment).bytes;
        return true;
    }

    /// The messages of an edge on one lane with what belongs to one half.
    void add(const lane_edge& edge, unsigned lane, unsigned half) {
        const std::uint64_t piece = edge.lanes == lane_choice::both ? (piece_ + 1) / 2 : piece_;
        const std::uint32_t end = (edge.first_part + edge.parts) * segments_;
        std::vector<draft> drafts;
        for (std::uint32_t at = edge.first_part * segments_; at < end;) {
            lane_message own{.parent = edge.parent, .child = edge.child, .lane = lane, .range = range_of(half, at)};
            own.supplier = supplier(edge.parent, half, at);
            if (own.supplier != lane_message::none) own.sources.push_back(own.supplier);
            own.pipelined = edge.pipelined;
            own.wide = edge.wide;
            const std::uint32_t first = at++;
            if (own.range.bytes == 0) continue;
            while (!edge.pipelined && at < end && join(own, half, at)) ++at;
            // What is not pipelined counts once, when it is complete.
            own.step = static_cast<std::uint32_t>(edge.pipelined ? std::min(piece, own.range.bytes) : own.range.bytes);
            drafts.push_back({std::move(own), first, at});
        }
        if (!edge.pipelined) {
            const auto age = [](const draft& one) { return one.message.supplier + 1; };  // none: 0, the oldest
            std::ranges::stable_sort(drafts, std::ranges::greater{}, age);
        }
        for (draft& one : drafts) {
            for (const std::uint32_t source : one.message.sources) messages_[source].followed = true;
            if (one.message.supplier != lane_message::none && !followed(one.message, one.message.supplier))
                followed_[std::size_t{edge.parent} * collectives::broadcast_lanes + lane].push_back(
                    one.message.supplier);
            for (std::uint32_t segment = one.first; segment < one.end; ++segment)
                supplier(edge.child, half, segment) = static_cast<std::uint32_t>(messages_.size());
            messages_.push_back(std::move(one.message));
        }
    }

    const lane_plan& plan_;
    std::uint64_t bytes_;
    std::uint64_t piece_;
    unsigned halves_ = 1;
    std::uint32_t segments_ = 1;                        ///< of each part
    std::vector<std::uint32_t> suppliers_;              ///< [node][half][segment]
    std::vector<std::vector<std::uint32_t>> followed_;  ///< [node][lane] by messages so far
    std::vector<lane_message> messages_;
};

}  // namespace

std::vector<lane_message> lane_messages(const lane_plan& plan, std::uint64_t bytes, std::uint64_t piece,
                                        std::uint32_t segments) {
    if (bytes == 0) throw input_error("a broadcast of no bytes", "1 or more");
    if (bytes > most_bytes)
        throw input_error("a broadcast of " + std::to_string(bytes) + " bytes does not fit into a region",
                          "at most " + std::to_string(most_bytes));
    if (piece == 0) throw input_error("pieces of no bytes", "1 or more");
    if (segments == 0) throw input_error("messages of no segment", "1 or more");
    return builder(plan, bytes, piece, segments).build();
}

}  // namespace polycast::hw::lanes
