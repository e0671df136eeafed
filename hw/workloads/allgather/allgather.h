// SPDX-License-Identifier: Apache-2.0
/// \file All-to-all broadcasts by host programs: every host runs its part of a collectives::network_coding plan over
/// its interface, coding units or hosts make the chain packets, hosts decode along the chains, and what every host has
/// at the end is compared byte by byte.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hw/collectives/network_coding.h"
#include "hw/delivery/goal.h"
#include "hw/host/application.h"
#include "hw/system/plan.h"

namespace polycast::hw::system {

struct allgather_options {
    collectives::coding_options plan;
    std::uint32_t bytes = 128;  ///< of a datum
    std::uint64_t payload_seed = 1;
    engine::cycle start = 1;        ///< the first cycle in which a program sends
    bool coded_by_hosts = false;    ///< chain packets are made by host programs, not by coding units
    engine::cycle host_coding = 0;  ///< time in which a program makes one
    unsigned xor_latency = 1;       ///< of coding units, cycles
    /// Patience of coding units with operands that do not come. It is shorter than that of a watchdog, which could not
    /// name the operands.
    std::uint32_t patience = 50000;
};

/// One run of an allgather. Nodes continue as soon as they have what they must send: no step waits for the previous
/// one.
///
/// The tag of a message says what the message is. A datum has the number of its node, chain packets and combined
/// messages numbers of their own. A node gives every datum that a chain of its needs to the unit at its router, which
/// sends the chain packets if the plan says that this node sends them first. The node forwards chain packets that it
/// received.
class allgather final : public traffic::goal {
public:
    /// \throws input_error as network_coding does
    explicit allgather(const allgather_options& options);
    const collectives::network_coding& coding() const { return coding_; }
    /// Some chain packets are made by coding units: the routers need a second host port.
    bool needs_units() const;

    /// Adds coding units, and sizes hosts for what they receive. \throws input_error if the plan is not one of routers
    /// for as many nodes, has no ports for units, or a packet does not hold a datum that is coded
    void equip(system_plan& plan) const;

    /// The program of a host. The run must outlive it.
    host::application_factory program(std::uint32_t host);

    bool complete() const override { return finished_ == nodes_.size(); }
    engine::cycle delivered_until() const override { return delivered_until_; }
    std::string oldest_missing() const override;

    /// The first faults, at most 20; empty if every node has the data of all sources, byte by byte.
    const std::vector<std::string>& problems() const { return problems_; }
    /// Messages that hosts sent to hosts, counted as they went.
    std::uint64_t host_messages() const { return host_messages_; }
    /// Counted XORs: [node] those with which its host made chain packets; those with which hosts decoded.
    std::vector<std::uint64_t> host_coding_xors() const;
    std::uint64_t decoding_xors() const { return decoding_xors_; }

    /// What the plan asks of a coding unit.
    struct unit_task {
        std::uint32_t node = 0;
        std::uint64_t xors = 0;
        std::uint64_t packets = 0;
    };
    /// In the order of system_plan::units.
    std::vector<unit_task> unit_tasks() const;

    /// How far a node's datum has come.
    struct spread {
        std::uint32_t nodes = 0;  ///< that have it, including its own
        engine::cycle until = 0;  ///< when the last of them got it
    };
    const std::vector<spread>& spreads() const { return spreads_; }
    const std::vector<std::uint32_t>& sources() const { return sources_; }
    /// Data that others got, compared when a node was finished: as they were sent, and otherwise.
    std::uint64_t verified() const { return verified_; }
    std::uint64_t wrong() const { return wrong_; }
    /// [step of coding().steps()] when its last message came to a host; the start, if it has none.
    const std::vector<engine::cycle>& step_ends() const { return step_ends_; }

private:
    class part;

    /// Where a node sends what it has.
    struct sending {
        std::uint32_t to = 0;
        std::uint8_t vc_class = 0;
    };
    /// Chain packets that a node makes from the sources of one group.
    struct chain_maker {
        std::uint32_t first_chain = 0;       ///< number of the chain packet of the first two
        std::vector<std::uint32_t> sources;  ///< whose data it takes, in order
        std::vector<std::uint32_t> destinations;
        std::uint8_t vc_class = 0;
    };
    struct node {
        std::unordered_map<std::uint32_t, std::vector<sending>> sends;  ///< by tag
        std::vector<chain_maker> makers;
        std::vector<std::uint32_t> messages;  ///< tags of combined messages that it makes
        std::uint32_t expected = 0;           ///< messages that come to it
        /// Steps that bring them, by tag.
        std::unordered_map<std::uint32_t, std::vector<std::size_t>> arrivals;
        std::uint64_t coding_xors = 0;  ///< of its host
        bool finished = false;
    };
    using chain = std::pair<std::uint32_t, std::uint32_t>;
    using bytes = std::vector<std::uint8_t>;

    void number_chains();
    void find_sends();
    std::uint32_t tag_of(unsigned level, const collectives::parcel& what) const;
    std::vector<std::uint32_t> contents_of_message(std::uint32_t tag) const;
    chain_maker& maker_of(node& at, std::uint32_t chain_number);
    void add_units(system_plan& plan) const;
    void learnt(std::uint32_t datum, engine::cycle when);
    void arrived(std::uint32_t host, std::uint32_t tag, engine::cycle when);
    void finished(engine::cycle when, std::uint32_t host, const std::vector<bytes>& data);
    void problem(const std::string& what);
    bytes datum_of(std::uint32_t source) const;

    allgather_options options_;
    collectives::network_coding coding_;
    std::vector<chain> chains_;  ///< [number] sources
    /// By level and sources: an inner group's chain can be a part of the outer one's, but is made and sent for itself.
    std::map<std::pair<unsigned, chain>, std::uint32_t> chain_number_;
    std::vector<std::pair<unsigned, std::uint32_t>> chain_group_;  ///< [number] level and group
    std::vector<std::uint32_t> first_chain_;                       ///< [number] of the first of its group
    std::vector<std::uint32_t> sources_;
    std::vector<node> nodes_;
    std::vector<spread> spreads_;  ///< [source]
    std::vector<engine::cycle> step_ends_;
    std::uint64_t verified_ = 0;
    std::uint64_t wrong_ = 0;
    std::uint64_t host_messages_ = 0;
    std::uint64_t decoding_xors_ = 0;
    std::size_t finished_ = 0;
    engine::cycle delivered_until_ = 0;
    std::vector<std::string> problems_;
};

}  // namespace polycast::hw::system
