// SPDX-License-Identifier: Apache-2.0
/// \file A cable whose wires have faults, as a chip of a network.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "hw/chips/link/cable.h"
#include "hw/chips/link/cable_report.h"
#include "hw/faults/link_faults.h"

namespace polycast::hw::faults {

/// Reports what happened beside what the ends counted.
class faulty_cable final : public chips::link_cable {
public:
    /// \param cable of symbols, unless the plan is momentary() \param number of it in the network: a seed of its
    /// own \throws input_error as link_faults does
    /// \param half the end which `cable` is a half of: what leaves it is spoilt; none: it is whole
    faulty_cable(std::unique_ptr<chips::link_cable> cable, fault_plan plan, std::uint64_t number,
                 std::optional<unsigned> half = {});

    const engine::pin_shape& shape() const override { return cable_->shape(); }
    const chips::link_config& config() const override { return cable_->config(); }
    void attach(unsigned towards, chips::wire_faults& faults) override { cable_->attach(towards, faults); }
    void upset(unsigned which, const chips::link_upset& what) override { cable_->upset(which, what); }
    std::array<std::unique_ptr<chips::link_cable>, 2> cut_in_two() override;
    void reset() override;
    engine::cycle step(engine::cycle now, const engine::pins& in, engine::pins& out) override;
    bool idle() const override { return cable_->idle(); }
    void probe(engine::chip_probe& probe) const override;
    engine::chip_report report() const override;
    void watch() override;
    unsigned step_cost() const override { return cable_->step_cost(); }

private:
    /// Kinds of faults on one direction, bit k for fault_kind k.
    struct spoilt_wire {
        engine::cycle when = engine::never;                     ///< the last fault that began
        std::uint16_t struck = 0;                               ///< in that cycle
        std::array<unsigned, fault_names.size()> lasting = {};  ///< faults that began and have not ended
    };

    void attach_faults();
    void tell_upsets(std::size_t first);
    void tell_strikes();
    void strike(const fault_record& fault, unsigned end);

    fault_plan plan_;
    std::uint64_t number_;
    std::optional<unsigned> half_;
    std::vector<fault_event> upsets_;  ///< by cycle, from end 1 first; at most one of an end and cycle
    std::size_t next_upset_ = 0;
    chips::cable_damage damage_;
    std::vector<fault_record> strikes_;       ///< on the wires, by cycle; senders know them before they arrive
    engine::cycle now_ = 0;                   ///< of the last step
    std::array<spoilt_wire, 2> spoilt_ = {};  ///< [end that receives]
    std::optional<cable_faults> faults_;      ///< ends behind the cable
    std::unique_ptr<chips::link_cable> cable_;
};

}  // namespace polycast::hw::faults
