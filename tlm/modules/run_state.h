// SPDX-License-Identifier: Apache-2.0
/// \file What the modules of one network share: counters, errors, events, wake-up times, and whether the run is over.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <queue>
#include <string>
#include <systemc>
#include <vector>

#include "hw/engine/network.h"
#include "tlm/modules/first_records.h"

namespace polycast::tlm::modules {

/// One per network; must outlive its modules. Modules report here, never throw through a SystemC process.
///
/// It also wakes them: one timed notification for all that are due at the same time is several times as fast as one
/// each.
class run_state final : public sc_core::sc_module {
public:
    using cycle = hw::engine::cycle;

    SC_HAS_PROCESS(run_state);

    explicit run_state(const sc_core::sc_module_name& name);

    // For the code that runs the network.

    /// No module has anything left to do, as far as it knows.
    bool quiet() const { return awake_ == 0; }
    /// Notified one delta cycle after the network became quiet.
    const sc_core::sc_event& became_quiet() const { return became_quiet_; }
    /// Ends the run: modules do nothing from now on.
    void end() { over_ = true; }
    bool over() const { return over_; }
    /// First cycle that modules which run ahead must not simulate yet.
    void set_horizon(cycle horizon) { horizon_ = horizon; }
    cycle horizon() const { return horizon_; }
    /// Watches chips being stepped, with the modules' numbers. Cycles never fall from call to call. Must outlive the
    /// run.
    void observe(hw::engine::observer* observer) { observer_ = observer; }

    /// The cycle after the last one in which a module was stepped.
    cycle now() const { return now_; }
    /// Last cycle in which a flit was sent.
    cycle last_flit() const { return last_flit_; }
    std::uint64_t chip_steps() const { return chip_steps_; }
    std::uint64_t flit_hops() const { return flit_hops_; }
    /// Error pins that went high, in the order of cycle, chip and port: the first 1,000, and their total number.
    std::vector<hw::engine::error_event> errors() const { return errors_.sorted(); }
    std::uint64_t error_count() const { return errors_.count(); }
    /// The same for event pins, in the order of cycle, chip and pin.
    std::vector<hw::engine::event_record> events() const { return events_.sorted(); }
    std::uint64_t event_count() const { return events_.count(); }

    bool failed() const { return failure_ != nullptr; }
    /// \throws whatever a module reported; nothing if none did.
    void rethrow_failure() const;

    // For modules.

    /// \returns the number of a new member, in the order of calls. `wake`, which must outlive the run, is notified when
    /// the member is to be woken.
    std::size_t enroll(sc_core::sc_event& wake);
    /// Wakes `member` at time `at`, later than now; an earlier request replaces a later one.
    void wake(std::size_t member, const sc_core::sc_time& at);
    /// When the next member will be woken; no_alarm() if none will.
    sc_core::sc_time next_alarm();
    static sc_core::sc_time no_alarm() { return sc_core::sc_time::from_value(no_time); }
    /// The next cycle in which `member` will be stepped; hw::engine::never while it sleeps.
    void plan(std::size_t member, cycle when);
    /// The earliest planned cycle of all other members.
    cycle earliest_of_others(std::size_t member) const;
    hw::engine::observer* observer() const { return observer_; }

    void stepped(cycle when) {
        ++chip_steps_;
        if (when >= now_) now_ = when + 1;
    }
    /// `steps` more, up to cycle `last`, by an engine.
    void stepped_ahead(std::uint64_t steps, cycle last);
    void flit_sent(cycle when) {
        ++flit_hops_;
        if (when > last_flit_) last_flit_ = when;
    }
    /// `hops` more, up to cycle `last`, by an engine.
    void flits_sent(std::uint64_t hops, cycle last);
    void error(const hw::engine::error_event& event) { errors_.add(event); }
    /// `count` more errors that come after the first 1,000.
    void more_errors(std::uint64_t count) { errors_.more(count); }
    void event(const hw::engine::event_record& record) { events_.add(record); }
    void more_events(std::uint64_t count) { events_.more(count); }

    /// A module cannot go on: ends the run and stops SystemC. The first failure is kept.
    void fail(std::exception_ptr failure);
    void fail(const std::string& message);

private:
    struct alarm {
        std::uint64_t at;
        std::size_t member;
        bool operator>(const alarm& other) const { return at > other.at; }
    };

    void ring();
    void ring_member(std::size_t member, std::uint64_t now);
    void set_bell();

    std::vector<sc_core::sc_event*> wake_;  ///< [member]
    std::vector<std::uint64_t> due_;        ///< [member] time of its alarm
    std::vector<std::size_t> next_;         ///< members with the earliest alarm
    std::vector<std::size_t> ringing_;
    std::uint64_t next_at_ = 0;  ///< its time
    std::priority_queue<alarm, std::vector<alarm>, std::greater<>> later_;
    sc_core::sc_event bell_;
    std::uint64_t bell_at_ = no_time;  ///< for which bell_ is notified
    static constexpr std::uint64_t no_time = ~std::uint64_t{0};

    std::vector<cycle> planned_;
    std::size_t awake_ = 0;
    sc_core::sc_event became_quiet_;
    cycle horizon_ = hw::engine::never;
    hw::engine::observer* observer_ = nullptr;
    bool over_ = false;
    cycle now_ = 0;
    cycle last_flit_ = 0;
    std::uint64_t chip_steps_ = 0;
    std::uint64_t flit_hops_ = 0;
    first_records<hw::engine::error_event> errors_;
    first_records<hw::engine::event_record> events_;
    std::exception_ptr failure_;
};

}  // namespace polycast::tlm::modules
