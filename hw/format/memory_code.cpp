// SPDX-License-Identifier: Apache-2.0
#include "hw/format/memory_code.h"

#include <algorithm>

namespace polycast::hw::format {

flipped_bits::flipped_bits(protection how, unsigned width)
    : how_(how), width_(width), data_((width + code_data_bits - 1) / code_data_bits), code_(data_.size()) {
    read_.resize(data_.size());
}

unsigned flipped_bits::bits_of(std::size_t part) const {
    return std::min(code_data_bits, width_ - static_cast<unsigned>(part) * code_data_bits);
}

void flipped_bits::flip(unsigned bit) {
    std::size_t part = bit / code_data_bits;
    if (bit < width_) {
        data_[part] ^= std::uint32_t{1} << bit % code_data_bits;
    } else {
        const unsigned each = code_bits(how_, code_data_bits);
        part = (bit - width_) / each;
        code_[part] = static_cast<std::uint8_t>(code_[part] ^ 1u << (bit - width_) % each);
    }
    read_[part] = decode(how_, data_[part], code_[part], bits_of(part));
}

reading flipped_bits::found() const {
    return std::ranges::max_element(read_, {}, &decoded::found)->found;
}

std::uint64_t flipped_bits::wrong_word() const {
    return read_[0].data | (read_.size() > 1 ? std::uint64_t{read_[1].data} << code_data_bits : 0);
}

}  // namespace polycast::hw::format
