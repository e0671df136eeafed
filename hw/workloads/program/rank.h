// SPDX-License-Identifier: Apache-2.0
/// \file A rank of a program on a modelled host: starts operations when what they wait for has happened, matches
/// messages, and pays for all of it with the host's processors. program.md gives the rules.
#pragma once

#include <array>
#include <boost/rational.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <string>
#include <vector>

#include "hw/delivery/check.h"
#include "hw/engine/told.h"
#include "hw/host/application.h"
#include "hw/host/host_processor.h"
#include "hw/programs/matching.h"
#include "hw/programs/program.h"
#include "hw/traffic/payload_packing.h"
#include "hw/workloads/program/credit_plan.h"
#include "hw/workloads/program/critical_path.h"
#include "hw/workloads/program/multicast_routes.h"
#include "hw/workloads/program/rank_buffers.h"
#include "hw/workloads/program/time_account.h"
#include "hw/workloads/program/wire.h"

namespace polycast::hw::programs {

/// What all ranks of a run share; it does not change. Times in cycles.
struct rank_rules {
    std::shared_ptr<const program> of;
    std::vector<std::uint32_t> host_of;  ///< [rank]
    std::vector<std::uint32_t> rank_of;  ///< [host]; no_rank: it has none
    credit_plan credits;
    std::uint64_t eager = 16384;  ///< longest message, in bytes, that is sent without asking
    std::uint32_t queues = 1;
    cycle start = 1;
    cycle send_overhead = 1000;             ///< t_hs
    cycle receive_overhead = 1000;          ///< t_hr
    std::uint32_t packet_bytes = 0;         ///< overheads are paid for each so many bytes; 0: for a message
    boost::rational<std::int64_t> unit{1};  ///< cycles of a unit of `calc`
    std::optional<boost::rational<std::int64_t>> copy, reduce;  ///< bytes per cycle; nothing: they take no time
    std::uint64_t payload_seed = 1;
    element_type type = element_type::f32;  ///< of buffers, where the program does not say what it computes
    bool times = false;                     ///< of all operations are kept, for critical_path()
    std::shared_ptr<const multicast_routes> multicasts = {};  ///< null: the program has none
    bool reliable = false;                  ///< interfaces acknowledge and repair all messages; one queue
    wire_format wire = wire_format::plain;  ///< of messages of the program
    // From here on as checked() fills it in.
    std::uint32_t place_bytes = 0;    ///< of a place for a long message; 0: the program has none
    std::uint32_t places = 0;         ///< of each queue
    std::uint32_t longest_eager = 0;  ///< bytes
    cycle longest_calc = 0;           ///< for so long nothing need move

    static constexpr std::uint32_t no_rank = ~std::uint32_t{0};

    /// Bytes that the interface gets for a send.
    std::uint32_t sent_bytes(const operation& of) const;
};

/// ceil(amount x each)
cycle time_of(std::uint64_t amount, const boost::rational<std::int64_t>& each);

/// What a rank says when the run has ended, as numbers for application::counts().
struct rank_report {
    cycle finish = 0;  ///< from the start to the end of its last operation; of one that has not ended, so far
    std::array<cycle, rank_states> cycles{};  ///< adds up to the finish
    std::uint64_t rendezvous = 0;             ///< messages that it sent so
    std::uint64_t reordered = 0;              ///< messages that came before an earlier one of their pair
    std::uint64_t credit_waits = 0;           ///< messages that waited for one
    std::uint64_t unexpected_messages = 0, unexpected_bytes = 0;  ///< most at a time
    std::uint64_t open = 0;                                       ///< operations that have not ended
    std::uint64_t acknowledged = 0;                               ///< its reliable messages, controls among them
    /// [operation] where some have not ended: bits started, ended, matched, of a rank's own operations.
    std::vector<std::uint8_t> states{};
    std::vector<operation_times> times{};  ///< [operation] of one that has ended, with rank_rules::times

    /// \param own operations of the rank
    std::vector<std::uint64_t> packed(std::span<const operation> own) const;
    static rank_report of(std::span<const std::uint64_t> packed, std::span<const operation> own);
};

inline constexpr std::uint8_t operation_started = 1, operation_ended = 2, operation_matched = 4;
inline constexpr std::uint8_t operation_credited = 8;  ///< a send that has waited for its credit

class program_run;

/// Its application has one process for each queue; all of them have the same rank.
class rank final : private ni::timeline::task {
public:
    /// All must outlive it.
    rank(program_run& run, std::uint32_t number, const host::host_context& context);

    void add_queue(host::process& own) { queues_.push_back({.own = &own}); }
    void start();
    /// It begins nothing more by itself: all has ended, or what has not waits for others.
    bool finished() const;
    std::vector<std::string> failures() const { return failures_.first(); }
    std::vector<std::uint64_t> packed_report() const { return report().packed(operations_); }

    // Of processes' clients.
    void sent(unsigned queue, std::uint64_t context, ni_status status);
    void received(unsigned queue, const host::delivery& message);
    void landed(unsigned queue, std::uint64_t context, ni_status status);
    void group_set(ni_status status);
    void unacknowledged(std::span<const host::lacking_host> hosts);
    void failed(const host::ni_report& report);

private:
    /// A message that has come, and what becomes of it.
    struct arrival {
        operation_id send{};
        unsigned queue = 0;
        std::uint16_t sequence = 0;
        std::uint32_t credits = 0;
        bool request = false, grant = false;
        bool own = false;  ///< of this rank: it was on no wire
        bool multicast = false;
        bool paying = false, paid = false;  ///< t_hr
        std::optional<std::uint32_t> receive{};
        std::optional<host::delivery> buffer{};
        std::vector<std::uint8_t> copied{};  ///< of one that nobody wanted when it came, or of the own rank
        std::uint32_t place = 0;             ///< of a long message
        cycle came = 0, pay_begin = 0, paid_at = 0;
    };
    /// A send call of a multicast, of its root or of a host that passes it on.
    struct multicast_call {
        static constexpr unsigned call_bits = 20;

        std::uint32_t multicast = 0;  ///< its number in the program
        std::uint32_t call = 0;

        std::uint64_t tag() const { return std::uint64_t{multicast} << call_bits | call; }
        static multicast_call of(std::uint64_t tag) {
            return {static_cast<std::uint32_t>(tag >> call_bits),
                    static_cast<std::uint32_t>(tag & ((1u << call_bits) - 1))};
        }
    };
    /// What is given to the interface as soon as it takes more.
    struct outgoing {
        std::uint32_t peer = 0;
        std::uint32_t operation = 0;    ///< of a send
        std::optional<control> what{};  ///< nothing: a message of the program
        std::uint16_t sequence = 0;
        std::uint32_t credits = 0;
        std::vector<std::uint8_t> content{};  ///< of programs with buffers, and of what is passed on
        std::optional<multicast_call> part{};
    };
    struct queue_state {
        host::process* own = nullptr;
        unsigned sending = 0;
        std::deque<outgoing> waiting{};
        std::deque<std::uint32_t> ungranted{};  ///< arrivals of requests that wait for a place
        std::vector<std::uint32_t> free_places{};
        std::uint32_t next_place = 0;            ///< that was never used
        std::uint32_t answers = 0;               ///< messages of nothing but credits that may come, at most
        std::deque<std::uint32_t> unanswered{};  ///< peers to which something waits until fewer may
    };
    /// A reliable message that the interface has, until it is acknowledged or fails.
    struct unanswered {
        cycle given = 0;
        std::optional<std::uint32_t> send{};  ///< nothing: a request, grant or credits
        std::uint32_t peer = 0;
        std::optional<multicast_call> part{};
    };
    /// What waits for a credit: a send, or the grant of an arrival.
    struct applicant {
        bool grant = false;
        std::uint32_t index = 0;
    };
    /// Between this rank and another one, in a queue.
    struct exchange {
        std::uint32_t outstanding = 0;  ///< messages there that have given no credit back
        std::uint32_t owed = 0;         ///< credits that it is to get
        bool returning = false;         ///< a message of credits is being made
        bool listed = false;            ///< in queue_state::unanswered
        std::deque<applicant> waiting{};
    };
    enum class step : std::uint8_t {
        ready,
        started,
        ended,
        paid,          ///< t_hs of a send or its request
        own_message,   ///< a message to the own rank is there
        arrival_paid,  ///< t_hr of a message or a request
        grant_paid,    ///< t_hs of a grant
        control_paid,  ///< t_hr of a grant or of credits
        data_paid,     ///< t_hs of a long message
        landing_paid,  ///< and its t_hr
        credit_paid,   ///< t_hs of credits
        multicast_started,
        multicast_paid,  ///< t_hs of one of its send calls
        passed_on,       ///< and of one of a host that passes it on
    };

    void due(cycle when, std::uint64_t tag) override;
    void schedule(cycle when, step what, std::uint64_t index);
    void wake();
    rank_report report() const;
    void freed(std::uint32_t index, std::uint32_t cause, bool on_start);
    operation_times* times_of(std::uint32_t index) { return times_.empty() ? nullptr : &times_[index]; }
    void start_ready();
    void begin(std::uint32_t index);
    void started(std::uint32_t index);
    void ended(std::uint32_t index);
    void delivered(std::uint32_t receive, operation_id send, std::span<const std::uint8_t> bytes);
    void tell_end(cycle when);
    std::vector<std::uint8_t> taken(std::uint32_t index) const {
        return buffers_.any() ? buffers_.taken(index) : std::vector<std::uint8_t>{};
    }
    void note(std::uint8_t bit, std::uint32_t index) { states_[index] |= bit; }

    std::size_t processor_of(std::uint32_t index) const { return operations_[index].cpu % processors_.size(); }
    cycle overhead(cycle each, std::uint64_t bytes) const;
    /// \returns when it is done
    cycle work(std::size_t processor, cycle duration, rank_state what);
    cycle pay_send(std::size_t processor, std::uint64_t bytes, std::uint32_t number);
    cycle pay_receive(std::size_t processor, std::uint64_t bytes, std::uint32_t source, std::uint32_t number);
    void take_processor(std::uint32_t index, cycle duration, rank_state what);
    void look_at_waits();

    unsigned queue_of(std::uint32_t index) const { return operations_[index].channel % rules_.queues; }
    void begin_send(std::uint32_t index);
    void send_paid(std::uint32_t index);
    void give(unsigned queue, outgoing&& what);
    void give_waiting(unsigned queue);

    void join_groups();
    void begin_multicast(std::uint32_t index);
    void multicast_started(std::uint32_t multicast);
    void multicast_paid(multicast_call of);
    std::uint32_t new_control_number() {
        const std::uint32_t number = next_control_;
        next_control_ = number == ~std::uint32_t{0} ? first_control_number : number + 1;
        return number;
    }
    host::send_order order_of(const outgoing& next);
    std::optional<operation_id> multicast_send(std::uint32_t source, const host::delivery& message) const;
    void pass_on(std::uint32_t slot);
    void make_reliable(const outgoing& next, host::send_order& made);
    void answered(std::uint64_t context, ni_status status);
    std::vector<std::uint32_t> sends_of(multicast_call of) const;
    void receive_reliable_multicast(unsigned queue, std::uint32_t source, const host::delivery& message,
                                    std::uint32_t number);
    void receive_reliable(unsigned queue, std::uint32_t source, const host::delivery& message);
    void data_came(std::uint32_t slot);
    void refuse(unsigned queue, const host::delivery& message, const std::string& what);
    void receive_control(unsigned queue, std::uint32_t source, const host::delivery& message, const control& what);
    void control_paid(std::uint32_t slot);
    void grant_came(std::uint32_t index);

    void arrive(std::uint32_t slot);
    void admit(std::uint32_t slot);
    void pay_arrival(std::uint32_t slot, std::size_t processor);
    void arrival_paid(std::uint32_t slot);
    void post(std::uint32_t index);
    void take(std::uint32_t index, std::uint32_t slot);
    void deliver(std::uint32_t slot);
    void note_arrival(std::uint32_t receive, const arrival& of);
    void grant(std::uint32_t slot);
    void grant_credited(std::uint32_t slot);
    void landing_paid(std::uint32_t slot);

    exchange& with(std::uint32_t peer, unsigned queue) { return exchanges_[std::uint64_t{peer} << 8 | queue]; }
    bool take_credit(std::uint32_t peer, unsigned queue, applicant who);
    bool has_room_for_answer(const exchange& between, std::uint32_t window, unsigned queue) const;
    void count_out(exchange& between, std::uint32_t window, unsigned queue);
    void wait_for_answers(std::uint32_t peer, unsigned queue);
    bool serve_waiting(std::uint32_t peer, exchange& between, unsigned queue);
    void owe(std::uint32_t peer, unsigned queue);
    std::uint32_t take_owed(std::uint32_t peer, unsigned queue);
    void credited(std::uint32_t peer, unsigned queue, std::uint32_t count);
    void fail(const std::string& what);

    std::uint32_t new_slot(arrival&& of);

    program_run& run_;
    const rank_rules& rules_;
    std::uint32_t number_;
    std::span<const operation> operations_;
    ni::timeline& time_;
    std::span<host::host_processor> processors_;
    time_account account_;
    std::vector<queue_state> queues_;

    std::vector<std::uint32_t> left_;     ///< [operation] what it waits for
    std::vector<std::uint8_t> states_;    ///< [operation]
    std::vector<operation_times> times_;  ///< [operation], where they are wanted
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready_;
    std::uint64_t scheduled_ = 0;  ///< steps to come
    bool awake_ = false;
    std::uint64_t open_;
    std::uint32_t unreported_ = 0;  ///< operations that have ended since the last report
    cycle finish_ = 0;

    waiting_list<std::uint32_t> posted_, unexpected_;  ///< receives; arrivals
    std::deque<arrival> slots_;
    std::vector<std::uint32_t> free_slots_;
    std::map<std::uint32_t, std::uint16_t> next_sent_, next_taken_;           ///< by rank
    std::map<std::pair<std::uint32_t, std::uint16_t>, std::uint32_t> early_;  ///< arrivals
    std::map<std::uint64_t, exchange> exchanges_;
    std::uint32_t next_control_ = first_control_number;
    std::map<std::uint64_t, unanswered> unanswered_;  ///< by context
    std::uint64_t next_context_ = 0;
    std::vector<host::lacking_host> lacking_;                ///< of the reliable message that is about to fail
    std::map<std::uint64_t, std::uint32_t> granted_;         ///< reliable: arrivals, by rank and operation of the send
    std::map<std::uint32_t, std::uint32_t> multicast_left_;  ///< sends that could not be sent yet, by multicast
    std::map<std::uint32_t, std::pair<unsigned, outgoing>> passing_;  ///< queue, and what is passed on, by a number
    std::uint32_t next_passing_ = 0;
    std::uint64_t credit_waiting_ = 0, grants_waiting_ = 0;
    std::uint64_t kept_messages_ = 0, kept_bytes_ = 0;  ///< that nobody has wanted so far
    rank_report report_;
    rank_buffers buffers_;
    std::vector<std::uint8_t> content_;
    delivery::fault_list failures_;

    engine::told<std::uint32_t, std::uint32_t> told_sent_, told_posted_, told_acknowledged_, told_came_;
    engine::told<std::uint32_t, std::uint32_t, std::uint32_t> told_arrived_;
    engine::told<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t> told_matched_;
    engine::told<cycle, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, traffic::payload_view>
        told_delivered_;
    engine::told<std::uint32_t, std::uint32_t, std::span<const std::uint8_t>> told_buffer_;
    engine::told<std::uint32_t> told_ended_;
    engine::told<std::uint32_t, cycle> told_finished_;
    engine::told<cycle, bool> told_answered_;
};

}  // namespace polycast::hw::programs
