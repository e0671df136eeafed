// SPDX-License-Identifier: Apache-2.0
/// \file Hosts that send each other reliable messages over a network that loses, doubles, delays and reorders packets.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "testbench/firmware/commands.h"

namespace polycast::testbench::firmware {

/// How bad the network is, in thousandths of all packets.
struct weather {
    std::uint32_t lost = 0;
    std::uint32_t doubled = 0;
    std::uint32_t overtaken = 0;  ///< delivered out of order
    std::uint32_t attempts = 8;   ///< of sources
    std::uint32_t timeout = 20'000;
    std::uint32_t hangs = 0;  ///< of an interface, in ten thousand events
};

/// A message with its members; a unicast has one.
struct reliable_message {
    std::uint32_t source = 0;
    std::uint32_t process = 0;  ///< receiving and sending
    std::uint32_t group = no_group;
    std::uint32_t length = 0;
    std::vector<std::uint32_t> members;
    std::vector<std::uint32_t> received;  ///< times, by host
    std::vector<bool> held;               ///< by host: in a buffer of which the host was told that its interface hung
    bool issued = false;
    bool ended = false;
    std::uint32_t status = 0;
    std::vector<std::uint32_t> lacking;  ///< as the source was told
};

/// A group of all messages to it: who is in it, and how data and receipts travel.
struct reliable_group {
    std::uint32_t root = 0;
    std::uint32_t number = 0;
    std::uint32_t process = 0;
    bool worms = false;
    std::vector<std::uint32_t> members;
    std::vector<std::uint32_t> parent;  ///< by place in `members`: place of the parent; own place: the root
};

class reliable_network {
public:
    reliable_network(std::uint32_t seed, std::uint32_t hosts, const weather& how, std::uint32_t processes = 1);

    void add_unicasts(std::uint32_t count, std::uint32_t longest);
    /// `members` hosts at random, receipts along a tree with `fan` children each.
    void add_group(std::uint32_t members, bool worms, std::uint32_t fan, std::uint32_t messages, std::uint32_t longest);
    /// All packets to and from this host are lost from now on.
    void kill(std::uint32_t host) { dead_[host] = true; }

    /// \returns false if something is still under way after `most` events.
    bool run(std::uint64_t most);
    /// Every message that was sent is there, once; nothing is held.
    void check();

    std::vector<reliable_message> messages;
    std::vector<reliable_group> groups;
    std::uint64_t lost = 0, repairs = 0, probes = 0, worms_again = 0, incomplete = 0, restarts = 0;

private:
    std::uint32_t draw(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
    bool chance(std::uint32_t thousandths) { return draw(1000) < thousandths; }
    void set_up(const reliable_group& group);
    void post_buffers(ni_model& ni);
    /// The interface has hung, and its processor was started anew; what was on its way there is lost.
    void restart(std::uint32_t host);
    void issue();
    void collect(std::uint32_t host);
    void told(std::uint32_t host, const completion& one);
    void put(std::uint32_t from, const packet& what);
    void deliver();
    bool quiet() const;
    void wait();
    std::vector<std::uint8_t> bytes_of(std::uint32_t message) const;
    bool there(std::uint32_t message, std::uint32_t host) const;

    std::mt19937 random_;
    std::uint32_t hosts_;
    weather weather_;
    std::vector<std::unique_ptr<ni_model>> interfaces_;
    std::vector<bool> dead_;
    std::vector<packet> network_;
    std::uint32_t issued_ = 0, ended_ = 0;
};

}  // namespace polycast::testbench::firmware
