// SPDX-License-Identifier: Apache-2.0
/// \file The other end of an interface's link: sends whatever it is given, well framed or not, but keeps to the
/// credits; takes what comes, with pauses.
#pragma once

#include <deque>
#include <functional>

#include "hw/engine/chip.h"
#include "testbench/ni/dice.h"
#include "testbench/ni/packets.h"

namespace polycast::testbench::ni {

/// A packet to be sent, and how its frame is broken.
struct wire_item {
    link_packet packet;
    bool headless = false;  ///< its first flit is no head
    bool tailless = false;  ///< its last flit is no tail: the next head ends it
};

class wire {
public:
    wire(const hw::ni::ni_params& params, dice& random) : params_(params), random_(random), credits_(params.credits) {}

    /// A packet as the interface gets it has come to its end.
    std::function<void(const link_packet& packet, bool headless)> ended;
    /// The interface has sent a packet.
    std::function<void(const link_packet& packet)> sent;

    void push(wire_item item) { waiting_.push_back(std::move(item)); }
    std::size_t waiting() const { return waiting_.size(); }
    /// Nothing to send, nothing to give back, no packet without an end.
    bool idle() const { return waiting_.empty() && owed_ == 0 && !open_; }
    /// A packet has begun that needs another head to be ended.
    bool open() const { return open_; }
    /// True if the next cycle matters.
    bool busy() const { return (!waiting_.empty() && credits_ != 0) || owed_ != 0; }
    unsigned credits() const { return credits_; }

    /// Before the step of a cycle: its input pins.
    void drive(hw::engine::pins& in);
    /// After it: its output pins. \returns false if they make no sense
    bool sample(const hw::engine::pins& out);

private:
    void end_packet();

    const hw::ni::ni_params& params_;
    dice& random_;
    std::deque<wire_item> waiting_;
    std::size_t next_ = 0;  ///< byte of the first one that is next
    unsigned credits_;
    bool open_ = false;
    bool open_headless_ = false;
    link_packet open_packet_;  ///< as the interface has it so far
    unsigned in_chunk_ = 0;    ///< flits of its last chunk

    unsigned owed_ = 0;  ///< credits for the interface
    link_packet coming_;
    bool is_coming_ = false;
};

}  // namespace polycast::testbench::ni
