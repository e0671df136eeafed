// SPDX-License-Identifier: Apache-2.0
// What programs that nobody trusts do with the page of their process.
#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>

#include "hw/host/process.h"
#include "hw/ni/abi/ni_registers.h"

namespace polycast::hw::host {

using boost::endian::store_little_u32;

bool process::give(std::span<const std::uint32_t> words, std::uint32_t bytes) {
    const cycle now = time_.now();
    if (space_ == 0) space_ = read_register(now, NI_HOST_PROCESS_COMMAND_SPACE);
    if (space_ == 0) return false;
    --space_;
    words_.assign(words.begin(), words.end());
    if (words_.size() > NI_COMMAND_COOKIE)
        words_[NI_COMMAND_COOKIE] = static_cast<std::uint32_t>(command_kind::given) << process_cookie_shift;
    scratch_.resize(std::min<std::size_t>(4 * words_.size(), NI_HOST_PROCESS_COMMAND_BUFFER_SIZE));
    for (std::size_t word = 0; 4 * word < scratch_.size(); ++word) store_little_u32(&scratch_[4 * word], words_[word]);
    port_.host_write(now, page_ + NI_HOST_PROCESS_COMMAND_BUFFER_BASE, scratch_);
    poke(NI_HOST_PROCESS_DOORBELL, bytes);
    return true;
}

void process::poke(std::uint32_t offset, std::uint32_t value) {
    std::array<std::uint8_t, 4> bytes;
    store_little_u32(bytes.data(), value);
    port_.host_write(time_.now(), page_ + offset, bytes);
}

}  // namespace polycast::hw::host
