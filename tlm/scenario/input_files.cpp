// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/input_files.h"

#include <vector>

namespace polycast::tlm::scenario {

namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 18;

}  // namespace

const std::string& input_files::text_of(const std::string& path, const std::string& what) {
    const std::scoped_lock guard(mutex_);
    const auto known = texts_.find(path);
    if (known != texts_.end()) return known->second;
    return texts_.emplace(path, hw::topology::read_text_file(path, what, most_text_)).first->second;
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
    return all;
}

}  // namespace polycast::tlm::scenario
