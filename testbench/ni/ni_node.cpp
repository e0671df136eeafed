// SPDX-License-Identifier: Apache-2.0
#include "testbench/ni/ni_node.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "hw/ni/abi/ni_registers.h"

namespace polycast::testbench::ni {

ni_node::ni_node(const hw::ni::ni_params& params, const hw::ni::processor_factory& make_processor,
                 std::size_t memory_bytes)
    : memory(memory_bytes), shape_(params.pin_shape()), interface_(params, time_, *this, nullptr, make_processor) {}

void ni_node::at(cycle when, std::function<void()> what) {
    std::uint64_t tag = actions_.size();
    if (free_.empty()) {
        actions_.push_back(std::move(what));
    } else {
        tag = free_.back();
        free_.pop_back();
        actions_[tag] = std::move(what);
    }
    time_.schedule(when, *this, tag);
}

void ni_node::due(cycle /*when*/, std::uint64_t tag) {
    const std::function<void()> what = std::exchange(actions_[tag], {});
    free_.push_back(tag);
    what();
}

std::uint32_t ni_node::peek(std::uint32_t address) {
    std::array<std::uint8_t, 4> bytes{};
    if (!interface_.host_read(time_.now(), address, bytes)) throw std::logic_error("bus error on a read");
    return bytes[0] | std::uint32_t{bytes[1]} << 8 | std::uint32_t{bytes[2]} << 16 | std::uint32_t{bytes[3]} << 24;
}

void ni_node::poke(std::uint32_t address, std::uint32_t value) {
    if (!try_poke(address, value)) throw std::logic_error("bus error on a write");
}

bool ni_node::try_poke(std::uint32_t address, std::uint32_t value) {
    const std::array<std::uint8_t, 4> bytes = {static_cast<std::uint8_t>(value), static_cast<std::uint8_t>(value >> 8),
                                               static_cast<std::uint8_t>(value >> 16),
                                               static_cast<std::uint8_t>(value >> 24)};
    return interface_.host_write(time_.now(), address, bytes);
}

std::uint32_t ni_node::page(unsigned process) {
    return NI_HOST_PROCESS_BASE + process * NI_HOST_PROCESS_STRIDE;
}

std::uint32_t ni_node::grant(unsigned process) {
    return NI_HOST_GRANT_BASE + process * NI_HOST_GRANT_STRIDE;
}

void ni_node::open_window(unsigned process, unsigned window, std::uint64_t offset, std::uint32_t bytes,
                          unsigned allow) {
    const std::uint32_t at = grant(process) + NI_HOST_GRANT_WINDOW_BASE + window * NI_HOST_GRANT_WINDOW_STRIDE;
    poke(at + NI_HOST_GRANT_WINDOW_LOW, static_cast<std::uint32_t>(base + offset));
    poke(at + NI_HOST_GRANT_WINDOW_HIGH, static_cast<std::uint32_t>((base + offset) >> 32));
    poke(at + NI_HOST_GRANT_WINDOW_BYTES, bytes);
    poke(at + NI_HOST_GRANT_WINDOW_ALLOW, allow);
}

void ni_node::open_queue(unsigned process, std::uint64_t offset, std::uint32_t entries) {
    poke(grant(process) + NI_HOST_GRANT_QUEUE_LOW, static_cast<std::uint32_t>(base + offset));
    poke(grant(process) + NI_HOST_GRANT_QUEUE_HIGH, static_cast<std::uint32_t>((base + offset) >> 32));
    poke(grant(process) + NI_HOST_GRANT_QUEUE_ENTRIES, entries);
}

void ni_node::enable(unsigned process, bool observes) {
    poke(grant(process) + NI_HOST_GRANT_RIGHTS,
         NI_HOST_GRANT_RIGHTS_ENABLE_MASK | (observes ? NI_HOST_GRANT_RIGHTS_OBSERVE_MASK : 0));
}

void ni_node::count(unsigned counter) {
    at(time_.now(), [this, counter] { interface_.count(counter); });
}

void ni_node::command(unsigned process, std::span<const std::uint32_t> what) {
    for (std::uint32_t index = 0; index < what.size(); ++index)
        poke(page(process) + NI_HOST_PROCESS_COMMAND_BUFFER_BASE + 4 * index, what[index]);
    poke(page(process) + NI_HOST_PROCESS_DOORBELL, static_cast<std::uint32_t>(4 * what.size()));
}

std::uint32_t ni_node::word(std::size_t offset) const {
    const std::uint8_t* const at = &memory.at(offset + 3) - 3;
    return at[0] | std::uint32_t{at[1]} << 8 | std::uint32_t{at[2]} << 16 | std::uint32_t{at[3]} << 24;
}

void ni_node::reset() {
    time_.clear();
    actions_.clear();
    free_.clear();
    interface_.reset(time_.now());
}

cycle ni_node::step(cycle now, const hw::engine::pins& in, hw::engine::pins& out) {
    interface_.receive(now, in, out, 0);
    time_.run(now + 1);
    interface_.transmit(now, out, 0);
    if (interface_.sending()) return now + 1;
    const cycle next = time_.next();
    return next == hw::engine::never ? next : std::max(next - 1, now + 1);
}

bool ni_node::inside(std::uint64_t address, std::size_t bytes) const {
    return address >= base && address - base <= memory.size() && bytes <= memory.size() - (address - base);
}

hw::ni::host_answer ni_node::dma_read(cycle /*when*/, unsigned process, std::uint64_t address,
                                      std::span<std::uint8_t> bytes) {
    if (!inside(address, bytes.size())) return hw::ni::host_answer::refused;
    const std::uint64_t offset = address - base;
    if (on_access) on_access(process, false, offset, bytes);
    std::copy_n(memory.begin() + static_cast<std::ptrdiff_t>(offset), bytes.size(), bytes.begin());
    return hw::ni::host_answer::done;
}

hw::ni::host_answer ni_node::dma_write(cycle /*when*/, unsigned process, std::uint64_t address,
                                       std::span<const std::uint8_t> bytes) {
    if (!inside(address, bytes.size())) return hw::ni::host_answer::refused;
    const std::uint64_t offset = address - base;
    if (on_access) on_access(process, true, offset, bytes);
    std::ranges::copy(bytes, memory.begin() + static_cast<std::ptrdiff_t>(offset));
    return hw::ni::host_answer::done;
}

}  // namespace polycast::testbench::ni
