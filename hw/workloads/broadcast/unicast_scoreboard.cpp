// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/broadcast/unicast_scoreboard.h"

#include <algorithm>

#include "hw/format/header.h"
#include "hw/traffic/random.h"

namespace polycast::hw::broadcast {

using std::to_string;

namespace {

/// Of the payload of a unicast, apart from those of messages.
constexpr std::uint64_t unicast_payloads = std::uint64_t{1} << 63;

std::uint64_t transfer_of(const unicast& what) {
    return unicast_payloads | std::uint64_t{what.source} << 32 | what.number;
}

std::string name(std::uint32_t source, std::uint32_t number) {
    return "unicast " + to_string(number) + " of node " + to_string(source);
}

}  // namespace

unicast_scoreboard::unicast_scoreboard(const params& what)
    : check(what.seed),
      params_(what),
      header_bytes_(what.shape.header_bytes != 0 ? 0 : format::unicast_header_bytes),
      numbers_(what.nodes),
      arrivals_(std::size_t{what.nodes} * what.shape.vcs),
      header_(header_bytes_ != 0 ? header_bytes_ : what.shape.header_bytes) {}

unicast unicast_scoreboard::begin(std::uint32_t source, std::uint32_t destination, std::uint8_t vc) {
    ++begun_;
    const unicast made{source, numbers_[source]++, destination, vc};
    on_their_way_.add({source, made.number}, made);
    return made;
}

void unicast_scoreboard::write(const unicast& what, unsigned flit, std::uint8_t* data, std::uint8_t* header) const {
    const std::span<std::uint8_t> bytes(data, params_.shape.flit_bytes);
    traffic::fill_payload(params_.seed, transfer_of(what), bytes.subspan(header_in(flit)), payload_before(flit));
    if (flit != 0) return;
    make_header(what, header_bytes_ != 0 ? bytes.first(header_bytes_) : std::span(header, params_.shape.header_bytes));
}

void unicast_scoreboard::make_header(const unicast& what, std::span<std::uint8_t> to) const {
    std::ranges::fill(to, std::uint8_t{0});
    format::write_common(
        {.source = what.source,
         .sequence = what.number,
         .length = static_cast<std::uint16_t>(params_.flits * params_.shape.flit_bytes - header_bytes_)},
        to.data());
    format::write_field<format::destination_field>(to.data(), what.destination);
}

std::string unicast_scoreboard::came(std::uint32_t node, const engine::flit& flit) {
    std::string wrong = look_at(node, arrivals_[std::size_t{node} * params_.shape.vcs + flit.vc], flit);
    if (!wrong.empty()) fault(wrong);
    return wrong;
}

std::string unicast_scoreboard::look_at(std::uint32_t node, arrival& at, const engine::flit& flit) {
    if (flit.head != (at.flit == 0)) {
        return at.flit == 0 ? "a unicast without a head"
                            : name(at.what.source, at.what.number) + " without its tail, and another one behind it";
    }
    if (flit.head) {
        const std::string wrong = take_head(node, header_bytes_ != 0 ? flit.data : flit.header, at.what);
        if (!wrong.empty()) return wrong;
    }
    const std::string wrong = compare(at, flit);
    ++at.flit;
    if (!flit.tail) return wrong;
    at.flit = 0;
    ++came_;
    return wrong;
}

/// \returns what is wrong; empty: `found` is the packet
std::string unicast_scoreboard::take_head(std::uint32_t node, const std::uint8_t* header, unicast& found) {
    const format::common_header fields = format::read_common(header);
    if (fields.source >= params_.nodes) return "a unicast of node " + to_string(fields.source) + ", which there is not";
    const auto who = [&fields] { return name(fields.source, fields.sequence); };
    const unicast* const place = on_their_way_.find({fields.source, fields.sequence});
    if (place == nullptr)
        return who() + (on_their_way_.known({fields.source, fields.sequence}) ? " once more" : ", which was not sent");
    if (place->destination != node) return who() + ", which is for node " + to_string(place->destination);
    found = *place;
    if (params_.ordered) {
        for (auto other = on_their_way_.first_of(found.source); other->second.number != found.number; ++other)
            if (other->second.destination == node && other->second.vc == found.vc)
                return who() + " before number " + to_string(other->second.number);
    }
    on_their_way_.erase({fields.source, fields.sequence});
    return {};
}

std::string unicast_scoreboard::compare(const arrival& at, const engine::flit& flit) {
    const auto who = [&] { return name(at.what.source, at.what.number); };
    if (at.flit >= params_.flits || flit.tail != (at.flit + 1 == params_.flits)) return who() + " with another length";
    const std::span<const std::uint8_t> bytes(flit.data, params_.shape.flit_bytes);
    bool same = !first_wrong(transfer_of(at.what), payload_before(at.flit), bytes.subspan(header_in(at.flit)));
    if (flit.head) {
        make_header(at.what, header_);
        same = same && std::equal(header_.begin(), header_.end(), header_bytes_ != 0 ? flit.data : flit.header);
    }
    return same ? "" : who() + " with wrong bytes in flit " + to_string(at.flit);
}

std::string unicast_scoreboard::missing() const {
    if (came_ == begun_) return {};
    constexpr std::size_t most = 5;
    std::string text = "of " + to_string(begun_) + " unicasts " + to_string(begun_ - came_) + " did not come";
    std::size_t shown = 0;
    const auto show = [&](const unicast& what) {
        if (shown++ < most) {
            text += (shown == 1 ? ": " : ", ") + to_string(what.number) + " of node " + to_string(what.source) +
                    " to node " + to_string(what.destination);
        }
    };
    for (const auto& [id, what] : on_their_way_) show(what);
    for (const arrival& at : arrivals_)
        if (at.flit != 0) show(at.what);
    return text;
}

}  // namespace polycast::hw::broadcast
