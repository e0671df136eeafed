// SPDX-License-Identifier: Apache-2.0
/// \file A host that does what a test says, with its interface: flat memory, commands as words, no driver.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "hw/engine/chip.h"
#include "hw/ni/host_side.h"
#include "hw/ni/network_interface.h"
#include "hw/ni/timeline.h"

namespace polycast::testbench::ni {

using hw::engine::cycle;

/// A chip with one port.
class ni_node final : public hw::engine::chip, private hw::ni::host_side, private hw::ni::timeline::task {
public:
    /// Address of the first byte of memory; there is nothing below and behind it.
    static constexpr std::uint64_t base = 0x1'0000'0000;

    ni_node(const hw::ni::ni_params& params, const hw::ni::processor_factory& make_processor, std::size_t memory_bytes);

    std::vector<std::uint8_t> memory;
    /// Called for every access of the interface to memory, before it is made, with the process that it is made for.
    std::function<void(unsigned process, bool write, std::uint64_t offset, std::span<const std::uint8_t> bytes)>
        on_access;

    /// Called when this interface counts, here or elsewhere.
    std::function<void(unsigned counter)> on_count;

    /// Does something in cycle `when`, not before now.
    void at(cycle when, std::function<void()> what);

    /// Registers of the pages, whole words.
    std::uint32_t peek(std::uint32_t address);
    void poke(std::uint32_t address, std::uint32_t value);
    /// \returns false on a bus error.
    bool try_poke(std::uint32_t address, std::uint32_t value);
    static std::uint32_t page(unsigned process);
    static std::uint32_t grant(unsigned process);
    /// What the host's manager does. `offset` counts from the start of memory; `allow` is 1 for reading, 2 for writing
    /// by the interface.
    void open_window(unsigned process, unsigned window, std::uint64_t offset, std::uint32_t bytes, unsigned allow);
    void open_queue(unsigned process, std::uint64_t offset, std::uint32_t entries);
    void enable(unsigned process, bool observes);
    /// Another interface of the host counts here.
    void count(unsigned counter);
    /// Writes a command and rings. Nothing comes of it where the process has no free entry.
    void command(unsigned process, std::span<const std::uint32_t> what);
    /// Word at byte `offset` of memory.
    std::uint32_t word(std::size_t offset) const;

    const hw::engine::pin_shape& shape() const override { return shape_; }
    void reset() override;
    cycle step(cycle now, const hw::engine::pins& in, hw::engine::pins& out) override;
    bool idle() const override { return interface_.idle(); }
    cycle now() const { return time_.now(); }
    const hw::ni::network_interface& interface() const { return interface_; }

private:
    void due(cycle when, std::uint64_t tag) override;
    bool inside(std::uint64_t address, std::size_t bytes) const;
    hw::ni::host_answer dma_read(cycle when, unsigned process, std::uint64_t address,
                                 std::span<std::uint8_t> bytes) override;
    hw::ni::host_answer dma_write(cycle when, unsigned process, std::uint64_t address,
                                  std::span<const std::uint8_t> bytes) override;
    void completion(cycle, unsigned) override {}
    void command_space(cycle, unsigned) override {}
    /// This is interface 0; the others of the host take counts and do nothing.
    bool count(cycle, unsigned interface, unsigned counter) override {
        if (on_count) on_count(counter);
        if (interface == 0) interface_.count(counter);
        return true;
    }

    hw::engine::pin_shape shape_;
    hw::ni::timeline time_;
    std::vector<std::function<void()>> actions_;  ///< by tag; done ones are empty
    std::vector<std::uint64_t> free_;             ///< tags
    hw::ni::network_interface interface_;
};

}  // namespace polycast::testbench::ni
