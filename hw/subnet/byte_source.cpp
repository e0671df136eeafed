// SPDX-License-Identifier: Apache-2.0
#include "hw/subnet/byte_source.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <vector>

#include "hw/input_error.h"

namespace polycast::hw::subnet {
namespace {

class file_source final : public byte_source {
public:
    explicit file_source(const std::string& path) : path_(path) {
        std::error_code ignored;
        if (std::filesystem::is_directory(path, ignored))
            throw input_error(path, {}, "this is a directory, not a file");
        errno = 0;
        file_.open(path, std::ios::binary);
        if (!file_) fail();
    }

    std::size_t read(std::span<char> to) override {
        errno = 0;
        file_.read(to.data(), static_cast<std::streamsize>(to.size()));
        if (file_.bad()) fail();
        return static_cast<std::size_t>(file_.gcount());
    }

private:
    [[noreturn]] void fail() const {
        throw input_error(path_, {}, std::string("cannot be read: ") + std::strerror(errno == 0 ? EIO : errno));
    }

    std::string path_;
    std::ifstream file_;
};

class memory_source final : public byte_source {
public:
    explicit memory_source(std::string_view bytes) : left_(bytes) {}

    std::size_t read(std::span<char> to) override {
        const std::size_t count = left_.copy(to.data(), to.size());
        left_.remove_prefix(count);
        return count;
    }

private:
    std::string_view left_;
};

/// zlib's state of unpacking gzip.
class inflater {
public:
    inflater() {
        constexpr int gzip_only = 16;
        if (::inflateInit2(&stream, MAX_WBITS + gzip_only) != Z_OK) throw std::bad_alloc();
    }
    ~inflater() { ::inflateEnd(&stream); }
    inflater(const inflater&) = delete;
    inflater& operator=(const inflater&) = delete;

    z_stream stream{};
};

class unpacking_source final : public byte_source {
public:
    unpacking_source(std::unique_ptr<byte_source> from, std::string name, std::uint64_t most)
        : from_(std::move(from)), name_(std::move(name)), most_(most), block_(block_bytes) {}

    std::size_t read(std::span<char> to) override {
        if (!begun_) begin();
        const std::size_t count = packed_ ? unpack(to) : pass(to);
        if (packed_ && (bytes_ += count) > most_)
            throw input_error(name_, {}, "has more than " + size_text(most_) + " unpacked",
                              "unpack it: files that are not packed may have any size");
        return count;
    }

    void check_rest() override {
        std::vector<char> ignored(block_bytes);
        while (packed_ && read(ignored) == ignored.size()) {
        }
    }

private:
    static constexpr std::size_t block_bytes = std::size_t{1} << 17;

    static std::string size_text(std::uint64_t bytes) {
        return bytes >> 20 != 0 ? std::to_string(bytes >> 20) + " MiB" : std::to_string(bytes) + " bytes";
    }

    void begin() {
        begun_ = true;
        refill();
        packed_ = left_.starts_with(gzip_mark);
        if (packed_) packing_ = std::make_unique<inflater>();
    }

    /// \returns false at the end
    bool refill() {
        left_ = {block_.data(), from_->read(block_)};
        return !left_.empty();
    }

    std::size_t pass(std::span<char> to) {
        const std::size_t count = left_.copy(to.data(), to.size());
        left_.remove_prefix(count);
        return count + (count < to.size() ? from_->read(to.subspan(count)) : 0);
    }

    std::size_t unpack(std::span<char> to) {
        std::size_t count = 0;
        while (count < to.size() && more()) count += inflate(to.subspan(count));
        return count;
    }

    /// Whether a packed part goes on, or another one begins.
    bool more() {
        while (left_.empty() || (between_ && left_.front() == '\0')) {
            if (!left_.empty()) left_.remove_prefix(1);
            if (!left_.empty() || refill()) continue;
            if (between_) return false;
            throw input_error(name_, {}, "is packed by gzip, and ends in the middle of it", "is the file cut short?");
        }
        if (!between_) return true;
        if (left_.front() != gzip_mark.front()) fail("something else follows");
        between_ = false;
        ::inflateReset(&packing_->stream);
        return true;
    }

    std::size_t inflate(std::span<char> to) {
        z_stream& stream = packing_->stream;
        // zlib reads through a pointer to what it does not change.
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(left_.data()));
        stream.avail_in = static_cast<uInt>(left_.size());
        const auto room = static_cast<uInt>(std::min(to.size(), block_bytes));
        stream.next_out = reinterpret_cast<Bytef*>(to.data());
        stream.avail_out = room;
        const int ended = ::inflate(&stream, Z_NO_FLUSH);
        left_.remove_prefix(left_.size() - stream.avail_in);
        if (ended == Z_MEM_ERROR) throw std::bad_alloc();
        if (ended != Z_OK && ended != Z_STREAM_END && ended != Z_BUF_ERROR)
            fail(stream.msg != nullptr ? stream.msg : "a dictionary is missing");
        between_ = ended == Z_STREAM_END;
        return room - stream.avail_out;
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw input_error(name_, {}, "is packed by gzip, and damaged: " + what, "get the file anew");
    }

    std::unique_ptr<byte_source> from_;
    std::string name_;
    std::uint64_t most_;
    std::uint64_t bytes_ = 0;  ///< unpacked
    std::vector<char> block_;
    std::string_view left_;  ///< of the block
    bool begun_ = false, packed_ = false;
    bool between_ = false;  ///< a packed part has ended
    std::unique_ptr<inflater> packing_;
};

}  // namespace

std::unique_ptr<byte_source> open_file(const std::string& path) {
    return std::make_unique<file_source>(path);
}

std::unique_ptr<byte_source> bytes_in_memory(std::string_view bytes) {
    return std::make_unique<memory_source>(bytes);
}

std::unique_ptr<byte_source> unpacked(std::unique_ptr<byte_source> from, const std::string& name, std::uint64_t most) {
    return std::make_unique<unpacking_source>(std::move(from), name, most);
}

}  // namespace polycast::hw::subnet
