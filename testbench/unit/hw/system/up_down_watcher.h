// SPDX-License-Identifier: Apache-2.0
/// \file A switch under observation: does a packet that has come down a link ever go up again?
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hw/format/header.h"
#include "hw/system/system_network.h"

namespace polycast::hw::system {

/// What watched switches saw.
struct up_down_record {
    std::uint64_t heads = 0;  ///< that left switches
    std::uint64_t ups = 0;    ///< of these, up a link
    std::vector<std::string> violations;
};

/// A switch whose heads are counted on the pins, whatever its up bits say; for networks with free headers. A packet
/// that comes in by an up port has come down; each one that comes in from below or from a host may go up once. A worm
/// may cross the switch twice, upwards and on its way down.
class up_down_watcher final : public engine::chip {
public:
    up_down_watcher(std::unique_ptr<engine::chip> inner, const chips::switch_tables& tables, std::string name,
                    up_down_record& record)
        : inner_(std::move(inner)), tables_(tables), name_(std::move(name)), record_(record) {}

    const engine::pin_shape& shape() const override { return inner_->shape(); }
    void reset() override { inner_->reset(); }
    bool idle() const override { return inner_->idle(); }
    void probe(engine::chip_probe& probe) const override { inner_->probe(probe); }

    engine::cycle step(engine::cycle now, const engine::pins& in, engine::pins& out) override {
        for (unsigned port = 0; port < shape().ports; ++port) {
            if ((in.valid & in.head) >> port & 1 && !up(port)) ++may_go_up_[packet(in, port)];
        }
        const engine::cycle next = inner_->step(now, in, out);
        for (unsigned port = 0; port < shape().ports; ++port) {
            if (((out.valid & out.head) >> port & 1) == 0) continue;
            ++record_.heads;
            const std::uint8_t* const header = &out.header[std::size_t{port} * shape().header_bytes];
            if (format::up_of(header) != up(port))
                record_.violations.push_back(name_ + ": the up bit on port " + std::to_string(port) + " is wrong");
            if (!up(port)) continue;
            ++record_.ups;
            unsigned& left = may_go_up_[packet(out, port)];
            if (left == 0)
                record_.violations.push_back(name_ + ": a packet goes up port " + std::to_string(port) + " after down");
            else
                --left;
        }
        return next;
    }

private:
    using packet_id = std::pair<std::uint32_t, std::uint32_t>;  ///< source, sequence

    bool up(unsigned port) const { return tables_.port_direction[port] == format::direction::up; }
    packet_id packet(const engine::pins& pins, unsigned port) const {
        const format::common_header header =
            format::read_common(&pins.header[std::size_t{port} * shape().header_bytes]);
        return {header.source, header.sequence};
    }

    std::unique_ptr<engine::chip> inner_;
    const chips::switch_tables& tables_;
    std::string name_;
    up_down_record& record_;
    std::map<packet_id, unsigned> may_go_up_;
};

/// Cores under observation; `record` must outlive them.
inline chip_factory watched_cores(up_down_record& record) {
    return [&record](const system_plan& plan, std::uint32_t index) {
        return std::make_unique<up_down_watcher>(make_core(plan, index), plan.switch_at(index).tables,
                                                 plan.network.switches[index].name, record);
    };
}

}  // namespace polycast::hw::system
