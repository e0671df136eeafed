// SPDX-License-Identifier: Apache-2.0
/// \file Hosts that carry out an allgather: what a fabric has as terminals in run_allgather().
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hw/fabric/allgather.h"
#include "hw/fabric/allgather_check.h"
#include "hw/fabric/coding_terminals.h"
#include "hw/fabric/parcel_numbers.h"
#include "hw/fabric/terminals.h"

namespace polycast::hw::fabric {

class allgather_run final : private unit_owner {
public:
    allgather_run(const allgather_options& options, const collectives::network_coding& plan);

    allgather_result run();

    // What a fabric asks of its terminals.
    void send(engine::cycle now, router_fabric& fabric);
    void arrive(engine::cycle when, std::uint32_t terminal, unsigned vc, packet_id id, std::uint16_t info);
    void enter(std::uint32_t node, unsigned port, std::uint16_t info) {
        if (result_.links) result_.links->into_router(node, port, info);
    }
    bool holds_credit(std::uint32_t terminal, packet_id id) const { return terminal >= nodes_ && !cargo_[id].lost; }
    void credit(std::uint32_t terminal, unsigned vc) {
        if (terminal < nodes_) return ends_.credit(terminal, vc);
        units_.credit(terminal - nodes_, vc);
    }
    engine::cycle next(engine::cycle now) const;

private:
    static constexpr payload_id nothing = ~payload_id{0};
    static constexpr payload_id forgotten = nothing - 1;  ///< had it, and needs it no more
    static constexpr std::uint32_t no_step = ~std::uint32_t{0};

    /// What a packet is to its hosts.
    struct cargo {
        std::uint32_t number = 0;  ///< of the parcel; of an operand its datum
        payload_id payload = nothing;
        std::uint32_t step = no_step;  ///< none of an operand, and of a chain packet to the unit's own host
        bool lost = false;
        bool cut = false;         ///< its last flit is missing
        std::uint16_t first = 0;  ///< of a message: data of this packet
        std::uint16_t data = 1;
        unit_operand operand;  ///< of an operand
        engine::cycle ready = 0;
    };
    /// What a host sends of one parcel: entries of sends_.
    struct outgoing {
        std::uint32_t number;
        std::uint32_t to;
        std::uint32_t step;
    };
    /// A place in a host's queue: sends_ [begin, end), or where that is empty an operand.
    struct queued {
        std::uint32_t begin, end;
        unit_operand operand;
        engine::cycle ready;
        std::uint16_t first = 0;  ///< of a message: data that have been sent to the first one
    };
    struct lane {
        std::vector<queued> entries;
        std::size_t head = 0;

        bool empty() const { return head == entries.size(); }
    };
    struct host_state {
        std::array<lane, 4> lanes;  ///< [class], the first that is not empty sends
        std::uint64_t waiting = 0;  ///< packets
        bool fed = false;           ///< a packet waits in the terminal
        engine::cycle free = 0;     ///< of software that codes
    };
    struct arrival {
        engine::cycle when;
        std::uint32_t node;
        cargo what;
        std::uint32_t from;
        std::vector<payload_id> message;  ///< its data
    };
    /// A group whose chain packets a node makes.
    struct coder {
        unsigned level;
        std::uint32_t group;
    };
    struct host_job {
        engine::cycle ready;
        std::uint32_t node;
        unsigned level;
        std::uint32_t first;  ///< node of the chain packet's first datum
        auto operator<=>(const host_job&) const = default;
    };

    // Before.
    void find_coders();
    void add_units();
    void make_data();
    void activate(std::optional<std::pair<std::uint32_t, unsigned>> step_and_round);
    bool run_fabric();
    void run_steps();
    void run_freely();
    void run_replication();

    // What nodes have.
    payload_id& at(std::uint32_t node, std::uint32_t number) {
        return have_[std::size_t{node} * numbers_.count() + number];
    }
    bool known(std::uint32_t node, std::uint32_t number) { return at(node, number) != nothing; }
    bool held(std::uint32_t node, std::uint32_t number) { return at(node, number) < forgotten; }
    void receive(arrival& what);
    void receive_message(arrival& what);
    void learn(std::uint32_t node, std::uint32_t source, payload_id payload);
    void derive(std::uint32_t node, unsigned level, std::uint32_t from, std::uint32_t to);
    void hold_chain(std::uint32_t node, std::uint32_t number, payload_id payload);
    void forget(std::uint32_t node, std::uint32_t source);
    void complete_messages(std::uint32_t node, std::uint32_t source);

    // What they do with it.
    void offer(std::uint32_t node, std::uint32_t number);
    void offer_to_coder(std::uint32_t node, const coder& which, std::uint32_t source);
    void begin_job(std::uint32_t node, const coder& which, std::uint32_t first);
    void enqueue(std::uint32_t node, unsigned service_class, const queued& what, std::uint64_t packets);
    void feed(std::uint32_t node);
    payload_id cut(payload_id payload);
    void mark_faults(cargo& what, char letter, std::uint32_t from, std::uint32_t to, bool by_host);
    bool codes(std::uint32_t node, std::uint32_t number) const;
    unsigned class_of(std::uint32_t step) const;

    // unit_owner
    packet_id begin(std::uint32_t node, const chips::coding_packet& packet, payload_id payload) override;
    void release(const unit_operand& operand) override { payloads_.give_back(operand.payload); }
    void event(std::uint32_t node, const engine::chip_event& what) override;

    cargo& cargo_of(packet_id id) {
        if (cargo_.size() <= id) cargo_.resize(fabric_.packets().end());
        return cargo_[id];
    }
    void problem(const std::string& text);
    void diagnose();
    void diagnose_coders();
    allgather_result result();

    allgather_options options_;
    const collectives::network_coding& plan_;
    parcel_numbers numbers_;
    std::uint32_t nodes_;
    router_fabric fabric_;
    terminals ends_;
    payload_store payloads_;
    coding_terminals units_;
    allgather_check check_;
    std::vector<collectives::coding_step> steps_;
    std::vector<std::vector<coder>> coders_;  ///< [node]
    std::uint32_t data_per_packet_;           ///< of a message
    std::vector<std::uint32_t> sources_;

    std::vector<payload_id> have_;                                                   ///< [node][parcel]
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> message_data_;  ///< (node, parcel) received
    std::vector<outgoing> sends_;                                                    ///< by node and parcel
    std::vector<std::size_t> sends_of_;  ///< [node] the first in sends_; one more at the end
    std::vector<host_state> hosts_;      ///< [node]
    std::vector<cargo> cargo_;           ///< [packet]
    std::unordered_map<packet_id, std::vector<payload_id>> messages_;  ///< data of packets of messages
    std::queue<arrival> arrivals_;
    std::priority_queue<host_job, std::vector<host_job>, std::greater<>> jobs_;
    std::vector<std::uint32_t> learning_;   ///< data whose neighbours are to be looked at
    std::vector<std::uint64_t> host_xors_;  ///< [node]
    std::size_t next_broadcast_ = 0;
    std::vector<std::pair<engine::cycle, std::uint32_t>> broadcasts_;
    std::vector<packet_name> drop_, shorten_;  ///< faults that have not been injected yet

    engine::cycle now_ = 0;
    engine::cycle last_arrival_ = 0;  ///< of the round
    engine::cycle last_learnt_ = 0;
    std::vector<std::uint64_t> latency_;  ///< [step] sum
    std::uint64_t unsent_ = 0;            ///< parcels that a node had to send in a step, and did not have
    allgather_result result_;
};

}  // namespace polycast::hw::fabric
