// SPDX-License-Identifier: Apache-2.0
#include "tlm/trace/packet_tracker.h"

#include <algorithm>
#include <bit>

namespace polycast::tlm::trace {

namespace format = hw::format;

void packet_tracker::clear() {
    present_ = complete_ = ended_ = false;
    bytes_.clear();
}

std::size_t packet_tracker::needed() const {
    switch (kind()) {
        case format::packet_kind::unicast: return format::unicast_header_bytes;
        case format::packet_kind::tree: return format::tree_header_bytes(shape_.hosts);
        case format::packet_kind::ssr: return format::ssr_header_bytes(shape_);
        case format::packet_kind::broadcast: return format::broadcast_header_bytes;
        case format::packet_kind::pipelined: return format::pipelined_header_bytes;
        case format::packet_kind::lid: return format::lid_header_bytes;
        case format::packet_kind::path: {
            constexpr std::size_t before_list = format::path_list_field.offset / 8;
            return bytes_.size() < before_list ? before_list : format::header_bytes_of(shape_, bytes_.data());
        }
    }
    return format::common_header_bytes;
}

bool packet_tracker::flit(bool head, bool tail, std::span<const std::uint8_t> data,
                          std::span<const std::uint8_t> header) {
    bool changed = false;
    if (ended_ || head) {
        changed = present_ || head;
        clear();
        present_ = head;
    }
    if (!present_) return changed;
    ended_ = tail;
    if (!complete_) {
        const std::span<const std::uint8_t> source = header.empty() ? data : header;
        bytes_.insert(bytes_.end(), source.begin(), source.end());
        if (bytes_.size() >= needed()) {
            bytes_.resize(needed());
            complete_ = changed = true;
        }
    }
    return changed;
}

bool packet_tracker::pause() {
    if (!ended_) return false;
    clear();
    return true;
}

format::common_header packet_tracker::common() const {
    return complete_ ? format::read_common(bytes_.data())
                     : format::common_header{format::packet_kind::unicast, false, 0, 0, 0};
}

std::uint32_t packet_tracker::destination() const {
    return complete_ && kind() == format::packet_kind::unicast ? format::destination_of(bytes_.data()) : 0;
}

std::span<const std::uint8_t> packet_tracker::destinations() const {
    if (!complete_ || kind() != format::packet_kind::tree) return {};
    return std::span(bytes_).subspan(format::common_header_bytes);
}

unsigned packet_tracker::stops() const {
    if (!complete_) return 0;
    if (kind() == format::packet_kind::path) return format::path_stops_of(bytes_.data());
    return kind() == format::packet_kind::ssr ? 1 : 0;
}

unsigned packet_tracker::next_stop() const {
    return complete_ && kind() == format::packet_kind::path ? format::path_next_of(bytes_.data()) : 0;
}

std::optional<format::stop> packet_tracker::stop() const {
    if (!complete_) return std::nullopt;
    const std::vector<format::stop> list = format::stops_of(shape_, bytes_);
    if (next_stop() >= list.size()) return std::nullopt;
    return list[next_stop()];
}

std::string packet_tracker::label() const {
    if (!present_) return {};
    if (!complete_) return "...";
    const format::common_header header = common();
    std::string text = std::to_string(header.source) + ">";
    switch (kind()) {
        case format::packet_kind::unicast: text += std::to_string(destination()); break;
        case format::packet_kind::tree: {
            int count = 0;
            for (const std::uint8_t byte : destinations()) count += std::popcount(byte);
            text += "{" + std::to_string(count) + "}";
            break;
        }
        case format::packet_kind::ssr:
        case format::packet_kind::path:
            if (const std::optional<format::stop> next = stop()) {
                text += "s" + std::to_string(next->chip) + "{" + std::to_string(std::popcount(next->ports)) + "}";
                if (const unsigned more = stops() - next_stop() - 1; more != 0) text += "+" + std::to_string(more);
            } else {
                text += "?";
            }
            break;
        case format::packet_kind::broadcast: text += "*"; break;
        case format::packet_kind::pipelined: text += "*"; break;
        case format::packet_kind::lid: {
            const std::uint8_t* const sl = bytes_.data() + format::sl_field.offset / 8;
            text += "LID " + std::to_string(format::read_field<format::dlid_field>(bytes_.data())) + " SL " +
                    std::to_string(*sl & 0xf);
            break;
        }
        default: text += "?"; break;
    }
    return text + " #" + std::to_string(header.sequence);
}

}  // namespace polycast::tlm::trace
