// SPDX-License-Identifier: Apache-2.0
/// \file Packet memory: slots with reference counts.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "hw/ni/coded_words.h"
#include "hw/ni/parameters.h"

namespace polycast::hw::ni {

/// The user of a slot: firmware (SLOT_ALLOCATE) or link-in.
enum class slot_side : std::uint8_t { send, receive };

/// Byte offsets of the words of a slot's header area, see ni.md.
enum class slot_word : std::uint8_t {
    kind = 0x00,
    source = 0x04,
    sequence = 0x08,
    destination = 0x0c,
    processes = 0x10,
    group = 0x14,
    message = 0x18,
    offset = 0x1c,
    total = 0x20,
    tag = 0x24,
    check = 0x28,
    status = 0x2c,
};

/// Slots of equal size. Memory is allocated when a slot is used for the first time.
class packet_memory {
public:
    static constexpr std::uint32_t none = 0xffffffffu;

    /// `freed` is called when a slot of a side becomes free after take() returned none; `spoilt` when something is read
    /// in a cycle, which may be one to come, that its code (`ni_params::protect_packets`) says is wrong.
    packet_memory(const ni_params& params, std::function<void(cycle, slot_side)> freed,
                  std::function<void(cycle)> spoilt = {});

    /// A free slot, all zero, with one reference; none if the side has no more.
    std::uint32_t take(slot_side side, cycle now);
    /// The packet in `slot` is one of a process, until the slot is free. The first process stays; others, and those
    /// that there are not, are ignored.
    void belongs(std::uint32_t slot, unsigned process);
    /// The process that it belongs to; none: to nobody.
    std::uint32_t owner(std::uint32_t slot) const {
        return in_use(slot) && slots_[slot].process != nobody ? slots_[slot].process : none;
    }
    /// The packet in `slot`, which is in use, is one of a job, until the slot is free. The first job stays.
    void stamp(std::uint32_t slot, std::uint32_t job);
    /// That job; 0: there is none yet, or no such slot in use.
    std::uint32_t job(std::uint32_t slot) const { return in_use(slot) ? slots_[slot].job : 0; }
    bool stamped(std::uint32_t slot) const { return in_use(slot) && slots_[slot].stamped; }
    /// The packet in `slot` has arrived: its residency begins.
    void arrived(std::uint32_t slot, cycle now) { slots_[slot].since = now; }
    bool in_use(std::uint32_t slot) const { return slot < slots_.size() && slots_[slot].references != 0; }
    /// \returns false if the slot is not in use, or has more references than can be counted.
    bool hold(std::uint32_t slot, std::uint32_t references);
    /// \returns false if the slot is not in use.
    bool release(std::uint32_t slot, cycle now);

    /// All bytes of a slot that was in use once. Whoever reads or writes them says so by reads() or writes().
    std::span<std::uint8_t> bytes(std::uint32_t slot);
    std::span<const std::uint8_t> bytes(std::uint32_t slot) const;
    /// Bytes from `offset` on of packet memory are read. \returns false if they are wrong; then `spoilt` is called
    bool reads(cycle when, std::uint32_t offset, std::uint32_t length);
    /// Likewise; words of which only a part is written are read before.
    void writes(cycle when, std::uint32_t offset, std::uint32_t length);
    std::uint32_t word(std::uint32_t slot, slot_word which) const;
    void set_word(std::uint32_t slot, slot_word which, std::uint32_t value);

    /// Slot that `length` bytes at byte `offset` of packet memory lie in, if it is one slot and in use; else none.
    std::uint32_t slot_of(std::uint32_t offset, std::uint32_t length) const;
    unsigned slot_bytes() const { return slot_bytes_; }

    /// Access of the processor in cycle `when`. Slots never used read as zero and ignore writes; `unused` is then set.
    /// \returns false beyond the last slot.
    bool load(cycle when, std::uint32_t offset, unsigned bytes, std::uint32_t& value);
    bool store(cycle when, std::uint32_t offset, unsigned bytes, std::uint32_t value, bool& unused);

    /// A stored bit flips, a check bit behind the 32 of data; of a slot that was never used there is none.
    void flip(std::uint32_t word, std::uint32_t bit);
    /// Slots that were in use once have the numbers below this.
    std::uint32_t known() const { return static_cast<std::uint32_t>(slots_.size()); }

    unsigned used() const { return used_[0] + used_[1]; }
    unsigned used(slot_side side) const { return used_[static_cast<unsigned>(side)]; }
    /// Slots that belong to a process.
    unsigned used(slot_side side, unsigned process) const {
        return process < owned_.size() ? owned_[process][static_cast<unsigned>(side)] : 0;
    }
    void count(ni_statistics& statistics) const;
    void reset();
    std::size_t memory_bytes() const;

private:
    static constexpr std::uint8_t nobody = 0xff;

    struct slot_state {
        std::uint32_t references = 0;
        slot_side side = slot_side::send;
        std::uint8_t process = nobody;  ///< to which it belongs
        bool stamped = false;           ///< `job` is known
        std::uint32_t job = 0;
        cycle since = 0;
    };

    unsigned slot_bytes_;
    std::array<unsigned, 2> limit_;
    std::function<void(cycle, slot_side)> freed_;
    std::function<void(cycle)> spoilt_;
    std::vector<std::uint8_t> bytes_;
    coded_words codes_;
    std::vector<slot_state> slots_;
    std::vector<std::uint32_t> free_;
    std::array<unsigned, 2> used_{};
    unsigned processes_;
    std::vector<std::array<unsigned, 2>> owned_;  ///< [process][side], once a process has any
    std::array<unsigned, 2> peak_{};
    std::array<bool, 2> wanted_{};
    std::uint64_t residency_cycles_ = 0;
    std::uint64_t residency_count_ = 0;
    cycle residency_max_ = 0;
};

/// Little-endian words, as all memories of an interface have them.
std::uint32_t get_bytes(const std::uint8_t* at, unsigned bytes);
void put_bytes(std::uint8_t* at, unsigned bytes, std::uint32_t value);

}  // namespace polycast::hw::ni
