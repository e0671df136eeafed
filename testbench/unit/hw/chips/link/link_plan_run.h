// SPDX-License-Identifier: Apache-2.0
/// \file A run of the public test plan: a sender, a cable of any kind, and a receiver with a scoreboard.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include "hw/chips/port_set.h"
#include "hw/engine/chip.h"
#include "hw/traffic/random.h"

namespace polycast::testbench::unit {

/// Sends packets from port 0 to port 1 of a cable on VC 0, as far as credits go. What arrives has to be that, once and
/// in order, or, where the plan allows it, end early.
class link_plan_run {
public:
    using cycle = hw::engine::cycle;

    struct traffic {
        cycle start = 10000;
        cycle end = hw::engine::never;  ///< no packet begins here or later
        unsigned flits = 1;             ///< of a packet
        cycle gap = 0;                  ///< between the beginnings of packets; 0: one behind the other
        unsigned credits = 1;           ///< flits of the far buffer that packets use
        bool may_lose = false;          ///< packets may be lost or cut, and are whole else
    };

    /// \param cable in its state after reset, with two ports
    link_plan_run(hw::engine::chip& cable, const traffic& what)
        : cable_(cable), in_(cable.shape()), out_(cable.shape()), traffic_(what), credits_(what.credits) {}

    void run(cycle until) {
        while (now_ < until && failure_.empty()) {
            in_.clear();
            out_.clear();
            send();
            if (owed_ != 0) in_.credit = 2;
            if (owed_ != 0) --owed_;
            const cycle again = cable_.step(now_, in_, out_);
            if ((out_.credit & 1) != 0) note(1);
            if ((out_.credit & 1) != 0 && ++credits_ > traffic_.credits) fail("a credit too many");
            if ((out_.error & 3) != 0) fail("an error pin");
            if ((out_.valid & 2) != 0) receive();
            // Nothing happens in between.
            now_ = std::min(until, std::max(now_ + 1, std::min(again, owed_ != 0 ? now_ + 1 : next_flit())));
        }
    }

    const std::string& failure() const { return failure_; }
    cycle now() const { return now_; }
    std::uint64_t sent() const { return packets_sent_; }  ///< packets that began
    std::uint64_t whole() const { return whole_; }
    std::uint64_t cut() const { return cut_; }
    std::uint64_t flits() const { return flits_; }
    std::uint64_t head_latency() const { return head_latency_; }  ///< sum, of whole packets
    /// The last packet that was sent came whole, as far as its first flit says which one it is.
    bool last_came() const {
        const unsigned bytes = std::min(8u, cable_.shape().flit_bytes);
        const std::uint64_t differ = tag(next_ - 1, 0) ^ tag(packets_sent_ - 1, 0);
        return last_whole_ && differ << (64 - 8 * bytes) == 0;
    }
    /// Of the cycles and contents of all that came out.
    std::uint64_t digest() const { return digest_; }
    /// All units are the sender's again, and no packet is open.
    bool complete() const { return credits_ == traffic_.credits && flit_ == 0 && !open_; }

private:
    void fail(const std::string& what) { failure_ = "cycle " + std::to_string(now_) + ": " + what; }

    void note(std::uint64_t what) { digest_ = hw::traffic::random_stream::mix(digest_ ^ now_ << 16 ^ what); }

    /// The first cycle behind this one in which there is something to send.
    cycle next_flit() const {
        if (credits_ == 0) return hw::engine::never;
        const cycle next = now_ + 1;
        if (flit_ != 0) return next;
        cycle due = std::max(next, traffic_.start);
        if (traffic_.gap != 0) due += (traffic_.gap - (due - traffic_.start) % traffic_.gap) % traffic_.gap;
        return due < traffic_.end ? due : hw::engine::never;
    }

    void send() {
        if (flit_ == 0) {
            const bool due = now_ >= traffic_.start && now_ < traffic_.end &&
                             (traffic_.gap == 0 || (now_ - traffic_.start) % traffic_.gap == 0);
            if (!due || credits_ == 0) return;
            began_[packets_sent_] = now_;
        }
        if (credits_ == 0) return;
        --credits_;
        in_.valid = 1;
        in_.head = flit_ == 0 ? 1 : 0;
        for (unsigned byte = 0; byte < std::min(8u, cable_.shape().flit_bytes); ++byte)
            in_.data[byte] = static_cast<std::uint8_t>(tag(packets_sent_, flit_) >> (8 * byte));
        if (++flit_ < traffic_.flits) return;
        in_.tail = 1;
        flit_ = 0;
        ++packets_sent_;
    }

    /// Of a flit; the first byte says as much as it can.
    static std::uint64_t tag(std::uint64_t packet, unsigned flit) { return packet * 37 + flit + (packet << 20); }
    bool is(std::uint64_t packet, unsigned flit) const {
        for (unsigned byte = 0; byte < std::min(8u, cable_.shape().flit_bytes); ++byte)
            if (out_.data[cable_.shape().flit_bytes + byte] !=
                static_cast<std::uint8_t>(tag(packet, flit) >> (8 * byte)))
                return false;
        return true;
    }

    void receive() {
        ++owed_;
        ++flits_;
        const unsigned byte = out_.data[cable_.shape().flit_bytes];
        note(2 | (out_.head & 2) << 1 | (out_.tail & 2) << 2 | std::uint64_t{byte} << 4);
        const bool head = (out_.head & 2) != 0;
        const bool tail = (out_.tail & 2) != 0;
        if (head == open_) return fail(head ? "a head in a packet" : "a flit without head");
        if (head) {
            // Packets that were lost are left out.
            while (traffic_.may_lose && !is(next_, 0) && next_ < packets_sent_) began_.erase(next_++);
            received_ = 0;
            latency_ = now_ + 1 - began_[next_];
            began_.erase(next_);
        }
        open_ = !tail;
        const bool poison = traffic_.may_lose && tail && received_ + 1 < traffic_.flits;
        last_whole_ = !poison && tail;
        if (poison) ++cut_;
        if (poison) ++next_;
        if (poison) return;
        if (!is(next_, received_)) return fail("flit " + std::to_string(flits_) + " is another one");
        if (tail != (++received_ == traffic_.flits)) return fail("another length");
        if (!tail) return;
        ++next_;
        ++whole_;
        head_latency_ += latency_;
    }

    hw::engine::chip& cable_;
    hw::engine::pins in_;
    hw::engine::pins out_;
    traffic traffic_;
    cycle now_ = 0;
    std::string failure_;
    std::uint64_t credits_;
    std::uint64_t owed_ = 0;
    std::uint64_t packets_sent_ = 0;
    unsigned flit_ = 0;                     ///< of the packet being sent
    std::map<std::uint64_t, cycle> began_;  ///< [packet] its head's cycle
    std::uint64_t next_ = 0;                ///< packet that is due, or being received
    unsigned received_ = 0;
    bool open_ = false;
    bool last_whole_ = false;
    cycle latency_ = 0;
    std::uint64_t flits_ = 0;
    std::uint64_t whole_ = 0;
    std::uint64_t cut_ = 0;
    std::uint64_t head_latency_ = 0;
    std::uint64_t digest_ = 0;
};

}  // namespace polycast::testbench::unit
