// SPDX-License-Identifier: Apache-2.0
/// \file What one host does in an allgather.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "hw/host/endpoint.h"
#include "hw/workloads/allgather/allgather.h"

namespace polycast::hw::system {

/// Tags: data have the numbers of their nodes.
inline constexpr std::uint32_t chain_tag = 1u << 28;
inline constexpr std::uint32_t message_tag = 2u << 28;

/// Forwards everything as soon as it arrives, keeps it, and decodes along chains.
class allgather::part {
public:
    part(allgather& run, std::uint32_t host);

    host::program main(host::endpoint& self);

private:
    /// \returns whether it is one of the plan's messages, with the length of what it carries
    bool expected(const host::message& got);
    void take(host::endpoint& self, const host::message& got);
    void learn(host::endpoint& self, std::uint32_t datum, bytes content);
    void learn_one(host::endpoint& self, std::uint32_t datum);
    void learn_chain(std::uint32_t number, const bytes& content);
    void send(host::endpoint& self, std::uint32_t tag, const bytes& content);
    void give_operands(host::endpoint& self, std::uint32_t datum);
    void combine(host::endpoint& self);
    host::program make_chain(host::endpoint& self, const chain_maker& maker, std::size_t index);
    bool has(std::uint32_t datum) const { return !data_[datum].empty(); }

    /// A chain packet with a datum.
    struct link {
        std::uint32_t other = 0;
        std::shared_ptr<const bytes> content;
    };

    allgather& run_;
    std::uint32_t host_;
    node& own_;
    std::vector<bytes> data_;               ///< [source]
    std::vector<std::vector<link>> links_;  ///< [source]
    std::deque<std::uint32_t> found_;       ///< data to forward and to decode from
    std::vector<bool> combined_;            ///< [own_.messages]
    std::vector<host::request<ni_status>> sending_;
    engine::cycle complete_at_ = 0;
    engine::cycle coder_free_ = 0;  ///< used if hosts code
};

}  // namespace polycast::hw::system
