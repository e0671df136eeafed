// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/rails/stripe_assembly.h"

#include <algorithm>
#include <iterator>

namespace polycast::hw::rails {

/// Looks at what the header says, before anything is kept.
std::string_view stripe_assembly::why_not(const stripe& part) const {
    if (part.content.empty()) return "is too short";
    if (part.total > limits_.longest) return "is of a message that no receive buffer holds";
    const auto length = static_cast<std::uint32_t>(part.content.size());
    if (part.offset > part.total || length > part.total - part.offset) return "does not fit its message";
    const auto found = open_.find({part.from, part.message});
    if (found == open_.end()) return "";
    if (found->second.total != part.total) return "does not fit the others";
    const auto& parts = found->second.parts;
    const auto behind = parts.upper_bound(part.offset);
    if (behind != parts.end() && behind->first - part.offset < length) return "overlaps another";
    if (behind == parts.begin()) return "";
    const auto& [offset, bytes] = *std::prev(behind);
    return part.offset - offset < bytes.size() ? "overlaps another" : "";
}

incomplete_message stripe_assembly::give_up(open_messages::iterator which) {
    const auto& [name, what] = *which;
    const incomplete_message lost{name.first, name.second, what.there, what.total};
    bytes_ -= what.there;
    open_.erase(which);
    return lost;
}

/// Of the messages of a sender that has its share, the one that has been silent for longest goes.
std::optional<incomplete_message> stripe_assembly::make_room(process_id from) {
    const auto first = open_.lower_bound({from, 0});
    auto last = first;
    std::size_t count = 0;
    auto oldest = first;
    for (; last != open_.end() && last->first.first == from; ++last, ++count)
        if (last->second.last < oldest->second.last) oldest = last;
    if (count < limits_.messages) return std::nullopt;
    return give_up(oldest);
}

stripe_assembly::outcome stripe_assembly::add(cycle now, const stripe& part) {
    outcome made;
    made.refused = why_not(part);
    if (!made.refused.empty()) return made;
    const id key{part.from, part.message};
    auto found = open_.find(key);
    if (found == open_.end()) {
        if (part.content.size() == part.total) {  // all of it in one stripe
            made.whole.emplace(part.content.begin(), part.content.end());
            return made;
        }
        made.lost = make_room(part.from);
        found = open_.emplace(key, message{.total = part.total}).first;
    }
    message& whole = found->second;
    whole.last = now;
    whole.there += static_cast<std::uint32_t>(part.content.size());
    bytes_ += part.content.size();
    whole.parts.emplace(part.offset, std::vector<std::uint8_t>(part.content.begin(), part.content.end()));
    if (whole.there < whole.total) return made;
    std::vector<std::uint8_t>& bytes = made.whole.emplace();
    bytes.reserve(whole.total);
    for (const auto& [offset, content] : whole.parts) bytes.insert(bytes.end(), content.begin(), content.end());
    bytes_ -= whole.there;
    open_.erase(found);
    return made;
}

std::vector<incomplete_message> stripe_assembly::expire(cycle now) {
    std::vector<incomplete_message> lost;
    for (auto each = open_.begin(); each != open_.end();) {
        const auto which = each++;
        if (which->second.last + limits_.life <= now) lost.push_back(give_up(which));
    }
    return lost;
}

cycle stripe_assembly::next() const {
    const auto oldest = std::ranges::min_element(open_, {}, [](const auto& each) { return each.second.last; });
    return oldest == open_.end() ? engine::never : oldest->second.last + limits_.life;
}

}  // namespace polycast::hw::rails
