// SPDX-License-Identifier: Apache-2.0
/// \file Trailers, ordered sets and message frames of a link as bits.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hw/chips/link/link_symbol.h"
#include "hw/format/crc32c.h"

namespace polycast::hw::chips {

enum class frame_type : std::uint8_t { data = 0, cc_update = 1, cut = 2 };
enum class set_type : std::uint8_t { init = 1, init_echo = 2, ack = 3, nack = 4, cf_update = 5 };

struct link_trailer {
    std::uint32_t sequence = 0;  ///< 20 bits
    unsigned flits = 1;          ///< 1..256
    unsigned type = 0;           ///< frame_type, or a number that is none
};

/// The CRC of a frame, over the bytes of its flits in order.
class frame_check {
public:
    void clear() { sum_ = format::crc32c_sum(); }
    void add(const link_config& config, const link_symbol& flit);
    /// The 64 bits of the trailer behind these flits.
    std::uint64_t seal(const link_trailer& trailer) const;

private:
    format::crc32c_sum sum_;
};

link_trailer read_trailer(std::uint64_t word);

struct ordered_set {
    set_type type = set_type::init;
    unsigned vc = 0;           ///< of a cf_update
    std::uint32_t number = 0;  ///< 20 bits
    std::uint32_t ack = 0;     ///< of a cf_update: last good sequence number

    bool operator==(const ordered_set&) const = default;
};

std::uint64_t pack(const ordered_set& set);
/// \returns nothing if the check is wrong or there is no such type
std::optional<ordered_set> read_set(std::uint64_t word);

/// What a message frame says.
struct link_message {
    frame_type type = frame_type::cc_update;
    unsigned vc = 0;
    std::uint32_t number = 0;  ///< 20 bits
};

/// Flit `index` of a message frame.
link_symbol message_flit(const link_config& config, const link_message& message, unsigned index);
link_message read_message(const link_config& config, frame_type type, const std::vector<link_symbol>& flits);

/// Bytes of `word` in symbol `index` of a trailer or set that is not beside.
void put_word(const link_config& config, std::uint64_t word, unsigned index, link_symbol& symbol);
/// \returns `word` with the bytes of symbol `index`
std::uint64_t take_word(const link_config& config, std::uint64_t word, unsigned index, const link_symbol& symbol);

}  // namespace polycast::hw::chips
