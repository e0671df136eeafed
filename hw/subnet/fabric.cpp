// SPDX-License-Identifier: Apache-2.0
#include "hw/subnet/fabric.h"

#include <algorithm>

namespace polycast::hw::subnet {

void row_places::add(std::uint32_t row, const place& where) {
    if (!runs_.empty()) {
        run& last = runs_.back();
        if (row == last.row + last.count && where.file == last.where.file &&
            where.at.line == last.where.at.line + last.count && where.at.column == last.where.at.column) {
            ++last.count;
            return;
        }
    }
    runs_.push_back({row, 1, where});
}

std::optional<place> row_places::find(std::uint32_t row) const {
    for (const run& one : runs_)
        if (row >= one.row && row - one.row < one.count) {
            place found = one.where;
            found.at.line += row - one.row;
            return found;
        }
    return std::nullopt;
}

void lid_bytes::set(unsigned lid, std::uint8_t value) {
    const unsigned page = lid >> 8;
    if (page >= pages_.size()) pages_.resize(page + 1, no_page);
    if (pages_[page] == no_page) {
        pages_[page] = static_cast<std::uint32_t>(bytes_.size() >> 8);
        bytes_.resize(bytes_.size() + 256, none_);
    }
    bytes_[(pages_[page] << 8) + (lid & 255)] = value;
}

bool lane_table::set(unsigned in, unsigned out, lane_row row, const place& where) {
    const auto [known, is_new] = rows_.emplace(in << 8 | out, row);
    if (is_new) places_.add(in << 8 | out, where);
    return known->second == row;
}

std::string located(const fabric& of, const std::optional<place>& where, const std::string& message,
                    const std::string& proposal) {
    if (!where) return input_error(message, proposal).what();
    return input_error(of.files[where->file], where->at, message, proposal).what();
}

}  // namespace polycast::hw::subnet
