// SPDX-License-Identifier: Apache-2.0
/// \file The chips of a network that one thread steps, and all that is on its way to them.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "hw/engine/effects.h"
#include "hw/engine/network.h"

namespace polycast::hw::engine {

struct link_state {
    port_id to{chip_network::no_chip, 0};
    std::uint32_t to_part = 0;  ///< of that chip
    unsigned delay = 1;
    unsigned chunk_flits = 1;
    engine::outside* outside = nullptr;  ///< where the link leaves the network
    link_statistics into{};              ///< of the direction towards this port
};

struct chip_node {
    std::unique_ptr<engine::chip> chip;
    std::string name;
    const pin_shape* shape;  ///< the chip's
    pins in;
    std::size_t first_link = 0;              ///< index in network_chips::links
    cycle wake = never;                      ///< timer
    std::uint32_t part = 0;                  ///< that steps it
    std::uint32_t local = 0;                 ///< number there
    std::uint32_t scratch = 0;               ///< output pins that it shares with others of its shape
    std::uint32_t steps = 0;                 ///< since the last partition
    chip_id halves = chip_network::no_chip;  ///< the first of those that are stepped in its place; the other is behind
    engine::effects* told = nullptr;         ///< null: it shares nothing
};

/// How a network is watched.
enum class watching : std::uint8_t {
    nobody,
    at_once,  ///< the observer is shown each step, or at the end of the cycle
    later,    ///< steps wait among the effects with the state that they left
};

/// What all parts of a network share. A thread touches only chips of its part, and links into them.
struct network_chips {
    std::vector<chip_node> nodes;
    std::vector<link_state> links;
    engine::observer* observer = nullptr;
    engine::watching watching = watching::nobody;
    std::size_t ranks = 1;
    std::vector<chip_id> cut;  ///< chips whose halves are the last of `nodes`, in pairs

    link_state& link(port_id port) { return links[nodes[port.chip].first_link + port.port]; }
    const link_state& link(port_id port) const { return links[nodes[port.chip].first_link + port.port]; }
    std::size_t whole() const { return nodes.size() - 2 * cut.size(); }
    bool is_half(chip_id id) const { return id >= whole(); }
    /// The port of the network that a port at which flits move stands for, and the other way round.
    port_id outer(port_id port) const {
        if (!is_half(port.chip)) return port;
        const auto half = static_cast<chip_id>(port.chip - whole());
        return {cut[half / 2], half % 2};
    }
    port_id inner(port_id port) const {
        const chip_id halves = nodes[port.chip].halves;
        return halves == chip_network::no_chip ? port : port_id{halves + port.port, 0};
    }
};

/// What happened in a part, or in several.
struct part_counters {
    static constexpr std::size_t most_records = 1000;

    cycle last_flit = 0;
    std::uint64_t chip_steps = 0;
    std::uint64_t flit_hops = 0;
    std::uint64_t packet_hops = 0;
    std::vector<error_event> errors;  ///< the first, by cycle, chip and port; of whole chips
    std::uint64_t error_count = 0;
    std::vector<event_record> events;
    std::uint64_t event_count = 0;

    part_counters& operator+=(const part_counters& more);
};

/// Cycles from `from` up to and with `last`, which is not before it.
inline cycle cycles_through(cycle from, cycle last) {
    return last == never ? never : last - from + 1;
}

/// Steps its chips itself. Another simulator's part (foreign_chips) takes and posts what crosses its border in the same
/// way.
class network_part {
public:
    struct flit_event {
        chip_id chip;
        std::uint8_t port;
        std::uint8_t ends;     ///< head_end, tail_end
        std::uint8_t vc;       ///< 0 if there is only one
        std::uint8_t byte;     ///< the flit, if flits are one byte
        std::uint32_t offset;  ///< of flit and header in arrivals::bytes otherwise
    };
    struct credit_event {
        chip_id chip;
        std::uint8_t port;
        std::uint8_t vc;
    };
    static constexpr std::uint8_t head_end = 1;
    static constexpr std::uint8_t tail_end = 2;
    static constexpr std::uint8_t ends(bool head, bool tail) {
        return static_cast<std::uint8_t>((head ? head_end : 0) | (tail ? tail_end : 0));
    }
    struct side_event {
        chip_id chip;
        std::uint8_t port;
        side_state state;
    };
    /// Everything that arrives in one cycle.
    struct arrivals {
        std::vector<flit_event> flits;
        std::vector<credit_event> credits;
        std::vector<side_event> sides;
        std::vector<std::uint8_t> bytes;

        bool empty() const { return flits.empty() && credits.empty() && sides.empty(); }
        std::size_t size() const { return flits.size() + credits.size() + sides.size(); }
        void clear() {
            flits.clear();
            credits.clear();
            sides.clear();
            bytes.clear();
        }
    };
    /// A whole packet in flight. Not in a slot: the ring of slots is as long as the longest link of flits, while these
    /// links may take millions of cycles.
    struct packet_event {
        cycle when;
        chip_id chip;
        std::uint32_t port;
        whole_packet packet;
        bool operator>(const packet_event& other) const {
            if (when != other.when) return when > other.when;
            return chip != other.chip ? chip > other.chip : port > other.port;
        }
    };

    /// Both outlive it. `slots`: a power of two, more than the longest delay of a link of flits + 1. `parts`: of the
    /// network in this process; what goes to rank r goes to part `parts` + r.
    network_part(network_chips& all, std::uint32_t index, std::size_t parts, std::size_t slots);
    virtual ~network_part() = default;
    network_part(const network_part&) = delete;
    network_part& operator=(const network_part&) = delete;

    /// Before the first step, in ascending order. `step`: in the first cycle.
    virtual void add(chip_id id, bool step);

    /// Simulates a window of time up to, not including, cycle `end`, first taking what other parts have sent here in
    /// the window before. `stop` (if any) is asked after every simulated cycle and ends the window. What a chip throws
    /// ends it, too, and waits in failure(). All parts take part in all windows.
    void run(cycle end, const std::vector<std::unique_ptr<network_part>>& all, const std::function<bool()>& stop = {});
    /// Takes what others have sent here.
    void collect(const std::vector<std::unique_ptr<network_part>>& all);

    /// The next cycle in which something happens here or to what was sent to other parts in the last window.
    virtual cycle next_activity() const;
    /// First cycle that has not been simulated.
    cycle now() const { return now_; }
    /// Not beyond next_activity() of any part, and back only if there is none.
    void set_now(cycle to) { now_ = to; }
    /// Behind the last cycle in which something happened.
    cycle quiet_from() const { return quiet_from_; }
    bool stopped() const { return stopped_; }

    struct failed_step {
        cycle when = never;
        chip_id chip = 0;
        std::exception_ptr what;
    };
    const failed_step& failure() const { return failure_; }
    /// In cycle `when` chip `last` is the last one to be stepped: it ends the run.
    void stop_at(cycle when, chip_id last) { last_step_ = {when, last}; }

    arrivals& slot_at(cycle when) { return slots_[when & slot_mask_]; }
    std::size_t slots() const { return slots_.size(); }
    /// Something was put into a slot.
    void count_arrival() { ++pending_; }

    /// What is on its way to its chips, between two windows.
    struct contents {
        std::vector<chip_id> active;
        std::vector<std::pair<cycle, arrivals>> slots;
        std::vector<packet_event> packets;
    };
    contents release();
    /// Takes from it what belongs to its own chips.
    void take(const contents& released);

    effect_log& log() { return log_; }

    /// What is on its way from one part to another.
    template <typename event>
    struct letter {
        cycle when;  ///< it arrives
        event what;
    };
    struct mailbox {
        std::vector<letter<flit_event>> flits;
        std::vector<letter<credit_event>> credits;
        std::vector<letter<side_event>> sides;
        std::vector<packet_event> packets;
        std::vector<std::uint8_t> bytes;  ///< of flits

        bool empty() const { return flits.empty() && credits.empty() && sides.empty() && packets.empty(); }
        void clear() {
            flits.clear();
            credits.clear();
            sides.clear();
            packets.clear();
            bytes.clear();
        }
    };
    /// To part `to`, of the last window and of the one before.
    mailbox& outbox(std::size_t to, unsigned window) { return outbox_[window][to]; }
    /// Takes from it what is for its own chips. Between two windows.
    void take_mail(const mailbox& mail);

    const part_counters& counters() const { return counters_; }
    /// Of the link into a port of one of its chips.
    virtual link_statistics statistics(port_id port) const { return chips_.link(port).into; }

    std::size_t memory_bytes() const;

protected:
    /// Simulates cycle now(). What a chip throws is thrown; it is stepped_.
    virtual void simulate_cycle();
    bool several() const { return several_; }
    /// In cycle now() nothing is stepped behind the chip that ends the run.
    bool is_behind_end(chip_id id) const { return now_ == last_step_.first && id > last_step_.second; }
    void adopt(chip_id id);
    void show_step(chip_id id, const pins& in, const pins& out);
    mailbox& box_of(const link_state& link, cycle when);

    network_chips& chips_;
    std::vector<chip_id> ids_;   ///< [local]
    std::uint64_t pending_ = 0;  ///< events in all slots
    cycle now_ = 0;
    chip_id stepped_ = 0;  ///< last
    part_counters counters_;
    effect_log log_;

private:
    struct timer {
        cycle when;
        chip_id chip;
        bool operator>(const timer& other) const { return when != other.when ? when > other.when : chip > other.chip; }
    };
    void deliver(arrivals& all);
    void deliver_packets();
    void step_chip(chip_id id);
    void send(chip_id id, const pins& out);
    void send_sides(const chip_node& node, const pins& out);
    void send_packets(const chip_node& node, const pins& out);
    void send_outside(const link_state& link, unsigned port, const chip_node& node, const pins& out);
    template <typename event>
    void post(const link_state& link, const event& what, std::vector<event> arrivals::*here,
              std::vector<letter<event>> mailbox::*away);
    void append(arrivals& to, const std::vector<std::uint8_t>& bytes, const flit_event& event) const;
    void activate(chip_id id) {
        const std::uint32_t local = chips_.nodes[id].local;
        active_[local / 64] |= std::uint64_t{1} << (local % 64);
    }
    void wake(chip_node& node, chip_id id, cycle next, cycle soon);
    bool here(chip_id id) const { return chips_.nodes[id].part == index_; }

    std::uint32_t index_;
    bool several_;               ///< parts, in this process or others
    std::vector<pins> scratch_;  ///< output pins of the chip being stepped, one per distinct shape
    std::vector<pin_shape> shapes_;
    std::vector<arrivals> slots_;
    cycle slot_mask_;
    std::vector<packet_event> packets_;       ///< whole ones, a heap
    std::vector<std::uint64_t> active_;       ///< chips to step in now_
    std::vector<std::uint64_t> next_active_;  ///< chips to step in now_ + 1
    bool any_next_ = false;
    std::priority_queue<timer, std::vector<timer>, std::greater<>> timers_;
    cycle quiet_from_ = 0;
    bool stopped_ = false;
    failed_step failure_;
    std::pair<cycle, chip_id> last_step_{never, 0};
    /// [window modulo 2][part] read by that part in the next window, while the other one is filled.
    std::array<std::vector<mailbox>, 2> outbox_;
    unsigned turn_ = 0;            ///< window modulo 2
    cycle earliest_mail_ = never;  ///< of what was sent in this window
};

}  // namespace polycast::hw::engine
