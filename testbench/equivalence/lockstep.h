// SPDX-License-Identifier: Apache-2.0
/// \file Two chips under the same stimulus, every output pin and all visible state compared in every cycle.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "hw/engine/chip.h"
#include "hw/format/packet_format.h"

namespace polycast::testbench::equivalence {

/// What drives both chips of a comparison, seeing the output pins of one of them.
class traffic_source {
public:
    virtual ~traffic_source() = default;

    /// Writes the input pins of the next cycle.
    virtual void drive(hw::engine::pins& in) = 0;

    /// Takes the output pins of the cycle after the one that was driven last.
    virtual void see(const hw::engine::pins& out) = 0;

    /// Both chips are being reset in this cycle: asked before drive().
    virtual bool wants_reset() = 0;
};

/// Counts what a run comes across, from what shows outside: it says nothing about whether it is right.
class traffic_watch {
public:
    virtual ~traffic_watch() = default;

    /// The chip is reset.
    virtual void reset() = 0;

    /// After a step: its input pins, the output pins of the next cycle, the state before and after.
    /// \throws std::logic_error when that makes no sense
    virtual void see(const hw::engine::pins& in, const hw::engine::pins& out, const hw::engine::chip_probe& before,
                     const hw::engine::chip_probe& after) = 0;

    /// All that can be met, with its count.
    virtual std::map<std::string, std::uint64_t> counted() const = 0;
};

/// A way to make a chip, with the name it has in messages and waves.
template <typename Params, typename Tables>
struct contender_of {
    std::string name;
    std::function<std::unique_ptr<hw::engine::chip>(const Params&, const Tables&)> make;
};

/// Two chips of one shape and all that a comparison of them needs.
struct comparison {
    std::array<std::string, 2> names;
    std::array<std::unique_ptr<hw::engine::chip>, 2> chips;
    std::unique_ptr<traffic_source> traffic;
    std::unique_ptr<traffic_watch> watch;
    std::uint64_t cycles = 0;
    std::uint16_t errors = 0;  ///< format::chip_error bits that such chips can raise
    bool forwarding = true;    ///< such chips forward packets from inputs to outputs
    /// Pins that show until the next step, compared like state; none if empty.
    std::array<std::function<std::uint64_t()>, 2> waits = {};
};

/// What a run came across, so that a bench that tests nothing is noticed.
struct coverage {
    std::uint64_t cycles = 0;
    std::uint64_t runs = 0;
    std::uint64_t flits = 0;
    std::uint64_t packets = 0;      ///< copies that left
    std::uint64_t copied = 0;       ///< cycles in which a packet held several outputs
    std::uint64_t waiting = 0;      ///< cycles in which a packet waited for a grant
    std::uint64_t blocked = 0;      ///< held outputs without credit, times cycles
    std::uint64_t drained = 0;      ///< cycles in which an input drained
    std::uint64_t turnarounds = 0;  ///< cycles in which an input held the output of its own port
    std::uint64_t resets = 0;
    std::uint64_t asleep = 0;      ///< steps that the first chip did not need
    std::uint64_t forwarding = 0;  ///< runs of chips that forward packets
    std::uint64_t may_wait = 0;    ///< runs of chips with `comparison::waits`
    std::uint64_t waits = 0;       ///< cycles in which one of those pins was up
    std::array<std::uint64_t, hw::format::chip_error_count> errors{};
    std::uint16_t possible_errors = 0;               ///< format::chip_error bits that the chips can raise
    std::map<std::string, std::uint64_t> decisions;  ///< by name: all that the watch knows

    void add(const coverage& other);
    std::string text() const;
};

/// Where two chips parted.
struct difference {
    std::uint64_t cycle = 0;  ///< in which the pin has two values
    std::string what;         ///< "flit_data of port 3: core 1f, rtl 00"
};

/// Sees both chips after each step: waves hang here.
using step_observer = std::function<void(hw::engine::cycle now, const hw::engine::pins& in,
                                         const std::array<const hw::engine::pins*, 2>& out)>;

class lockstep {
public:
    explicit lockstep(comparison what);

    /// Compares all cycles; to be called once. \returns the first difference, if there is one. An exception of
    /// either side (a failed RTL assertion) counts as a difference.
    std::optional<difference> run(const step_observer& observer = {});

    const coverage& seen() const { return seen_; }
    const hw::engine::chip& chip(unsigned which) const { return *what_.chips[which]; }

private:
    std::string compare_state();
    std::string place(unsigned entry) const;
    std::string check_sleep(const std::array<hw::engine::pins, 2>& out);
    void count(const hw::engine::pins& out);

    comparison what_;
    hw::engine::pin_shape shape_;
    std::array<hw::engine::chip_probe, 2> probes_;
    std::array<bool, 2> idle_{true, true};
    std::array<hw::engine::chip_probe, 2> last_probes_;
    std::array<bool, 2> last_idle_{true, true};
    std::array<std::uint64_t, 2> waits_{0, 0};
    std::array<std::uint64_t, 2> last_waits_{0, 0};
    std::array<hw::engine::cycle, 2> wake_{0, 0};  ///< what the last step returned
    std::array<bool, 2> sleeping_{false, false};   ///< this step was not asked for: nothing may change
    coverage seen_;
};

}  // namespace polycast::testbench::equivalence
