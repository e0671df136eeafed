// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/rank_border.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "hw/engine/thrown.h"

namespace polycast::hw::fabric {

namespace {

// A message has the number of flits, then each with its time in the window, behind a head the packet, then credits.
// Ranks have the same build.
template <typename value>
void append(std::string& to, const value& what) {
    static_assert(std::has_unique_object_representations_v<value>);
    to.append(reinterpret_cast<const char*>(&what), sizeof what);
}
template <typename value>
value take(const char*& from) {
    value what;
    std::memcpy(&what, from, sizeof what);
    from += sizeof what;
    return what;
}

constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();

}  // namespace

rank_border::rank_border(std::shared_ptr<engine::rank_group> ranks, std::uint32_t rank_nodes)
    : ranks_(std::move(ranks)), rank_nodes_(rank_nodes), place_(ranks_->size(), nobody) {}

void rank_border::join(std::uint32_t from, std::uint32_t to) {
    const unsigned at = from / rank_nodes_, other = to / rank_nodes_;
    if (at == other) return;
    ++costs_.cables;
    if (at != ranks_->rank() || place_[other] != nobody) return;
    place_[other] = neighbours_.size();
    neighbours_.push_back(other);
}

unsigned rank_border::windows(engine::cycle first) {
    constexpr unsigned most = 64;
    batch_ = first <= reached_ ? std::min(2 * batch_, most) : 1;
    return batch_;
}

std::string rank_border::letters(std::vector<partition>& parts, std::size_t place, engine::cycle begin,
                                 packet_pool& packets) {
    using chips::flit_info;
    std::string bytes;
    const auto boxed = [&](partition& part) -> mailbox& { return part.outbox[part.turn][parts.size() + place]; };
    std::uint32_t flits = 0;
    for (partition& part : parts) flits += static_cast<std::uint32_t>(boxed(part).flits.size());
    append(bytes, flits);
    for (partition& part : parts) {
        for (const auto& letter : boxed(part).flits) {
            append(bytes, static_cast<std::uint32_t>(letter.when - begin));
            append(bytes, letter.what);
            const packet_id id = letter.what.packet;
            if ((letter.what.info & flit_info::head) != 0) {
                append(bytes, packets[id]);
                append(bytes, packets.target(id));
                packets.leave(id);
            }
            if ((letter.what.info & flit_info::tail) != 0) packets.free_record(id);
        }
    }
    for (partition& part : parts) {
        for (const auto& letter : boxed(part).credits) {
            append(bytes, static_cast<std::uint32_t>(letter.when - begin));
            append(bytes, letter.what);
        }
        boxed(part).clear();
    }
    return bytes;
}

void rank_border::read(const std::string& letters, engine::cycle begin, std::vector<partition>& parts,
                       std::uint32_t partition_nodes, packet_pool& packets) {
    using chips::flit_info;
    const auto slot = [&](std::uint32_t node, engine::cycle when) -> time_slot& {
        return parts[(node - parts.front().first) / partition_nodes].slot_at(when);
    };
    const char* from = letters.data();
    for (auto flits = take<std::uint32_t>(from); flits != 0; --flits) {
        const engine::cycle when = begin + take<std::uint32_t>(from);
        auto flit = take<flit_event>(from);
        const std::uint64_t input = std::uint64_t{flit.node} << 16 | flit.input_vc;
        if ((flit.info & flit_info::head) != 0) {
            flit.packet = packets.take();
            packets[flit.packet] = take<packet>(from);
            packets.target(flit.packet) = take<packet_target>(from);
            if ((flit.info & flit_info::tail) == 0) incoming_[input] = flit.packet;
        } else {
            const auto found = incoming_.find(input);
            flit.packet = found->second;
            if ((flit.info & flit_info::tail) != 0) incoming_.erase(found);
        }
        auto& list = slot(flit.node, when).flits;
        list.make_room(1);
        list.add(flit);
    }
    while (from != letters.data() + letters.size()) {
        const engine::cycle when = begin + take<std::uint32_t>(from);
        const auto credit = take<credit_event>(from);
        auto& list = slot(credit.at, when).credits;
        list.make_room(1);
        list.add(credit);
    }
}

/// Does a part of what is no simulation.
template <typename action>
auto rank_border::timed(const action& act) {
    const auto begin = std::chrono::steady_clock::now();
    auto done = act();
    costs_.waiting += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return done;
}

void rank_border::exchange(engine::cycle begin, engine::cycle end, std::vector<partition>& parts,
                           std::uint32_t partition_nodes, packet_pool& packets) {
    ++costs_.windows;
    reached_ = end;
    std::vector<std::string> out;
    for (std::size_t place = 0; place < neighbours_.size(); ++place) {
        out.push_back(letters(parts, place, begin, packets));
        costs_.bytes += out.back().size();
    }
    for (const std::string& in : timed([&] { return ranks_->exchange(neighbours_, out); }))
        read(in, begin, parts, partition_nodes, packets);
}

common_state rank_border::agree(const common_state& own, const partition_failure& failed) {
    ++costs_.batches;
    // The first rank of those that failed first.
    const std::uint64_t size = ranks_->size();
    const std::uint64_t failure = failed.what ? failed.when * size + ranks_->rank() : engine::never;
    std::array<std::uint64_t, 3> least{own.next, ~own.quiet_from, failure};
    timed([&] { return ranks_->least(least), 0; });
    if (least[2] == engine::never) return {least[0], ~least[1]};
    const auto first = static_cast<unsigned>(least[2] % size);
    const bool here = first == ranks_->rank();
    const std::vector<std::string> all = ranks_->gather(here ? engine::packed_exception(failed.what) : std::string());
    if (!ranks_->first()) throw engine::simulated_elsewhere();
    if (here) std::rethrow_exception(failed.what);
    engine::throw_packed(all[first]);
}

engine::rank_costs rank_border::costs(engine::cycle window) const {
    engine::rank_costs all = costs_;
    all.cables /= 2;  // told from both ends
    all.window = window;
    return all;
}

}  // namespace polycast::hw::fabric
