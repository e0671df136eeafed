// SPDX-License-Identifier: Apache-2.0
/// \file A chip in SystemVerilog, Verilated, that the engine steps. Needs its model: it does not fall back to the
/// core.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "hw/chips/chip_upset.h"
#include "hw/chips/source_door.h"
#include "hw/engine/chip.h"
#include "hw/format/packet_format.h"
#include "rtl/model/chip_model.h"

namespace polycast::tlm {

/// An assertion inside the RTL failed: the RTL is wrong, or it was driven against its contract.
class rtl_assertion_error : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

/// One Verilated chip; derived classes write the tables of each kind. Throws rtl_assertion_error from every
/// function that clocks it.
class rtl_chip : public hw::chips::upsettable_chip {
public:
    const hw::engine::pin_shape& shape() const override { return shape_; }
    void reset() override;
    hw::engine::cycle step(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins& out) override;
    /// Of switches and routers.
    hw::engine::cycle step_upset(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins& out,
                                 const hw::chips::chip_upset* what) override;
    bool idle() const override { return (status_ & POLYCAST_CHIP_MODEL_IDLE) != 0; }
    void probe(hw::engine::chip_probe& probe) const override;
    unsigned step_cost() const override { return 1000; }

    /// Writes every signal inside to an FST file from the next step on; `depth` levels of the hierarchy, 0 for all.
    /// Once at most. \throws hw::input_error if the file cannot be written
    void open_trace(const std::filesystem::path& file, unsigned depth = 0);
    void close_trace();

protected:
    /// `name` is the scope of the chip in its own traces and in messages.
    rtl_chip(const polycast_chip_model_interface& model, const hw::engine::pin_shape& shape, std::string name);

    const std::string& name() const { return name_; }
    /// Pins `xmit_wait` of a VL switch, as the last step or reset left them.
    std::uint64_t waits() const { return waits_; }
    /// One write over the configuration bus.
    void configure(hw::format::config_region region, unsigned index, std::uint32_t value);
    /// `bits` bits of `words` from index `first` on.
    void configure(hw::format::config_region region, unsigned first, const std::uint64_t* words, std::size_t bits);
    void configure(hw::format::config_global index, std::uint32_t value);
    /// Who may come in where.
    void write_doors(const hw::chips::source_doors& doors, unsigned max_sources);
    /// One write to a chip with an address map of its own: `address` is region << 24 | index.
    void write_register(std::uint32_t address, std::uint32_t value);

private:
    void take(std::uint32_t status);
    hw::engine::cycle step(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins& out,
                           const polycast_chip_model_write* write);
    void show_sides(const polycast_chip_model_side& side, hw::engine::pins& out);

    hw::engine::pin_shape shape_;
    std::string name_;
    const polycast_chip_model_interface& interface_;
    std::unique_ptr<polycast_chip_model, void (*)(polycast_chip_model*)> model_;
    std::uint32_t status_ = POLYCAST_CHIP_MODEL_IDLE;
    std::vector<polycast_chip_model_side> sides_;  ///< of the neighbours
    hw::engine::side_state shown_;                 ///< own side wires
    std::uint64_t waits_ = 0;
};

}  // namespace polycast::tlm
