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
        state.heads.resize(state.heads.size() + head_bytes);
    } else {
        index = state.free.back();
        state.free.pop_back();
    }
    state.taken[index] = true;
    ++state.taken_count;
    ++outstanding_;
    command = command.first(std::min<std::size_t>(command.size(), bytes_));
    const std::span<const std::uint8_t> head = command.first(std::min(command.size(), head_bytes));
    const std::span<const std::uint8_t> tail = command.subspan(head.size());
    std::uint8_t* const at = &state.heads[index * head_bytes];
    std::fill(std::ranges::copy(head, at).out, at + head_bytes, std::uint8_t{0});
    if (!tail.empty() && state.tails.size() <= index) state.tails.resize(index + 1);
    if (state.tails.size() > index) state.tails[index].assign(tail.begin(), tail.end());
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

const std::uint8_t* command_memory::find(const process_state& state, std::size_t entry, std::size_t at,
                                         unsigned bytes) {
    if (at < head_bytes) return entry < state.taken.size() ? &state.heads[entry * head_bytes + at] : nullptr;
    if (entry >= state.tails.size() || at - head_bytes + bytes > state.tails[entry].size()) return nullptr;
    return &state.tails[entry][at - head_bytes];
}

bool command_memory::load(std::uint32_t offset, unsigned bytes, std::uint32_t& value) const {
    const std::uint32_t number = offset / bytes_;
    if (number / entries_ >= processes_.size()) return false;
    const std::uint8_t* const at = find(processes_[number / entries_], number % entries_, offset % bytes_, bytes);
    value = at == nullptr ? 0 : get_bytes(at, bytes);
    return true;
}

bool command_memory::store(std::uint32_t offset, unsigned bytes, std::uint32_t value) {
    const std::uint32_t number = offset / bytes_;
    if (number / entries_ >= processes_.size()) return false;
    process_state& state = processes_[number / entries_];
    const std::size_t entry = number % entries_, at = offset % bytes_;
    if (entry >= state.taken.size()) return true;
    if (at < head_bytes) {
        put_bytes(&state.heads[entry * head_bytes + at], bytes, value);
        return true;
    }
    if (state.tails.size() <= entry) state.tails.resize(entry + 1);
    std::vector<std::uint8_t>& tail = state.tails[entry];
    // Whole words, so that a part of one can be read back as well.
    tail.resize(std::max(tail.size(), (at - head_bytes + bytes + 3) / 4 * 4));
    put_bytes(&tail[at - head_bytes], bytes, value);
    return true;
}

void command_memory::reset() {
    std::ranges::fill(processes_, process_state{});
    outstanding_ = 0;
}

std::size_t command_memory::memory_bytes() const {
    std::size_t sum = processes_.capacity() * sizeof(process_state);
    for (const process_state& state : processes_) {
        sum += state.heads.capacity() + state.taken.capacity() / 8 + state.free.capacity() * sizeof(std::uint16_t) +
               state.tails.capacity() * sizeof(state.tails.front());
        for (const std::vector<std::uint8_t>& tail : state.tails) sum += tail.capacity();
    }
    return sum;
}

}  // namespace polycast::hw::ni
