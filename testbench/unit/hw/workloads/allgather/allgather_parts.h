// SPDX-License-Identifier: Apache-2.0
/// \file Networks of allgathers for tests: their routers, and a coding unit that loses an operand.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "hw/engine/chip.h"
#include "hw/fabric/fabric_config.h"
#include "hw/workloads/allgather/allgather.h"

namespace polycast::hw::system {

/// Routers of an allgather with virtual channels for four classes.
inline fabric::fabric_params routers_for(const allgather& run, const allgather_options& options) {
    fabric::fabric_params mesh;
    mesh.router.radix = options.plan.radix;
    mesh.router.dimensions = options.plan.dimensions;
    mesh.router.ports = mesh.router.first_host_port() + (run.needs_units() ? 2 : 1);
    mesh.router.vcs = options.plan.torus ? 8 : 4;
    mesh.router.vc_flits = 16;
    mesh.tables.packet_limit = mesh.tables.reserve = 16;
    mesh.tables.wrap = options.plan.torus ? (1u << options.plan.dimensions) - 1 : 0;
    mesh.tables.vc_sets = fabric::class_sets(mesh.router.vcs, 4, mesh.tables.wrap, true);
    return mesh;
}

/// A coding unit whose first packet does not come to it.
class losing_unit final : public engine::chip {
public:
    explicit losing_unit(std::unique_ptr<engine::chip> unit) : unit_(std::move(unit)) {}
    const engine::pin_shape& shape() const override { return unit_->shape(); }
    void reset() override { unit_->reset(); }
    bool idle() const override { return unit_->idle() && owed_.empty(); }
    engine::cycle step(engine::cycle now, const engine::pins& in, engine::pins& out) override {
        engine::pins passed = in;
        if (in.valid != 0 && !lost_ && (in.head != 0 || vc_ == in.vc[0])) {
            if (!vc_) vc_ = in.vc[0];
            if (*vc_ == in.vc[0]) {
                passed.valid = passed.head = passed.tail = 0;
                owed_.push_back(in.vc[0]);
                lost_ = in.tail != 0;
            }
        }
        const engine::cycle next = unit_->step(now, passed, out);
        if (owed_.empty()) return next;
        if (out.credit == 0) {
            out.credit = 1;
            out.credit_vc[0] = owed_.front();
            owed_.pop_front();
        }
        return now + 1;
    }

private:
    std::unique_ptr<engine::chip> unit_;
    std::optional<std::uint8_t> vc_;  ///< of the lost packet
    bool lost_ = false;
    std::deque<std::uint8_t> owed_;  ///< credits
};

}  // namespace polycast::hw::system
