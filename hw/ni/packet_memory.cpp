// SPDX-License-Identifier: Apache-2.0
#include "hw/ni/packet_memory.h"

#include <algorithm>
#include <utility>

#include "hw/ni/memory_upset.h"

namespace polycast::hw::ni {

std::uint32_t get_bytes(const std::uint8_t* at, unsigned bytes) {
    std::uint32_t value = 0;
    for (unsigned byte = 0; byte < bytes; ++byte) value |= std::uint32_t{at[byte]} << (8 * byte);
    return value;
}

void put_bytes(std::uint8_t* at, unsigned bytes, std::uint32_t value) {
    for (unsigned byte = 0; byte < bytes; ++byte) at[byte] = static_cast<std::uint8_t>(value >> (8 * byte));
}

packet_memory::packet_memory(const ni_params& params, std::function<void(cycle, slot_side)> freed,
                             std::function<void(cycle)> spoilt)
    : slot_bytes_(ni::slot_bytes(params)),
      limit_{params.send_slots, params.receive_slots},
      freed_(std::move(freed)),
      spoilt_(std::move(spoilt)),
      codes_(params.protect_packets),
      processes_(params.processes) {
    // A side without a limit gets what the other leaves, half of all if that has none either.
    const unsigned all = packet_memory_bytes / slot_bytes_;
    const std::array<unsigned, 2> asked = limit_;
    for (unsigned side = 0; side < 2; ++side)
        if (asked[side] == 0) limit_[side] = asked[1 - side] == 0 ? all / 2 : all - asked[1 - side];
}

std::uint32_t packet_memory::take(slot_side side, cycle now) {
    const unsigned index = static_cast<unsigned>(side);
    if (used_[index] == limit_[index]) {
        wanted_[index] = true;
        return none;
    }
    std::uint32_t slot = 0;
    if (free_.empty()) {
        slot = static_cast<std::uint32_t>(slots_.size());
        slots_.emplace_back();
        bytes_.resize(bytes_.size() + slot_bytes_, 0);
    } else {
        slot = free_.back();
        free_.pop_back();
        // No process may see data of another process's packet.
        std::ranges::fill(bytes(slot), std::uint8_t{0});
        writes(now, slot * slot_bytes_, slot_bytes_);
    }
    slots_[slot] = {.references = 1, .side = side, .since = now};
    peak_[index] = std::max(peak_[index], ++used_[index]);
    return slot;
}

void packet_memory::belongs(std::uint32_t slot, unsigned process) {
    if (!in_use(slot) || slots_[slot].process != nobody || process >= processes_) return;
    if (owned_.empty()) owned_.resize(processes_);
    slots_[slot].process = static_cast<std::uint8_t>(process);
    ++owned_[process][static_cast<unsigned>(slots_[slot].side)];
}

void packet_memory::stamp(std::uint32_t slot, std::uint32_t job) {
    slot_state& state = slots_[slot];
    if (std::exchange(state.stamped, true)) return;
    state.job = job;
}

bool packet_memory::hold(std::uint32_t slot, std::uint32_t references) {
    if (!in_use(slot) || slots_[slot].references > none - references) return false;
    slots_[slot].references += references;
    return true;
}

bool packet_memory::release(std::uint32_t slot, cycle now) {
    if (!in_use(slot)) return false;
    slot_state& state = slots_[slot];
    if (--state.references != 0) return true;
    const unsigned index = static_cast<unsigned>(state.side);
    --used_[index];
    if (state.process != nobody) --owned_[state.process][index];
    free_.push_back(slot);
    if (state.side == slot_side::receive) {
        const cycle stayed = now - std::min(state.since, now);
        residency_cycles_ += stayed;
        ++residency_count_;
        residency_max_ = std::max(residency_max_, stayed);
    }
    if (std::exchange(wanted_[index], false)) freed_(now, state.side);
    return true;
}

std::span<std::uint8_t> packet_memory::bytes(std::uint32_t slot) {
    return std::span(bytes_).subspan(std::size_t{slot} * slot_bytes_, slot_bytes_);
}

std::span<const std::uint8_t> packet_memory::bytes(std::uint32_t slot) const {
    return std::span(bytes_).subspan(std::size_t{slot} * slot_bytes_, slot_bytes_);
}

bool packet_memory::reads(cycle when, std::uint32_t offset, std::uint32_t length) {
    if (codes_.read_bytes(offset, length)) return true;
    spoilt_(when);
    return false;
}

void packet_memory::writes(cycle when, std::uint32_t offset, std::uint32_t length) {
    if (!codes_.write_bytes(offset, length)) spoilt_(when);
}

std::uint32_t packet_memory::word(std::uint32_t slot, slot_word which) const {
    return get_bytes(&bytes(slot)[static_cast<std::size_t>(which)], 4);
}

void packet_memory::set_word(std::uint32_t slot, slot_word which, std::uint32_t value) {
    put_bytes(&bytes(slot)[static_cast<std::size_t>(which)], 4, value);
}

std::uint32_t packet_memory::slot_of(std::uint32_t offset, std::uint32_t length) const {
    const std::uint32_t slot = offset / slot_bytes_;
    return in_use(slot) && std::uint64_t{offset % slot_bytes_} + length <= slot_bytes_ ? slot : none;
}

bool packet_memory::load(cycle when, std::uint32_t offset, unsigned bytes, std::uint32_t& value) {
    if (offset >= (limit_[0] + limit_[1]) * slot_bytes_) return false;
    reads(when, offset, bytes);
    value = std::size_t{offset} + bytes <= bytes_.size() ? get_bytes(&bytes_[offset], bytes) : 0;
    return true;
}

bool packet_memory::store(cycle when, std::uint32_t offset, unsigned bytes, std::uint32_t value, bool& unused) {
    if (offset >= (limit_[0] + limit_[1]) * slot_bytes_) return false;
    unused = std::size_t{offset} + bytes > bytes_.size();
    if (unused) return true;
    writes(when, offset, bytes);
    put_bytes(&bytes_[offset], bytes, value);
    return true;
}

void packet_memory::flip(std::uint32_t word, std::uint32_t bit) {
    ni::flip(bytes_, codes_, word, bit);
}

void packet_memory::count(ni_statistics& statistics) const {
    statistics.send_slots_peak = peak_[0];
    statistics.receive_slots_peak = peak_[1];
    statistics.residency_cycles = residency_cycles_;
    statistics.residency_count = residency_count_;
    statistics.residency_max = residency_max_;
    statistics.corrected += codes_.corrected();
}

void packet_memory::reset() {
    slots_.clear();
    bytes_.clear();
    codes_.clear();
    free_.clear();
    used_ = {};
    owned_.clear();
    wanted_ = {};
}

std::size_t packet_memory::memory_bytes() const {
    return bytes_.capacity() + slots_.capacity() * sizeof(slot_state) + free_.capacity() * sizeof(std::uint32_t) +
           owned_.capacity() * sizeof(std::array<unsigned, 2>);
}

}  // namespace polycast::hw::ni
