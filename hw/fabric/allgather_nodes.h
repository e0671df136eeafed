// SPDX-License-Identifier: Apache-2.0
/// \file The nodes of an allgather: what they have, what they send, who codes. How their packets travel is left to the
/// class derived from it: over a fabric (allgather_run.h), or through chips (hw/workloads/allgather/ideal_allgather.h).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "hw/fabric/allgather.h"
#include "hw/fabric/allgather_check.h"
#include "hw/fabric/coding_terminals.h"
#include "hw/fabric/parcel_numbers.h"
#include "hw/fabric/payload_store.h"

namespace polycast::hw::fabric {

/// The coding unit of a node.
struct unit_setup {
    std::uint32_t node = 0;
    chips::coding_params params;
    chips::coding_registers registers;
};

/// Whatever concerns one node reads and writes what that node has, and sums and maxima: the order of nodes within a
/// cycle does not matter.
class allgather_nodes : protected unit_owner {
public:
    allgather_nodes(const allgather_options& options, const collectives::network_coding& plan);
    allgather_nodes(const allgather_nodes&) = delete;
    allgather_nodes& operator=(const allgather_nodes&) = delete;

    const std::vector<unit_setup>& units() const { return setups_; }

protected:
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
    /// A packet that has come to a host.
    struct arrival {
        std::uint32_t node;
        cargo what;
        std::uint32_t from;               ///< node
        std::vector<payload_id> message;  ///< its data
    };
    /// A packet for the derived class to send.
    struct departure {
        std::uint32_t node;
        std::uint32_t to;  ///< terminal; of a broadcast a host port
        std::uint16_t flits;
        std::uint8_t service_class;
        bool broadcast;
    };

    // For the derived class.
    /// A host's next packet waits at its terminal: a host has one there, and is asked for more by fed().
    virtual void send(const departure& where, const cargo& what, std::vector<payload_id> message) = 0;
    /// A unit begins a packet. \returns its handle
    virtual packet_id begin_coded(std::uint32_t node, const chips::coding_packet& packet, const cargo& what) = 0;
    /// finish_jobs() of a node is due in that cycle.
    virtual void job_begun(engine::cycle ready, std::uint32_t node) = 0;

    // How it begins.
    /// Free running: everything is sent as soon as its sender has it.
    void begin_freely();
    /// Pace steps: hosts get their data; then begin_round() and end_round() by turns.
    void begin_steps() { make_data(); }
    /// The next round begins in a cycle. \returns false if there is none
    bool begin_round(engine::cycle begin);
    void end_round();
    void begin_replication();
    /// Cycle and node of the broadcasts that are still to be sent.
    const std::vector<std::pair<engine::cycle, std::uint32_t>>& broadcasts() const { return broadcasts_; }
    void send_broadcast(engine::cycle now, std::uint32_t node);

    // How it goes on.
    /// A packet's tail is on the input pins of a host.
    void count_arrival(engine::cycle when, std::uint32_t node, std::uint32_t from, const cargo& what);
    /// A host takes it.
    void receive(engine::cycle now, arrival& what);
    /// The packet that waited at a host's terminal has left.
    void fed(engine::cycle now, std::uint32_t node) {
        now_ = now;
        hosts_[node].fed = false;
        feed(node);
    }
    /// Units that have something to do in a cycle do it.
    void step_units(engine::cycle now) {
        now_ = now;
        units_.step(now);
    }
    /// Software of a host has made chain packets.
    void finish_jobs(engine::cycle now, std::uint32_t node);
    engine::cycle next_job(std::uint32_t node) const {
        return hosts_[node].jobs.empty() ? engine::never : hosts_[node].jobs.top().ready;
    }

    // How it ends.
    /// What the derived class knows of the end.
    struct ending {
        engine::cycle now = 0;
        std::uint64_t missing = 0;             ///< packets
        std::vector<std::string> stuck;        ///< names of the first ones
        std::vector<std::string> faults = {};  ///< of terminals
        std::uint64_t flit_hops = 0;
        std::size_t memory_bytes = 0;
    };
    allgather_result finish(const ending& end);

    bool replicates() const { return options_.method == allgather_method::replication; }
    bool in_steps() const { return !replicates() && options_.pace == allgather_pace::steps; }
    void problem(const std::string& text);
    /// Packets and jobs of this round that are still to end, those included that units will send.
    std::uint64_t open() const { return open_; }
    std::uint64_t jobs() const { return jobs_; }

    const allgather_options options_;
    const collectives::network_coding& plan_;
    const parcel_numbers numbers_;
    const std::uint32_t nodes_;
    payload_store payloads_;
    coding_terminals units_;
    allgather_result result_;

private:
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
    /// A group whose chain packets a node makes.
    struct coder {
        unsigned level;
        std::uint32_t group;
    };
    struct host_job {
        engine::cycle ready;
        unsigned level;
        std::uint32_t first;  ///< node of the chain packet's first datum
        auto operator<=>(const host_job&) const = default;
    };
    struct host_state {
        std::array<lane, 4> lanes;  ///< [class], the first that is not empty sends
        std::uint64_t waiting = 0;  ///< packets
        bool fed = false;           ///< a packet waits in the terminal
        engine::cycle free = 0;     ///< of software that codes
        std::priority_queue<host_job, std::vector<host_job>, std::greater<>> jobs;
    };

    // Before.
    void find_coders();
    void plan_units();
    void make_data();
    void activate(std::optional<std::pair<std::uint32_t, unsigned>> step_and_round);
    void offer_round(std::uint32_t step, unsigned round);

    // What nodes have.
    payload_id& at(std::uint32_t node, std::uint32_t number) {
        return have_[std::size_t{node} * numbers_.count() + number];
    }
    bool known(std::uint32_t node, std::uint32_t number) { return at(node, number) != nothing; }
    bool held(std::uint32_t node, std::uint32_t number) { return at(node, number) < forgotten; }
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

    void diagnose(const ending& end);
    void diagnose_coders();
    std::size_t memory_bytes() const;

    allgather_check check_;
    std::vector<collectives::coding_step> steps_;
    std::vector<std::vector<coder>> coders_;  ///< [node]
    std::vector<unit_setup> setups_;
    std::uint32_t data_per_packet_;  ///< of a message
    std::vector<std::uint32_t> sources_;

    std::vector<payload_id> have_;                                                   ///< [node][parcel]
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> message_data_;  ///< (node, parcel) received
    std::vector<outgoing> sends_;                                                    ///< by node and parcel
    std::vector<std::size_t> sends_of_;     ///< [node] the first in sends_; one more at the end
    std::vector<host_state> hosts_;         ///< [node]
    std::vector<std::uint32_t> learning_;   ///< data whose neighbours are to be looked at
    std::vector<std::uint64_t> host_xors_;  ///< [node]
    std::vector<std::pair<engine::cycle, std::uint32_t>> broadcasts_;
    std::vector<packet_name> drop_, shorten_;  ///< faults that have not been injected yet

    engine::cycle now_ = 0;           ///< of the node that something happens to
    engine::cycle last_arrival_ = 0;  ///< of the round
    engine::cycle last_learnt_ = 0;
    std::uint32_t step_ = 0;  ///< pace steps: of the next round
    unsigned round_ = 0;
    std::uint32_t running_step_ = 0;
    engine::cycle round_begin_ = 0;
    std::vector<engine::cycle> step_cycles_;  ///< [step] sum over its rounds
    std::uint64_t open_ = 0;
    std::uint64_t jobs_ = 0;
    std::vector<std::uint64_t> latency_;  ///< [step] sum
    std::uint64_t unsent_ = 0;            ///< parcels that a node had to send in a step, and did not have
};

}  // namespace polycast::hw::fabric
