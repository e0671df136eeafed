// SPDX-License-Identifier: Apache-2.0
#include "hw/ni/coded_words.h"

namespace polycast::hw::ni {

std::uint32_t coded_words::flip(std::uint32_t word, unsigned bit) {
    if (how_ == format::protection::none) return bit < word_bits ? std::uint32_t{1} << bit : 0;
    format::flipped_bits& flips = flipped_.try_emplace(word, how_, word_bits).first->second;
    const std::uint64_t before = flips.wrong_word();
    flips.flip(bit);
    return static_cast<std::uint32_t>(before ^ flips.wrong_word());
}

void coded_words::written(std::uint32_t first, std::uint32_t count) {
    flipped_.erase(flipped_.lower_bound(first), flipped_.lower_bound(first + count));
}

bool coded_words::read(std::uint32_t first, std::uint32_t count) {
    bool right = true;
    for (auto at = flipped_.lower_bound(first); at != flipped_.end() && at->first < first + count;) {
        const format::reading found = at->second.found();
        if (found == format::reading::failed) {
            right = false;
            ++at;
            continue;
        }
        corrected_ += found == format::reading::corrected ? 1 : 0;
        at = flipped_.erase(at);
    }
    return right;
}

bool coded_words::read_parts(std::uint32_t offset, std::uint32_t length) {
    const std::uint32_t first = offset / word_bytes, behind = (offset + length + word_bytes - 1) / word_bytes;
    return read(first, behind - first);
}

bool coded_words::write_parts(std::uint32_t offset, std::uint32_t length) {
    const std::uint32_t behind = offset + length;
    const bool begin = offset % word_bytes == 0 || read_bytes(offset, 1);
    const bool end = behind % word_bytes == 0 || read_bytes(behind, 1);
    const std::uint32_t first = offset / word_bytes;
    written(first, (behind + word_bytes - 1) / word_bytes - first);
    return begin && end;
}

}  // namespace polycast::hw::ni
