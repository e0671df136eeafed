// SPDX-License-Identifier: Apache-2.0
#include "hw/ni/command_memory.h"

#include <algorithm>

#include "hw/ni/packet_memory.h"

namespace polycast::hw::ni {

std::uint32_t command_memory::put(unsigned process, std::span<const std::uint8_t> command) {
    process_state& state = processes_[process];
    if (state.taken_count == entries_) return none;
    std::size_t index = state.taken.size();
    if (state.free.empty()) {
        state.taken.push_back(false);
        state.bytes.resize(state.bytes.size() + bytes_, 0);
    } else {
        index = state.free.back();
        state.free.pop_back();
    }
    state.taken[index] = true;
    ++state.taken_count;
    ++outstanding_;
    std::uint8_t* const at = &state.bytes[index * bytes_];
    std::uint8_t* const end = std::copy_n(command.begin(), std::min<std::size_t>(command.size(), bytes_), at);
    std::fill(end, at + bytes_, std::uint8_t{0});
    return static_cast<std::uint32_t>(process * entries_ + index);
}

bool command_memory::give_back(std::uint32_t number) {
    const std::uint32_t process = number / entries_;
    const std::uint32_t index = number % entries_;
    if (process >= processes_.size()) return false;
    process_state& state = processes_[process];
    if (index >= state.taken.size() || !state.taken[index]) return false;
    state.taken[index] = false;
    state.free.push_back(static_cast<std::uint16_t>(index));
    --state.taken_count;
    --outstanding_;
    return true;
}

bool command_memory::load(std::uint32_t offset, unsigned bytes, std::uint32_t& value) const {
    const std::uint32_t process = offset / (entries_ * bytes_);
    if (process >= processes_.size()) return false;
    const std::vector<std::uint8_t>& memory = processes_[process].bytes;
    const std::size_t at = offset % (entries_ * bytes_);
    value = at + bytes <= memory.size() ? get_bytes(&memory[at], bytes) : 0;
    return true;
}

bool command_memory::store(std::uint32_t offset, unsigned bytes, std::uint32_t value) {
    const std::uint32_t process = offset / (entries_ * bytes_);
    if (process >= processes_.size()) return false;
    std::vector<std::uint8_t>& memory = processes_[process].bytes;
    const std::size_t at = offset % (entries_ * bytes_);
    if (at + bytes <= memory.size()) put_bytes(&memory[at], bytes, value);
    return true;
}

void command_memory::reset() {
    std::ranges::fill(processes_, process_state{});
    outstanding_ = 0;
}

std::size_t command_memory::memory_bytes() const {
    std::size_t sum = processes_.capacity() * sizeof(process_state);
    for (const process_state& state : processes_)
        sum += state.bytes.capacity() + state.taken.capacity() / 8 + state.free.capacity() * sizeof(std::uint16_t);
    return sum;
}

}  // namespace polycast::hw::ni
