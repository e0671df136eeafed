// SPDX-License-Identifier: Apache-2.0
#include "tlm/network/module_part.h"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hw/engine/network_part.h"
#include "tlm/modules/chip_module.h"
#include "tlm/modules/link_module.h"

namespace polycast::tlm::network {

namespace {

using hw::engine::chip_id;
using hw::engine::cycle;
using hw::engine::network_chips;
using hw::engine::network_part;
using hw::engine::pins;
using hw::engine::port_id;

/// The kernel simulates one cycle after the other of those in which a module has something to do.
class module_part final : public network_part {
public:
    module_part(const sc_chip_network_params& params, network_chips& all, std::uint32_t index, std::size_t parts,
                std::size_t slots)
        : network_part(all, index, parts, slots), params_(params), grid_(params.period), watcher_(*this) {}

    void add(chip_id id, bool /*step*/) override { adopt(id); }

    cycle next_activity() const override {
        const cycle arrives = network_part::next_activity();
        if (!state_) return ids_.empty() ? arrives : now_;  // all are stepped in the first cycle
        const sc_core::sc_time alarm = state_->next_alarm();
        if (alarm == modules::run_state::no_alarm()) return arrives;
        return std::min<cycle>(arrives, alarm.value() / grid_.period().value());
    }

    hw::engine::link_statistics statistics(port_id port) const override {
        if (!state_) return network_part::statistics(port);
        const end& at = end_of(port);
        return at.link != nullptr ? at.link->statistics(at.side, now_) : network_part::statistics(port);
    }

protected:
    void simulate_cycle() override {
        if (!state_) build();
        deliver(slot_at(now_));
        sc_core::sc_start(grid_.start_of(now_ + 1) - sc_core::sc_time_stamp());
        count();
        if (failed_) {
            stepped_ = failed_chip_;
            std::rethrow_exception(failed_);
        }
        state_->rethrow_failure();
    }

private:
    /// The chip of the network, which keeps it, in a module.
    class lent_chip final : public hw::engine::chip {
    public:
        lent_chip(module_part& part, chip_id id) : part_(part), id_(id) {}

        const hw::engine::pin_shape& shape() const override { return *part_.chips_.nodes[id_].shape; }
        void reset() override {}
        cycle step(cycle now, const pins& in, pins& out) override { return part_.step_chip(id_, now, in, out); }
        bool idle() const override { return part_.chips_.nodes[id_].chip->idle(); }

    private:
        module_part& part_;
        chip_id id_;
    };

    /// In place of the chip at the other end of a cable that leaves the part. The cable's delay begins behind it, and
    /// ends before it.
    class border final : public modules::link_node {
    public:
        border(const std::string& name, const hw::engine::pin_shape& shape, module_part& part,
               const hw::engine::link_state& link)
            : link_node(name.c_str(), shape, part.params_.period, *part.state_), part_(part), link_(link) {}

        using link_node::send_credit;
        using link_node::send_flit;
        using link_node::send_side;

    protected:
        void step(cycle /*now*/) override {}
        void flit_arrived(unsigned /*port*/, cycle when, const hw::engine::flit& flit) override {
            const cycle arrival = when + link_.delay;
            network_part::mailbox& box = part_.box_of(link_, arrival);
            const bool narrow = shape().flit_bytes == 1;
            box.flits.push_back(
                {arrival,
                 {link_.to.chip, static_cast<std::uint8_t>(link_.to.port), ends(flit.head, flit.tail), flit.vc,
                  narrow ? *flit.data : std::uint8_t{0}, static_cast<std::uint32_t>(box.bytes.size())}});
            if (!narrow) box.bytes.insert(box.bytes.end(), flit.data, flit.data + shape().flit_bytes);
            if (flit.header != nullptr)
                box.bytes.insert(box.bytes.end(), flit.header, flit.header + shape().header_bytes);
        }
        void credit_arrived(unsigned /*port*/, cycle when, std::uint8_t vc) override {
            const cycle arrival = when + link_.delay;
            part_.box_of(link_, arrival)
                .credits.push_back({arrival, {link_.to.chip, static_cast<std::uint8_t>(link_.to.port), vc}});
        }
        void side_arrived(unsigned /*port*/, cycle when, const hw::engine::side_state& side) override {
            const cycle arrival = when + link_.delay;
            part_.box_of(link_, arrival)
                .sides.push_back({arrival, {link_.to.chip, static_cast<std::uint8_t>(link_.to.port), side}});
        }

    private:
        module_part& part_;
        const hw::engine::link_state& link_;
    };

    class watcher final : public hw::engine::observer {
    public:
        explicit watcher(module_part& part) : part_(part) {}
        void stepped(chip_id id, cycle /*now*/, const pins& in, const pins& out,
                     const hw::engine::chip& /*chip*/) override {
            if (!part_.failed_ || id != part_.failed_chip_) part_.show_step(id, in, out);
        }

    private:
        module_part& part_;
    };

    /// Of the cable at a port.
    struct end {
        modules::link_module* link = nullptr;  ///< null: the port is open
        unsigned side = 0;
        border* other = nullptr;  ///< null: the cable stays in this part
    };

    const end& end_of(port_id port) const { return ends_[chips_.nodes[port.chip].local][port.port]; }

    void build() {
        state_ = std::make_unique<modules::run_state>("state");
        if (chips_.watching != hw::engine::watching::nobody) state_->observe(&watcher_);
        for (const chip_id id : ids_) {
            const modules::module_params module{params_.period, id};
            modules_.push_back(std::make_unique<modules::chip_module>(
                ("chip" + std::to_string(id)).c_str(), std::make_unique<lent_chip>(*this, id), module, *state_));
            ends_.emplace_back(chips_.nodes[id].shape->ports);
        }
        for (const chip_id id : ids_)
            for (unsigned port = 0; port < chips_.nodes[id].shape->ports; ++port) join({id, port});
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }

    void join(port_id port) {
        const hw::engine::link_state& cable = chips_.link(port);
        end& at = ends_[chips_.nodes[port.chip].local][port.port];
        if (cable.to.chip == hw::engine::chip_network::no_chip || at.link != nullptr) return;
        const bool stays = chips_.nodes[cable.to.chip].part == chips_.nodes[port.chip].part;
        const std::string number = std::to_string(links_.size());
        const hw::engine::link_params delay{stays ? cable.delay : 0, cable.chunk_flits};
        links_.push_back(
            std::make_unique<modules::link_module>(("link" + number).c_str(), delay, params_.period, *state_));
        at.link = links_.back().get();
        protocol::link_checker* const out = checker("checker" + number + "a", port);
        protocol::link_checker* const back = checker("checker" + number + "b", cable.to);
        modules::link_node& node = *modules_[chips_.nodes[port.chip].local];
        if (stays) {
            end& other = ends_[chips_.nodes[cable.to.chip].local][cable.to.port];
            other = {at.link, 1, nullptr};
            at.link->join(node, port.port, *modules_[chips_.nodes[cable.to.chip].local], cable.to.port, out, back);
            return;
        }
        hw::engine::pin_shape one = *chips_.nodes[cable.to.chip].shape;
        one.side_ports = one.side_ports >> cable.to.port & 1;
        one.packet_ports = 0;
        one.ports = 1;
        borders_.push_back(std::make_unique<border>("border" + number, one, *this, cable));
        at.other = borders_.back().get();
        at.link->join(node, port.port, *at.other, 0, out, back);
    }

    /// For what is sent at a port; null where nobody checks.
    protocol::link_checker* checker(const std::string& name, port_id from) {
        if (!params_.credits) return nullptr;
        checkers_.push_back(make_checker(name, params_.period, *chips_.nodes[from.chip].shape, from.port,
                                         params_.credits(chips_.outer(from)), chips_.link(from).chunk_flits, *state_));
        return checkers_.back().get();
    }

    /// What comes from other parts in this cycle.
    void deliver(arrivals& all) {
        for (const flit_event& event : all.flits) {
            const hw::engine::pin_shape& shape = *chips_.nodes[event.chip].shape;
            const bool narrow = shape.flit_bytes == 1;
            const bool head = (event.ends & head_end) != 0;
            const std::uint8_t* const bytes = all.bytes.data() + event.offset;
            const std::uint8_t* const header = bytes + (narrow ? 0 : shape.flit_bytes);
            end_of({event.chip, event.port})
                .other->send_flit(0, now_,
                                  {head, (event.ends & tail_end) != 0, event.vc, narrow ? &event.byte : bytes,
                                   head && shape.header_bytes != 0 ? header : nullptr});
        }
        for (const credit_event& event : all.credits)
            end_of({event.chip, event.port}).other->send_credit(0, now_, event.vc);
        for (const side_event& event : all.sides)
            end_of({event.chip, event.port}).other->send_side(0, now_, event.state);
        pending_ -= all.size();
        all.clear();
    }

    /// Of several chips that fail in a cycle the first one counts.
    cycle step_chip(chip_id id, cycle now, const pins& in, pins& out) {
        if (is_behind_end(id)) return hw::engine::never;
        hw::engine::chip_node& node = chips_.nodes[id];
        if (several()) log_.begin(now, id);
        ++counters_.chip_steps;
        ++node.steps;
        std::exception_ptr failed;
        try {
            return node.chip->step(now, in, out);
        } catch (const std::logic_error&) {
            failed = std::current_exception();  // a failed assertion of a model names its chip
        } catch (const std::exception& error) {
            failed = std::make_exception_ptr(
                std::runtime_error(std::string(modules_[node.local]->name()) + ": " + error.what()));
        }
        out.clear();
        if (!failed_ || id < failed_chip_) {
            failed_ = failed;
            failed_chip_ = id;
        }
        return hw::engine::never;
    }

    void count() {
        counters_.flit_hops = state_->flit_hops();
        counters_.last_flit = state_->last_flit();
        if (state_->error_count() != counters_.error_count) {
            counters_.error_count = state_->error_count();
            counters_.errors = state_->errors();
        }
        if (state_->event_count() != counters_.event_count) {
            counters_.event_count = state_->event_count();
            counters_.events = state_->events();
        }
    }

    const sc_chip_network_params& params_;
    protocol::cycle_grid grid_;
    watcher watcher_;
    std::unique_ptr<modules::run_state> state_;                   ///< null before the first cycle
    std::vector<std::unique_ptr<modules::chip_module>> modules_;  ///< [local]
    std::vector<std::unique_ptr<modules::link_module>> links_;
    std::vector<std::unique_ptr<protocol::link_checker>> checkers_;
    std::vector<std::unique_ptr<border>> borders_;
    std::vector<std::vector<end>> ends_;  ///< [local][port]
    std::exception_ptr failed_;           ///< what a chip threw in this cycle
    chip_id failed_chip_ = 0;
};

}  // namespace

std::shared_ptr<const hw::engine::foreign_chips> in_modules(const sc_chip_network_params& params) {
    const auto kept = std::make_shared<const sc_chip_network_params>(params);
    return std::make_shared<const hw::engine::foreign_chips>(hw::engine::foreign_chips{
        .has = [kept](chip_id id) { return kept->where && kept->where(id) == placement::module; },
        .make = [kept](network_chips& all, std::uint32_t index, std::size_t parts,
                       std::size_t slots) { return std::make_unique<module_part>(*kept, all, index, parts, slots); }});
}

}  // namespace polycast::tlm::network
