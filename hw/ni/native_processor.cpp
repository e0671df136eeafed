// SPDX-License-Identifier: Apache-2.0
#include "hw/ni/native_processor.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <utility>

#include "hw/ni/abi/ni_registers.h"
#include "hw/ni/event_queue.h"
#include "hw/ni/packet_memory.h"

namespace polycast::hw::ni {

namespace {

constexpr bool is_packet(std::uint32_t event) {
    return event >> NI_EVENT_KIND_SHIFT == static_cast<std::uint32_t>(event_kind::packet);
}

// Exceptions that the target's processor would take, RISC-V privileged architecture, mcause.
constexpr std::uint32_t load_misaligned = 4;
constexpr std::uint32_t load_fault = 5;
constexpr std::uint32_t store_misaligned = 6;
constexpr std::uint32_t store_fault = 7;

}  // namespace

native_processor::native_processor(std::shared_ptr<const native_firmware> firmware, const native_params& params,
                                   const ni_params& interface, processor_bus& bus, observer* watcher)
    : firmware_(std::move(firmware)),
      params_(params),
      interface_(interface),
      bus_(bus),
      watcher_(watcher),
      state_(nullptr, {0}),
      lanes_(params.overlapped ? 2 : 1) {
    hardware_.context = this;
    hardware_.load = [](void* context, std::uint32_t address) {
        return static_cast<native_processor*>(context)->load(address);
    };
    hardware_.store = [](void* context, std::uint32_t address, std::uint32_t value) {
        static_cast<native_processor*>(context)->store(address, value);
    };
    if (params_.overlapped) {
        lanes_[0].role = NI_ROLE_RECEIVE;
        lanes_[1].role = NI_ROLE_SEND;
    }
}

void native_processor::reset(cycle now) {
    now_ = now;
    for (lane& which : lanes_) {
        which.busy = false;
        which.stores.clear();
    }
    booted_ = halted_ = false;
    free_steps_ = 0;
}

void native_processor::unmap::operator()(void* pages) const {
    ::munmap(pages, bytes);
}

/// Boots at the first call, not earlier, because the rest of the interface may not be constructed yet.
void native_processor::boot() {
    booted_ = true;
    // Not from the heap, which writes zeros: pages that firmware never touches take no memory.
    const std::size_t bytes = firmware_->functions().size();
    void* const pages = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    state_ = {pages, unmap{bytes}};
    firmware_->functions().start(state(), &hardware_);
    // So that the line tells of events, however firmware waits on the target.
    raw_store(NI_INTERRUPT_ENABLE, 1);
}

cycle native_processor::run(cycle until, bool interrupt) {
    now_ = until;
    if (!booted_) boot();
    if (counted_cycle_ != until) {
        counted_cycle_ = until;
        free_steps_ = 0;
    }
    for (lane& which : lanes_)
        if (which.busy && which.ends <= until) finish(which, until);
    // An operation of one lane can give the other something to do, so both are asked until both have nothing.
    for (bool progress = true; progress && !halted_;) {
        progress = false;
        for (lane& which : lanes_)
            if (!which.busy && !halted_) progress |= step(which, until);
    }
    if (halted_) return engine::never;
    cycle next = engine::never;
    bool waiting = false;
    for (const lane& which : lanes_) {
        if (which.busy) {
            next = std::min(next, which.ends);
        } else {
            waiting = true;
        }
    }
    // Firmware that leaves events alone looks again in the next cycle, as it does on the target.
    if (waiting && interrupt && raw_load(NI_EVENT_COUNT) != 0) next = until + 1;
    return next;
}

/// Runs one operation. \returns false if there was none to do.
bool native_processor::step(lane& which, cycle now) {
    acting_ = &which;
    which.about = {};
    which.operation = firmware_->functions().step(state(), which.role);
    acting_ = nullptr;
    if (which.operation == NI_OPERATION_IDLE) {
        finish(which, now);
        return false;
    }
    ++operations_;
    which.begun = now;
    const auto index = static_cast<std::size_t>(which.operation);
    const cycle cost = index < params_.cycles.size() ? params_.cycles[index] : 0;
    which.busy = cost != 0;
    which.ends = now + cost;
    if (which.busy) {
        busy_cycles_ += cost;
        return true;
    }
    finish(which, now);
    if (++free_steps_ > native_endless_steps) panic(native_panic_endless);
    return true;
}

void native_processor::finish(lane& which, cycle now) {
    for (const late_store& late : which.stores) raw_store(late.address, late.value);
    which.stores.clear();
    if (which.operation != NI_OPERATION_IDLE) bus_.progressed();
    if (!std::exchange(which.busy, false)) return;
    if (watcher_ == nullptr || !watcher_->wants_spans()) return;
    span_record span = which.about;
    span.host = interface_.host;
    span.where = resource::ni_processor;
    span.what = static_cast<std::uint8_t>(which.operation);
    span.begin = which.begun;
    span.end = now;
    watcher_->used(span);
}

std::uint32_t native_processor::load(std::uint32_t address) {
    const std::uint32_t value = raw_load(address);
    if (address == NI_EVENT && is_packet(value) && acting_ != nullptr && acting_->about.source == ~0u)
        note(value & NI_EVENT_ARGUMENT_MASK);
    return value;
}

void native_processor::store(std::uint32_t address, std::uint32_t value) {
    switch (address) {
        case NI_INTERRUPT_ENABLE:
        case NI_MARK: return;
        case NI_PANIC: panic(value); return;
        case NI_GROUP_ROOT:
        case NI_GROUP_NUMBER:
        case NI_GROUP_FREE:
        case NI_CONSOLE: raw_store(address, value); return;
        default: break;
    }
    if (!is_register(address) || acting_ == nullptr) {
        raw_store(address, value);
        return;
    }
    if (address == NI_LINK_PUSH) note((value & NI_LINK_PUSH_SLOT_MASK) >> NI_LINK_PUSH_SLOT_SHIFT);
    acting_->stores.push_back({address, value});
}

std::uint32_t native_processor::raw_load(std::uint32_t address) {
    std::uint32_t value = 0;
    if (!bus_.load(now_, address, 4, value))
        panic(NI_PANIC_EXCEPTION + (address % 4 == 0 ? load_fault : load_misaligned));
    return value;
}

void native_processor::raw_store(std::uint32_t address, std::uint32_t value) {
    if (halted_) return;
    if (!bus_.store(now_, address, 4, value))
        panic(NI_PANIC_EXCEPTION + (address % 4 == 0 ? store_fault : store_misaligned));
}

/// Remembers that the operation is about the packet in `slot`.
void native_processor::note(std::uint32_t slot) {
    if (watcher_ == nullptr || !watcher_->wants_spans()) return;
    const std::uint32_t address = NI_PACKET_MEMORY_BASE + slot * slot_bytes(interface_);
    const auto word = [this, address](slot_word which) {
        std::uint32_t value = 0;
        static_cast<void>(bus_.load(now_, address + static_cast<std::uint32_t>(which), 4, value));
        return value;
    };
    acting_->about.source = word(slot_word::source);
    acting_->about.message = word(slot_word::message);
    acting_->about.offset = word(slot_word::offset);
}

void native_processor::panic(std::uint32_t reason) {
    if (std::exchange(halted_, true)) return;
    static_cast<void>(bus_.store(now_, NI_PANIC, 4, reason));
}

processor_probe native_processor::probe() const {
    processor_probe probe;
    probe.sleeping = true;
    probe.operation = NI_OPERATION_IDLE;
    for (const lane& which : lanes_) {
        if (!which.busy) continue;
        probe.sleeping = false;
        probe.operation = static_cast<std::uint8_t>(which.operation);
    }
    probe.halted = halted_;
    probe.instructions = operations_;
    probe.cycles = busy_cycles_;
    return probe;
}

}  // namespace polycast::hw::ni
