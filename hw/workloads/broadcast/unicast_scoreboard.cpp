// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/broadcast/unicast_scoreboard.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "hw/format/header.h"
#include "hw/traffic/random.h"

namespace polycast::hw::broadcast {

using std::to_string;

namespace {

/// Of the payload of a unicast, apart from those of messages.
constexpr std::uint64_t unicast_payloads = std::uint64_t{1} << 63;

std::string name(std::uint32_t source, std::uint32_t number) {
    return "unicast " + to_string(number) + " of node " + to_string(source);
}

}  // namespace

unicast_scoreboard::unicast_scoreboard(const params& what)
    : params_(what),
      header_bytes_(what.shape.header_bytes != 0 ? 0 : format::unicast_header_bytes),
      numbers_(what.nodes),
      on_their_way_(what.nodes),
      arrivals_(std::size_t{what.nodes} * what.shape.vcs),
      data_(what.shape.flit_bytes),
      header_(what.shape.header_bytes) {}

unicast unicast_scoreboard::begin(std::uint32_t source, std::uint32_t destination, std::uint8_t vc) {
    ++begun_;
    return on_their_way_[source].emplace_back(unicast{source, numbers_[source]++, destination, vc});
}

void unicast_scoreboard::write(const unicast& what, unsigned flit, std::uint8_t* data, std::uint8_t* header) const {
    const std::size_t bytes = params_.shape.flit_bytes;
    const std::size_t skipped = flit == 0 ? header_bytes_ : 0;
    const std::size_t before = flit == 0 ? 0 : flit * bytes - header_bytes_;
    traffic::fill_payload(params_.seed, unicast_payloads | std::uint64_t{what.source} << 32 | what.number,
                          std::span(data + skipped, bytes - skipped), before);
    if (flit != 0) return;
    std::uint8_t* const to = header_bytes_ != 0 ? data : header;
    if (header_bytes_ == 0) std::fill_n(header, params_.shape.header_bytes, std::uint8_t{0});
    format::write_common({.source = what.source,
                          .sequence = what.number,
                          .length = static_cast<std::uint16_t>(params_.flits * bytes - header_bytes_)},
                         to);
    format::write_field<format::destination_field>(to, what.destination);
}

std::string unicast_scoreboard::came(std::uint32_t node, const engine::flit& flit) {
    arrival& at = arrivals_[std::size_t{node} * params_.shape.vcs + flit.vc];
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
    const std::string who = name(fields.source, fields.sequence);
    std::vector<unicast>& others = on_their_way_[fields.source];
    const auto place = std::ranges::find(others, fields.sequence, &unicast::number);
    if (place == others.end())
        return who + (fields.sequence < numbers_[fields.source] ? " once more" : ", which was not sent");
    if (place->destination != node) return who + ", which is for node " + to_string(place->destination);
    const auto earlier = std::find_if(others.begin(), place, [&](const unicast& other) {
        return other.destination == node && other.vc == place->vc;
    });
    if (params_.ordered && earlier != place) return who + " before number " + to_string(earlier->number);
    found = *place;
    others.erase(place);
    return {};
}

std::string unicast_scoreboard::compare(const arrival& at, const engine::flit& flit) {
    const std::string who = name(at.what.source, at.what.number);
    if (at.flit >= params_.flits || flit.tail != (at.flit + 1 == params_.flits)) return who + " with another length";
    write(at.what, at.flit, data_.data(), header_.data());
    const bool same = std::memcmp(flit.data, data_.data(), data_.size()) == 0;
    const bool same_header =
        !flit.head || header_.empty() || std::ranges::equal(header_, std::span(flit.header, header_.size()));
    return same && same_header ? "" : who + " with wrong bytes in flit " + to_string(at.flit);
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
    for (const std::vector<unicast>& of_source : on_their_way_) std::ranges::for_each(of_source, show);
    for (const arrival& at : arrivals_)
        if (at.flit != 0) show(at.what);
    return text;
}

}  // namespace polycast::hw::broadcast
