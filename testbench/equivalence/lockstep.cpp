// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/lockstep.h"

#include <algorithm>
#include <bit>
#include <exception>
#include <sstream>
#include <utility>

#include "hw/engine/pin_difference.h"

namespace polycast::testbench::equivalence {

using hw::engine::chip_probe;
using hw::engine::cycle;
using hw::engine::pins;

namespace {

bool same(const chip_probe::input& a, const chip_probe::input& b) {
    return a.occupied == b.occupied && a.state == b.state && a.waiting == b.waiting && a.reading == b.reading &&
           a.corrected == b.corrected;
}

bool same(const chip_probe::output& a, const chip_probe::output& b) {
    return a.held == b.held && a.holder == b.holder && a.credits == b.credits;
}

std::string text(const chip_probe::input& input) {
    std::ostringstream out;
    out << "occupied " << input.occupied << " state " << static_cast<unsigned>(input.state) << " waiting " << std::hex
        << input.waiting << " reading " << input.reading << " corrected " << std::dec << input.corrected;
    return out.str();
}

std::string text(const chip_probe::output& output) {
    return output.held ? "held by " + std::to_string(output.holder) + " credits " + std::to_string(output.credits)
                       : "free credits " + std::to_string(output.credits);
}

}  // namespace

void coverage::add(const coverage& other) {
    cycles += other.cycles;
    runs += other.runs;
    flits += other.flits;
    packets += other.packets;
    copied += other.copied;
    waiting += other.waiting;
    blocked += other.blocked;
    drained += other.drained;
    turnarounds += other.turnarounds;
    resets += other.resets;
    asleep += other.asleep;
    for (std::size_t bit = 0; bit < errors.size(); ++bit) errors[bit] += other.errors[bit];
    possible_errors = static_cast<std::uint16_t>(possible_errors | other.possible_errors);
    forwarding += other.forwarding;
    may_wait += other.may_wait;
    waits += other.waits;
    for (const auto& [name, count] : other.decisions) decisions[name] += count;
}

std::string coverage::text() const {
    std::ostringstream out;
    out << cycles << " cycles, " << flits << " flits, " << packets << " packets, " << copied << " copying, " << waiting
        << " waiting, " << blocked << " blocked, " << drained << " draining, " << turnarounds << " turning, " << resets
        << " resets, " << asleep << " asleep;";
    for (unsigned bit = 0; bit < errors.size(); ++bit) out << " " << hw::format::error_name(bit) << " " << errors[bit];
    out << "\ndecisions:";
    for (const auto& [name, count] : decisions) out << " " << name << " " << count << ",";
    return out.str();
}

lockstep::lockstep(comparison what) : what_(std::move(what)), shape_(what_.chips[0]->shape()) {}

std::optional<difference> lockstep::run(const step_observer& observer) {
    pins in(shape_);
    std::array<pins, 2> out{pins(shape_), pins(shape_)};
    ++seen_.runs;
    seen_.possible_errors = what_.errors;
    seen_.forwarding = what_.forwarding ? 1 : 0;
    seen_.may_wait = what_.waits[0] ? 1 : 0;
    cycle now = 0;
    try {
        std::string what = compare_state();
        for (; now < what_.cycles && what.empty(); ++now) {
            if (now != 0 && what_.traffic->wants_reset()) {
                ++seen_.resets;
                for (auto& chip : what_.chips) chip->reset();
                wake_ = {0, 0};
                what_.watch->reset();
                what = compare_state();
                if (!what.empty()) return difference{now, "after a reset, " + what};
            }
            what_.traffic->drive(in);
            for (unsigned which = 0; which < 2; ++which) {
                out[which].clear();
                sleeping_[which] = in.quiet() && wake_[which] > now;
                wake_[which] = what_.chips[which]->step(now, in, out[which]);
            }
            ++seen_.cycles;
            what_.traffic->see(out[0]);
            if (observer) observer(now, in, {&out[0], &out[1]});
            what = hw::engine::pin_difference(shape_, what_.names, out[0], out[1]).what;
            if (what.empty()) what = compare_state();
            if (what.empty()) what = check_sleep(out);
            if (what.empty()) what_.watch->see(in, out[0], last_probes_[0], probes_[0]);
            count(out[0]);
        }
        seen_.decisions = what_.watch->counted();
        if (!what.empty()) return difference{now, what};
    } catch (const std::exception& error) {
        return difference{now + 1, error.what()};
    }
    return std::nullopt;
}

std::string lockstep::compare_state() {
    last_probes_ = probes_;
    last_idle_ = idle_;
    last_waits_ = waits_;
    for (unsigned which = 0; which < 2; ++which) {
        what_.chips[which]->probe(probes_[which]);
        idle_[which] = what_.chips[which]->idle();
        if (what_.waits[which]) waits_[which] = what_.waits[which]();
    }
    if (idle_[0] != idle_[1])
        return "idle: " + what_.names[0] + (idle_[0] ? " 1, " : " 0, ") + what_.names[1] + (idle_[1] ? " 1" : " 0");
    if (waits_[0] != waits_[1])
        return "xmit_wait of port " + std::to_string(std::countr_zero(waits_[0] ^ waits_[1])) + ": " + what_.names[0] +
               " " + std::to_string(waits_[0]) + ", " + what_.names[1] + " " + std::to_string(waits_[1]);
    for (const chip_probe& each : probes_) {
        if (each.inputs.size() != probes_[0].inputs.size() || each.outputs.size() != each.inputs.size())
            return "the state has different numbers of entries";
    }
    for (unsigned entry = 0; entry < probes_[0].inputs.size(); ++entry) {
        const auto differ = [&](const char* name, const auto& first, const auto& second) {
            return std::string(name) + place(entry) + ": " + what_.names[0] + " " + text(first) + ", " +
                   what_.names[1] + " " + text(second);
        };
        if (!same(probes_[0].inputs[entry], probes_[1].inputs[entry]))
            return differ("state of input ", probes_[0].inputs[entry], probes_[1].inputs[entry]);
        if (!same(probes_[0].outputs[entry], probes_[1].outputs[entry]))
            return differ("state of output ", probes_[0].outputs[entry], probes_[1].outputs[entry]);
    }
    return {};
}

/// Number of a port, or of a port and a virtual channel.
std::string lockstep::place(unsigned entry) const {
    const std::string port = std::to_string(entry / shape_.vcs);
    return shape_.vcs == 1 ? port : port + " vc " + std::to_string(entry % shape_.vcs);
}

/// The sleep contract of hw/engine/chip.h: until the cycle a chip named, quiet steps change nothing.
std::string lockstep::check_sleep(const std::array<pins, 2>& out) {
    for (unsigned which = 0; which < 2; ++which) {
        if (!sleeping_[which]) continue;
        if (which == 0) ++seen_.asleep;
        const std::string name = what_.names[which] + " was to sleep until a later cycle, but ";
        if (!out[which].quiet()) return name + "its output pins are up";
        if (idle_[which] != last_idle_[which]) return name + "idle changed";
        if (waits_[which] != last_waits_[which]) return name + "xmit_wait changed";
        for (unsigned entry = 0; entry < probes_[which].inputs.size(); ++entry) {
            if (!same(probes_[which].inputs[entry], last_probes_[which].inputs[entry]))
                return name + "the state of input " + place(entry) + " changed";
            if (!same(probes_[which].outputs[entry], last_probes_[which].outputs[entry]))
                return name + "the state of output " + place(entry) + " changed";
        }
    }
    return {};
}

void lockstep::count(const pins& out) {
    seen_.flits += static_cast<unsigned>(std::popcount(out.valid));
    seen_.packets += static_cast<unsigned>(std::popcount(out.tail));
    if (waits_[0] != 0) ++seen_.waits;
    for (unsigned entry = 0; entry < probes_[0].inputs.size(); ++entry) {
        const chip_probe::input& input = probes_[0].inputs[entry];
        if (std::popcount(input.reading) > 1) ++seen_.copied;
        if (input.waiting != 0) ++seen_.waiting;
        if (input.state == 3) ++seen_.drained;
        if ((input.reading >> (entry / shape_.vcs) & 1) != 0) ++seen_.turnarounds;
        if (probes_[0].outputs[entry].held && probes_[0].outputs[entry].credits == 0) ++seen_.blocked;
    }
    for (std::uint64_t set = out.error; set != 0; set &= set - 1) {
        const auto port = static_cast<unsigned>(std::countr_zero(set));
        for (std::size_t bit = 0; bit < seen_.errors.size(); ++bit) seen_.errors[bit] += out.errors[port] >> bit & 1u;
    }
}

}  // namespace polycast::testbench::equivalence
