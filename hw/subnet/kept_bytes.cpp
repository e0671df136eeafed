// SPDX-License-Identifier: Apache-2.0
#include "hw/subnet/kept_bytes.h"

#include <zlib.h>

#include <functional>
#include <limits>
#include <new>
#include <string_view>
#include <vector>

namespace polycast::hw::subnet {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 18;

/// zlib's state of packing by gzip, as fast as it can.
class deflater {
public:
    explicit deflater(std::string& into) : into_(into) {
        constexpr int gzip = 16;
        constexpr int memory = 8;
        if (::deflateInit2(&stream_, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + gzip, memory, Z_DEFAULT_STRATEGY) != Z_OK)
            throw std::bad_alloc();
    }
    ~deflater() { ::deflateEnd(&stream_); }
    deflater(const deflater&) = delete;
    deflater& operator=(const deflater&) = delete;

    void add(std::string_view bytes, bool last) {
        // zlib reads through a pointer to what it does not change.
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
        stream_.avail_in = static_cast<uInt>(bytes.size());
        do {
            stream_.next_out = reinterpret_cast<Bytef*>(block_.data());
            stream_.avail_out = static_cast<uInt>(block_.size());
            ::deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
            into_.append(block_.data(), block_.size() - stream_.avail_out);
        } while (stream_.avail_out == 0);
    }

private:
    std::string& into_;
    z_stream stream_{};
    std::vector<char> block_ = std::vector<char>(block_bytes);
};

}  // namespace

kept_bytes::kept_bytes(byte_source& from, std::size_t most_plain) {
    std::vector<char> block(block_bytes);
    std::unique_ptr<deflater> packing;
    std::string plain;
    for (bool last = false; !last;) {
        const std::string_view got{block.data(), from.read(block)};
        last = got.size() < block.size();
        hash_ = hash_ * 0x9e3779b97f4a7c15 + std::hash<std::string_view>()(got);
        if (!packing) plain += got;
        const bool long_one = plain.size() > most_plain && !plain.starts_with(gzip_mark);
        if (packing) {
            packing->add(got, last);
        } else if (long_one) {
            packing = std::make_unique<deflater>(bytes_);
            packing->add(plain, last);
            plain = {};
        }
    }
    packed_ = packing != nullptr;
    if (!packed_) bytes_ = std::move(plain);
    bytes_.shrink_to_fit();
}

std::unique_ptr<byte_source> kept_bytes::source() const {
    std::unique_ptr<byte_source> kept = bytes_in_memory(bytes_);
    if (!packed_) return kept;
    return unpacked(std::move(kept), "a file in memory", std::numeric_limits<std::uint64_t>::max());
}

}  // namespace polycast::hw::subnet
