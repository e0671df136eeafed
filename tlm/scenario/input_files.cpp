// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/input_files.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <vector>

namespace polycast::tlm::scenario {

namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 18;

std::uint64_t with_block(std::uint64_t hash, std::string_view block) {
    return hash * 0x9e3779b97f4a7c15 + std::hash<std::string_view>()(block);
}

/// Of a file that is there, and is no pipe.
std::size_t bytes_on_disk(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return 0;
    const std::uintmax_t bytes = std::filesystem::file_size(path, error);
    return error ? 0 : bytes;
}

/// Gives the bytes of a file as they are now, block by block.
void blocks_of(const hw::programs::mapped_file& file, const std::function<void(std::string_view)>& take) {
    std::vector<char> block(block_bytes);
    for (std::size_t begin = 0, count = block.size(); count == block.size(); begin += count) {
        count = file.read(begin, block);
        if (count != 0) take({block.data(), count});
    }
}

}  // namespace

/// Whole blocks, so that it does not matter in which steps a reader goes on.
void input_files::mapped::add(std::size_t end) {
    const std::string_view all = file.bytes();
    while (hashed < all.size()) {
        const std::string_view block = all.substr(hashed, block_bytes);
        if (hashed + block.size() > end) return;
        hash = with_block(hash, block);
        hashed += block.size();
    }
}

const std::string& input_files::text_of(const std::string& path, const std::string& what) {
    const std::scoped_lock guard(mutex_);
    const auto known = texts_.find(path);
    if (known != texts_.end()) return known->second;
    return texts_.emplace(path, hw::topology::read_text_file(path, what, most_text_)).first->second;
}

std::string_view input_files::bytes_of(const std::string& path, const std::string& what) {
    {
        const std::scoped_lock guard(mutex_);
        const auto known = mapped_.find(path);
        if (known != mapped_.end()) return known->second.file.bytes();
        if (!texts_.contains(path) && bytes_on_disk(path) > most_plain_)
            return mapped_.try_emplace(path, path).first->second.file.bytes();
    }
    return text_of(path, what);
}

void input_files::release(const std::string& path, std::size_t end) {
    const std::scoped_lock guard(mutex_);
    const auto known = mapped_.find(path);
    if (known == mapped_.end()) return;
    known->second.add(end);
    known->second.file.release(std::min(end, known->second.hashed));
}

bool input_files::unchanged(const std::string& path) const {
    const std::scoped_lock guard(mutex_);
    const auto known = mapped_.find(path);
    if (known == mapped_.end()) return true;
    std::uint64_t now = 0, bytes = 0;
    blocks_of(known->second.file, [&](std::string_view block) {
        now = with_block(now, block);
        bytes += block.size();
    });
    return now == known->second.hash && bytes == known->second.hashed;
}

input_files::product& input_files::product_of(const std::string& key) {
    const std::scoped_lock guard(mutex_);
    return products_[key];
}

/// Under the lock.
const hw::subnet::kept_bytes& input_files::kept(const std::string& path) {
    const auto known = dumps_.find(path);
    if (known != dumps_.end()) return known->second;
    return dumps_.try_emplace(path, *hw::subnet::open_file(path), most_plain_).first->second;
}

std::unique_ptr<hw::subnet::byte_source> input_files::dump(const std::string& path) {
    const std::scoped_lock guard(mutex_);
    return kept(path).source();
}

void input_files::copy(const std::string& path, const std::function<void(std::string_view)>& put) {
    const std::scoped_lock guard(mutex_);
    const auto text = texts_.find(path);
    if (text != texts_.end()) return put(text->second);
    if (const auto known = mapped_.find(path); known != mapped_.end()) return blocks_of(known->second.file, put);
    const std::unique_ptr<hw::subnet::byte_source> from = kept(path).source();
    std::vector<char> block(block_bytes);
    for (std::size_t count = block.size(); count == block.size();) {
        count = from->read(block);
        put({block.data(), count});
    }
}

std::uint64_t input_files::hash() const {
    const std::scoped_lock guard(mutex_);
    std::uint64_t all = 0;
    const auto add = [&all](std::uint64_t one) { all = all * 0x9e3779b97f4a7c15 + one; };
    for (const auto& [path, text] : texts_) add(std::hash<std::string>()(text));
    for (const auto& [path, dump] : dumps_) add(dump.hash());
    for (const auto& [path, file] : mapped_) add(file.hash);
    return all;
}

}  // namespace polycast::tlm::scenario
