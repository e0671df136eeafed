// SPDX-License-Identifier: Apache-2.0
#include "hw/format/crc32c.h"

#include <boost/crc.hpp>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace polycast::hw::format {

namespace {

using portable_crc = boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true>;

std::uint32_t add_portable(std::uint32_t remainder, byte_span bytes) {
    portable_crc crc(remainder);
    crc.process_bytes(bytes.data(), bytes.size());
    return crc.get_interim_remainder();
}

/// Product of two polynomials modulo that of the CRC; bit 31 is the coefficient of x^0.
std::uint32_t product(std::uint32_t a, std::uint32_t b) {
    constexpr std::uint32_t reflected = 0x82f63b78;
    std::uint32_t sum = 0;
    for (std::uint32_t bit = 1u << 31; bit != 0; bit >>= 1) {
        if ((a & bit) != 0) sum ^= b;
        b = b >> 1 ^ ((b & 1) != 0 ? reflected : 0);
    }
    return sum;
}

}  // namespace

std::uint32_t crc32c_behind(std::uint32_t difference, std::size_t bytes) {
    // A byte more multiplies the difference by x^8.
    std::uint32_t power = 1u << (31 - 8);
    for (; bytes != 0; bytes >>= 1) {
        if ((bytes & 1) != 0) difference = product(difference, power);
        power = product(power, power);
    }
    return difference;
}

std::uint32_t crc32c_portable(byte_span first, byte_span second) {
    portable_crc crc;
    crc.process_bytes(first.data(), first.size());
    crc.process_bytes(second.data(), second.size());
    return crc.checksum();
}

#if defined(__x86_64__)

namespace {

__attribute__((target("sse4.2"))) std::uint32_t add(std::uint32_t crc, byte_span bytes) {
    std::uint64_t wide = crc;
    for (; bytes.size() >= sizeof wide; bytes = bytes.subspan(sizeof wide)) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data(), sizeof word);
        wide = _mm_crc32_u64(wide, word);
    }
    auto narrow = static_cast<std::uint32_t>(wide);
    for (const std::uint8_t byte : bytes) narrow = _mm_crc32_u8(narrow, byte);
    return narrow;
}

const bool has_instruction = __builtin_cpu_supports("sse4.2");

}  // namespace

std::uint32_t crc32c(byte_span first, byte_span second) {
    return has_instruction ? ~add(add(0xffffffff, first), second) : crc32c_portable(first, second);
}

void crc32c_sum::add(byte_span bytes) {
    remainder_ = has_instruction && !portable_ ? format::add(remainder_, bytes) : add_portable(remainder_, bytes);
}

std::uint32_t crc32c_sum::value() const {
    return has_instruction && !portable_ ? ~remainder_ : portable_crc(remainder_).checksum();
}

#else

std::uint32_t crc32c(byte_span first, byte_span second) {
    return crc32c_portable(first, second);
}

void crc32c_sum::add(byte_span bytes) {
    remainder_ = add_portable(remainder_, bytes);
}

std::uint32_t crc32c_sum::value() const {
    return portable_crc(remainder_).checksum();
}

#endif

}  // namespace polycast::hw::format
