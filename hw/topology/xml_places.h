// SPDX-License-Identifier: Apache-2.0
/// \file Lines and columns in XML that pugixml has read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <pugixml.hpp>
#include <string_view>
#include <vector>

#include "hw/input_error.h"

namespace polycast::hw::topology {

/// Of a text that has been read as it is: pugixml's offsets are wrong in one that it converts.
class xml_places {
public:
    explicit xml_places(std::string_view text) : text_(text) {
        for (std::size_t at = 0; at < text.size(); ++at)
            if (text[at] == '\n') line_starts_.push_back(at + 1);
    }

    text_position place(std::ptrdiff_t offset) const {
        const auto at = std::min(static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0)), text_.size());
        const auto line = std::upper_bound(line_starts_.begin(), line_starts_.end(), at) - line_starts_.begin();
        return {static_cast<unsigned>(line),
                static_cast<unsigned>(at - line_starts_[static_cast<std::size_t>(line) - 1] + 1)};
    }
    text_position place(const pugi::xml_node& node) const { return place(node.offset_debug()); }

    /// Where an attribute stands in the tag of its element.
    text_position place(const pugi::xml_node& node, std::string_view attribute) const {
        const auto begin = static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0));
        char quote = 0;
        for (std::size_t at = begin; at < text_.size() && (quote != 0 || text_[at] != '>'); ++at) {
            const char here = text_[at];
            if (quote != 0) {
                if (here == quote) quote = 0;
            } else if (here == '"' || here == '\'') {
                quote = here;
            } else if (at > begin && blanks.find(text_[at - 1]) != std::string_view::npos &&
                       text_.substr(at).starts_with(attribute) && at + attribute.size() < text_.size() &&
                       (blanks.find(text_[at + attribute.size()]) != std::string_view::npos ||
                        text_[at + attribute.size()] == '=')) {
                return place(static_cast<std::ptrdiff_t>(at));
            }
        }
        return place(node);
    }

private:
    static constexpr std::string_view blanks = " \t\r\n";

    std::string_view text_;
    std::vector<std::size_t> line_starts_{0};
};

}  // namespace polycast::hw::topology
