// SPDX-License-Identifier: Apache-2.0
// A cable as a SystemC module between two others. Modules cannot be made once SystemC runs, and tests make one cable
// after another: each is put into a module that stands ready, and counts its cycles from there.
#include <algorithm>
#include <optional>
#include <stdexcept>
#include <systemc>
#include <vector>

#include "testbench/unit/hw/chips/link/cable_under_test.h"
#include "tlm/modules/chip_module.h"
#include "tlm/modules/link_module.h"
#include "tlm/modules/run_state.h"

namespace polycast::testbench::unit {

namespace {

using hw::chips::wired_cable;
using hw::engine::cycle;
using hw::engine::pins;
using tlm::modules::chip_module;
using tlm::modules::link_module;
using tlm::modules::link_node;
using tlm::modules::module_params;
using tlm::modules::run_state;

const sc_core::sc_time period(1, sc_core::SC_NS);

/// The cable that is in a module, or none.
class slot_chip final : public hw::engine::chip {
public:
    explicit slot_chip(const hw::engine::pin_shape& shape) : shape_(shape) {}

    void put(wired_cable* cable, cycle origin) {
        cable_ = cable;
        origin_ = origin;
        next_ = origin;
    }
    bool free() const { return cable_ == nullptr; }
    /// When it asked to be stepped, in cycles of the cable.
    cycle next() const { return next_ == hw::engine::never ? next_ : next_ - origin_; }

    const hw::engine::pin_shape& shape() const override { return shape_; }
    void reset() override {}
    cycle step(cycle now, const pins& in, pins& out) override {
        if (free() || now < origin_) return hw::engine::never;
        next_ = cable_->step(now - origin_, in, out);
        if (next_ != hw::engine::never) next_ += origin_;
        return next_;
    }
    bool idle() const override { return free() || cable_->idle(); }

private:
    hw::engine::pin_shape shape_;
    wired_cable* cable_ = nullptr;
    cycle origin_ = 0;
    cycle next_ = hw::engine::never;
};

class cable_module final : public chip_module {
public:
    cable_module(const char* name, const hw::engine::pin_shape& shape, hw::engine::chip_id number, run_state& state)
        : chip_module(name, std::make_unique<slot_chip>(shape), module_params{period, number}, state) {}
    slot_chip& slot() { return static_cast<slot_chip&>(own_chip()); }
    void put(wired_cable* cable, cycle origin) {
        slot().put(cable, origin);
        if (cable != nullptr) wake_at(origin);
    }
};

/// Stands for the chip at an end: what the test puts on its pins goes out, what comes in is noted.
class pin_module final : public link_node {
public:
    pin_module(const char* name, hw::engine::pin_shape shape, run_state& state)
        : link_node(name, (shape.ports = 1, shape), period, state),
          data_(shape.flit_bytes),
          header_(shape.header_bytes) {}

    void drive(const pins& from, unsigned port, cycle when) {
        const std::uint64_t mask = hw::chips::bit(port);
        if ((from.valid & mask) != 0) {
            const bool head = (from.head & mask) != 0;
            const bool free_header = head && shape().header_bytes != 0;
            send_flit(0, when,
                      {head, (from.tail & mask) != 0, from.vc.empty() ? std::uint8_t{0} : from.vc[port],
                       &from.data[port * shape().flit_bytes],
                       free_header ? &from.header[port * shape().header_bytes] : nullptr});
        }
        if ((from.credit & mask) != 0)
            send_credit(0, when, from.credit_vc.empty() ? std::uint8_t{0} : from.credit_vc[port]);
    }
    /// What came for cycle `when`.
    void take(cycle when, unsigned port, pins& to) {
        const std::uint64_t mask = hw::chips::bit(port);
        if (flit_ && *flit_ == when) {
            to.valid |= mask;
            if (head_) to.head |= mask;
            if (tail_) to.tail |= mask;
            if (!to.vc.empty()) to.vc[port] = vc_;
            std::ranges::copy(data_, to.data.begin() + port * data_.size());
            if (head_) std::ranges::copy(header_, to.header.begin() + port * header_.size());
        }
        if (credit_ && *credit_ == when) {
            to.credit |= mask;
            if (!to.credit_vc.empty()) to.credit_vc[port] = credit_vc_;
        }
    }

protected:
    void step(cycle) override {}
    void flit_arrived(unsigned, cycle when, const hw::engine::flit& flit) override {
        flit_ = when;
        head_ = flit.head;
        tail_ = flit.tail;
        vc_ = flit.vc;
        std::copy_n(flit.data, data_.size(), data_.begin());
        if (flit.header != nullptr) std::copy_n(flit.header, header_.size(), header_.begin());
    }
    void credit_arrived(unsigned, cycle when, std::uint8_t vc) override {
        credit_ = when;
        credit_vc_ = vc;
    }
    void side_arrived(unsigned, cycle, const hw::engine::side_state&) override {}

private:
    std::optional<cycle> flit_, credit_;  ///< the last ones
    bool head_ = false, tail_ = false;
    std::uint8_t vc_ = 0, credit_vc_ = 0;
    std::vector<std::uint8_t> data_, header_;
};

/// A module for cables, and its neighbours.
struct place {
    place(const hw::engine::pin_shape& shape, unsigned number, run_state& state)
        : cable(("cable" + std::to_string(number)).c_str(), shape, number, state),
          first(("first" + std::to_string(number)).c_str(), shape, state),
          second(("second" + std::to_string(number)).c_str(), shape, state),
          to_first(("to_first" + std::to_string(number)).c_str(), {0, 1}, period, state),
          to_second(("to_second" + std::to_string(number)).c_str(), {0, 1}, period, state) {
        to_first.join(first, 0, cable, 0);
        to_second.join(cable, 1, second, 0);
    }
    pin_module& neighbour(unsigned port) { return port == 0 ? first : second; }

    cable_module cable;
    pin_module first, second;
    link_module to_first, to_second;  ///< without delay
};

/// All modules of the process. One kernel steps them together.
class world {
public:
    static world& only() {
        static world the;
        return the;
    }

    /// A place of this shape that nobody has.
    place& free_place(const hw::engine::pin_shape& shape) {
        const auto fits = [&](const auto& each) {
            const hw::engine::pin_shape& has = each->cable.shape();
            return each->cable.slot().free() && has.flit_bytes == shape.flit_bytes && has.vcs == shape.vcs &&
                   has.header_bytes == shape.header_bytes;
        };
        if (const auto found = std::ranges::find_if(places_, fits); found != places_.end()) return **found;
        if (next_ != 0) throw std::logic_error("SystemC runs, and there is no more room for a cable");
        for (unsigned spare = 0; spare < 3; ++spare)
            places_.push_back(std::make_unique<place>(shape, static_cast<unsigned>(places_.size()), state));
        return *places_.back();
    }

    /// First cycle that has not been simulated.
    cycle next() const { return next_; }
    /// Simulates up to `end`, exclusively.
    void advance(cycle end) {
        sc_core::sc_start(static_cast<double>(end - next_) * period, sc_core::SC_RUN_TO_TIME);
        next_ = end;
        state.rethrow_failure();
    }

    run_state state{"state"};

private:
    std::vector<std::unique_ptr<place>> places_;
    cycle next_ = 0;
};

class tlm_cable final : public cable_under_test {
public:
    explicit tlm_cable(const hw::chips::link_config& config)
        : cable_under_test(std::make_unique<hw::chips::cable_core>(config)),
          place_(world::only().free_place(shape())),
          origin_(world::only().next()) {
        place_.cable.put(&wired(), origin_);
    }
    ~tlm_cable() override { place_.cable.put(nullptr, 0); }
    tlm_cable(const tlm_cable&) = delete;
    tlm_cable& operator=(const tlm_cable&) = delete;

    /// Several cables are stepped in a cycle by the first of these calls: then only that one may have pins.
    cycle step(cycle now, const pins& in, pins& out) override {
        world& all = world::only();
        const cycle when = origin_ + now;
        if (when >= all.next()) {
            if (when > all.next()) all.advance(when);
            for (unsigned port = 0; port < 2; ++port) place_.neighbour(port).drive(in, port, when);
            all.advance(when + 1);
        } else if (!in.quiet()) {
            throw std::logic_error("another cable has taken the cycle");
        }
        for (unsigned port = 0; port < 2; ++port) place_.neighbour(port).take(when + 1, port, out);
        take_errors(when + 1, out);
        return place_.cable.slot().next();
    }

private:
    void take_errors(cycle when, pins& out) {
        const run_state& state = world::only().state;
        if (state.error_count() == errors_) return;
        errors_ = state.error_count();
        for (const hw::engine::error_event& error : state.errors()) {
            if (error.when != when || error.where.chip != place_.cable.number()) continue;
            out.error |= hw::chips::bit(error.where.port);
            out.errors[error.where.port] = error.errors;
        }
    }

    place& place_;
    cycle origin_;
    std::uint64_t errors_ = world::only().state.error_count();
};

}  // namespace

std::unique_ptr<cable_under_test> make_cable(const hw::chips::link_config& config) {
    return std::make_unique<tlm_cable>(config);
}

std::string fidelity() {
    return "tlm";
}

}  // namespace polycast::testbench::unit
