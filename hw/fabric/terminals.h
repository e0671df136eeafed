// SPDX-License-Identifier: Apache-2.0
/// \file The terminals of a fabric: sources with unbounded queues, and sinks that check everything that arrives.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hw/delivery/check.h"
#include "hw/fabric/latency_histogram.h"
#include "hw/fabric/router_fabric.h"
#include "hw/host/source_vcs.h"

namespace polycast::hw::fabric {

/// What a source is asked to send.
struct send_order {
    std::uint32_t source = 0;       ///< terminal
    std::uint32_t destination = 0;  ///< terminal; of a broadcast a host port
    engine::cycle birth = 0;        ///< from which its latency counts
    std::uint16_t flits = 1;
    std::uint8_t service_class = 0;
    bool broadcast = false;  ///< to this host port of all nodes but the source's
};

/// What terminals of all partitions put in one order.
struct finding {
    engine::cycle when = 0;
    std::uint64_t of = 0;
    std::string text;

    auto operator<=>(const finding&) const = default;
    template <typename archive>
    void serialize(archive& all) {
        all(when, of, text);
    }
};

/// What terminals measure: of packets born in the window, apart from what is said to be of all.
struct terminal_statistics {
    latency_histogram latency;   ///< from birth to the tail's cycle on the sink's input pins
    std::uint64_t born = 0;      ///< flits
    std::uint64_t accepted = 0;  ///< flits that arrived in the window, whenever born
    std::uint64_t packets = 0;   ///< of all, that arrived; of broadcasts every copy
    std::uint64_t flits = 0;     ///< of all, that arrived
    engine::cycle last = 0;      ///< in which the last tail arrived

    /// Those of other terminals as well.
    terminal_statistics& operator+=(const terminal_statistics& others);
};

/// Terminals of a fabric without what makes their traffic. A source sends one packet after the other, a flit per cycle;
/// a head takes the first VC of its class with `reserve` credits at or after a pointer, which moves behind it.
class terminals {
public:
    static constexpr std::size_t most_ordered = 1024;

    /// Packets born from cycle `from` and before cycle `to` are measured. The order of packets is checked where VCs are
    /// kept and there are at most most_ordered terminals. `part`: the partition whose terminals these are; others are
    /// not asked for.
    terminals(router_fabric& fabric, engine::cycle from, engine::cycle to, std::size_t part = 0);

    /// Puts a packet into its source's queue. \throws input_error if the fabric cannot carry it
    packet_id queue(const send_order& order);
    /// Makes a packet that its source injects by itself. \throws input_error likewise
    packet_id create(const send_order& order);

    // What a fabric asks of its terminals, apart from send() and next().
    void arrive(engine::cycle when, std::uint32_t terminal, unsigned vc, packet_id id, std::uint16_t info);
    void credit(std::uint32_t terminal, unsigned vc);

    /// One flit of each source that has one and a credit for it. sent(terminal) is called when a packet's head leaves.
    template <typename function>
    void send_flits(router_fabric& fabric, function&& sent);

    /// No source has anything that it can send.
    bool blocked() const { return sending_.empty(); }

    const terminal_statistics& statistics() const { return statistics_; }

    /// Packets of all partitions that were queued and have not arrived, in the queue or inside.
    std::uint64_t missing() const { return fabric_->packets().live(); }
    /// What sinks found wrong. Lost packets are in missing() when all is idle.
    const std::vector<std::string>& faults() const { return faults_.first(); }
    std::uint64_t fault_count() const { return faults_.count(); }
    /// The same by the cycle and the terminal of the arrival.
    std::vector<finding> placed_faults() const;
    /// Names of the first `most` packets that have not arrived.
    std::vector<std::string> missing_packets(std::size_t most) const;
    /// The `most` oldest of them, by birth, source and number.
    std::vector<finding> oldest_missing(std::size_t most) const;

    std::size_t memory_bytes() const;

private:
    struct source_state {
        packet_id first = no_packet;  ///< of its queue
        packet_id last = no_packet;
        packet_id current = no_packet;  ///< being sent
        std::uint32_t born = 0;         ///< packets
        std::uint16_t left = 0;         ///< flits of `current`
        host::source_vcs vcs;           ///< that of `current` among them
    };
    struct sink_state {
        packet_id packet = no_packet;  ///< that comes in
        std::uint32_t flits = 0;       ///< of it so far
    };

    bool start_packet(source_state& source);
    void finish(engine::cycle when, std::uint32_t terminal, packet_id id, std::uint32_t flits);
    /// Marks the arrival of a broadcast. \returns false if it is not for this terminal, or has been there
    bool hear(engine::cycle when, std::uint32_t terminal, packet_id id);
    void check_order(engine::cycle when, packet_id id, std::uint32_t terminal);
    void fault(engine::cycle when, std::uint32_t terminal, packet_id id, const std::string& what);
    std::string name(packet_id id) const;

    /// Place of one of these terminals among them.
    std::uint32_t at(std::uint32_t terminal) const { return terminal - first_; }

    router_fabric* fabric_;
    unsigned part_;
    std::uint32_t first_;      ///< terminal
    std::uint32_t terminals_;  ///< of the fabric
    unsigned vcs_, reserve_;
    engine::cycle from_, to_;
    std::array<chips::vc_set, 8> class_vcs_;
    std::vector<source_state> sources_;   ///< [at(terminal)]
    std::vector<std::uint16_t> credits_;  ///< [at(terminal)][VC]
    std::vector<sink_state> sinks_;       ///< [at(terminal)][VC]
    std::vector<std::uint64_t> heard_;    ///< [packet][node] bit: the broadcast has come there
    std::size_t heard_words_;             ///< of a packet
    index_set sending_;                   ///< sources that may have a flit to send
    terminal_statistics statistics_;
    delivery::fault_list faults_;
    std::vector<std::pair<engine::cycle, std::uint32_t>> fault_places_;  ///< of the first ones
    bool ordered_;  ///< VCs are kept. Classes share a number only where they share VCs, and then stay in order as well
    delivery::order_check order_;
};

inline void terminals::credit(std::uint32_t terminal, unsigned vc) {
    source_state& source = sources_[at(terminal)];
    source.vcs.returned(vc, ++credits_[at(terminal) * vcs_ + vc], reserve_);
    if (source.first != no_packet || source.current != no_packet) sending_.insert(terminal);
}

inline void terminals::arrive(engine::cycle when, std::uint32_t terminal, unsigned vc, packet_id id,
                              std::uint16_t info) {
    sink_state& sink = sinks_[at(terminal) * vcs_ + vc];
    if ((info & chips::flit_info::head) != 0) {
        if (sink.packet != no_packet) fault(when, terminal, sink.packet, "ends without a tail");
        sink = {id, 0};
    } else if (sink.packet != id) {
        fault(when, terminal, id, "has a flit inside of another packet");
    }
    ++sink.flits;
    ++statistics_.flits;
    if (when >= from_ && when < to_) ++statistics_.accepted;
    if ((info & chips::flit_info::tail) == 0) return;
    finish(when, terminal, id, sink.flits);
    sink.packet = no_packet;
}

/// The next packet of a queue, if a VC takes it.
inline bool terminals::start_packet(source_state& source) {
    if (source.first == no_packet) return false;
    packet& what = fabric_->packets()[source.first];
    if (!source.vcs.choose(class_vcs_[what.service_class], vcs_)) return false;
    what.entry_vc = source.vcs.vc;
    source.current = source.first;
    source.left = what.flits;
    source.first = what.next;
    return true;
}

template <typename function>
void terminals::send_flits(router_fabric& fabric, function&& sent) {
    sending_.for_each([&](std::uint32_t terminal) {
        source_state& source = sources_[at(terminal)];
        std::uint16_t ends = 0;
        if (source.current == no_packet) {
            if (!start_packet(source)) return sending_.erase(terminal);
            ends = chips::flit_info::head;
            sent(terminal);
        } else if (!source.vcs.can_go_on()) {
            return sending_.erase(terminal);
        }
        source.vcs.spent(--credits_[at(terminal) * vcs_ + source.vcs.vc], reserve_);
        const packet_id id = source.current;
        if (--source.left == 0) {
            ends |= chips::flit_info::tail;
            source.current = no_packet;
            if (source.first == no_packet) sending_.erase(terminal);
        }
        fabric.inject(terminal, source.vcs.vc, id, ends);
    });
}

}  // namespace polycast::hw::fabric
