// SPDX-License-Identifier: Apache-2.0
/// \file Ibex in SystemVerilog, Verilated, as the processor of a network interface, on the memories and the bus that
/// the instruction-set simulator has. Needs its model: it does not fall back to the simulator.
///
/// It computes ahead up to its next register access, and no further than `run_ahead` cycles. It stays in step with the
/// interface while the level of the interrupt line can make a difference: interrupts are on, it enters or leaves `wfi`,
/// or it reads `mip`. While it sleeps its clock is off: that costs no time, and `mcycle` stops, as in hardware.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hw/ni/coded_words.h"
#include "hw/ni/processor.h"
#include "hw/riscv/image.h"
#include "rtl/ibex/ibex_model.h"
#include "tlm/verilated/model_library.h"

namespace polycast::tlm {

struct ibex_options {
    std::string name = "processor";                                 ///< its scope in traces
    hw::ni::cycle run_ahead = 4096;                                 ///< cycles
    hw::format::protection protect = hw::format::protection::none;  ///< code of data memory
};

class ibex_processor final : public hw::ni::processor {
public:
    using retired_function = std::function<void(const polycast_ibex_retirement&)>;

    /// \param bus must outlive this. The processor is reset at cycle 0.
    /// \throws hw::input_error if there is no model and none can be built
    ibex_processor(std::shared_ptr<const hw::riscv::image> firmware, hw::ni::processor_bus& bus, model_library& models,
                   ibex_options options = {});
    // The model knows where it is.
    ibex_processor(ibex_processor&&) = delete;

    void reset(hw::ni::cycle now) override;
    hw::ni::cycle run(hw::ni::cycle until, bool interrupt) override;
    void hold(hw::ni::cycle last) override { hold_ = last; }
    void upset(std::uint32_t word, std::uint32_t bit) override;
    std::uint64_t corrected() const override { return codes_.corrected(); }
    hw::ni::processor_probe probe() const override;
    unsigned step_cost() const override { return 1000; }

    /// `retired` is called for every instruction, in order, in simulated time of this processor; empty ends it.
    void observe(retired_function retired);

    /// Writes every signal inside to an FST file from now on; `depth` levels of the hierarchy, 0 for all. Once at most.
    /// \throws hw::input_error if the file cannot be written
    void open_trace(const std::filesystem::path& file, unsigned depth = 0);
    void close_trace();

    /// Bytes of this processor, including its data memory; instruction memory is shared.
    std::size_t memory_bytes() const { return interface_.model_bytes + data_.size(); }

private:
    polycast_ibex_surroundings surroundings();
    void touch(hw::ni::cycle when, std::uint32_t offset, std::uint32_t lanes, bool write);

    std::shared_ptr<const hw::riscv::image> firmware_;
    hw::ni::processor_bus& bus_;
    ibex_options options_;
    std::vector<std::uint8_t> data_;
    hw::ni::coded_words codes_;
    hw::ni::cycle hold_ = hw::engine::never;  ///< nothing behind this cycle is computed ahead
    retired_function retired_;
    const polycast_ibex_model_interface& interface_;
    std::unique_ptr<polycast_ibex_model, void (*)(polycast_ibex_model*)> model_;
};

}  // namespace polycast::tlm
