// SPDX-License-Identifier: Apache-2.0
/// \file A chip behind link sockets, clocked only while it has work.
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <utility>
#include <vector>

#include "hw/engine/chip.h"
#include "tlm/modules/link_node.h"

namespace polycast::tlm::modules {

/// The chip is stepped in the cycles that it asked for, in those in which something arrives, and in cycle 0, as by
/// hw::engine::network.
class chip_module : public link_node {
public:
    /// `state` must outlive the module. \throws input_error on a bad period, and for chips that take whole packets.
    chip_module(const sc_core::sc_module_name& name, std::unique_ptr<hw::engine::chip> chip,
                const module_params& params, run_state& state)
        : chip_module(name, std::move(chip), params, state, process_kind::method) {}
    ~chip_module() override;

    const hw::engine::chip& chip() const { return *chip_; }
    hw::engine::chip_id number() const { return number_; }

protected:
    chip_module(const sc_core::sc_module_name& name, std::unique_ptr<hw::engine::chip> chip,
                const module_params& params, run_state& state, process_kind kind);

    /// For chips with more functions than step().
    hw::engine::chip& own_chip() { return *chip_; }
    void step(cycle now) override;
    void flit_arrived(unsigned port, cycle when, const hw::engine::flit& flit) override;
    void credit_arrived(unsigned port, cycle when, std::uint8_t vc) override;
    void side_arrived(unsigned port, cycle when, const hw::engine::side_state& side) override;
    void start_of_simulation() override;

private:
    void send(cycle when);
    hw::engine::pins& arrivals_in(cycle when);
    void grow(cycle when);
    cycle next_arrival(cycle after) const;

    std::unique_ptr<hw::engine::chip> chip_;
    hw::engine::chip_id number_;
    std::vector<hw::engine::pins> arrivals_;  ///< ring of input pins by cycle; its size is a power of two
    std::uint64_t waiting_ = 0;               ///< cycles in the ring in which something arrives
    hw::engine::pins sent_;
    cycle next_ = 0;  ///< first cycle that has not been simulated
};

}  // namespace polycast::tlm::modules
