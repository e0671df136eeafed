// SPDX-License-Identifier: Apache-2.0
/// \file The cycle contract between a chip and its caller: pins in, one clock edge, pins out.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace polycast::hw::engine {

class effects;

/// Number of a clock cycle, from 0 at the end of reset.
using cycle = std::uint64_t;

/// "Not until something arrives."
inline constexpr cycle never = std::numeric_limits<cycle>::max();

/// Most ports a chip may have: port sets are bits of one 64-bit word.
inline constexpr unsigned max_ports = 64;

/// Most virtual channels of a port: their numbers have four pins.
inline constexpr unsigned max_vcs = 16;

/// Sizes of a chip's pins.
struct pin_shape {
    unsigned ports = 0;            ///< 1..64
    unsigned flit_bytes = 1;       ///< bytes of a flit, 1..64
    unsigned header_bytes = 0;     ///< bytes of the header beside a head flit; 0 if the header is in the flits
    unsigned vcs = 1;              ///< virtual channels; if there is only one, flits and credits name none
    std::uint64_t side_ports = 0;  ///< ports with side wires: flits of `side_vc` need no credits there
    std::uint8_t side_vc = 0;
    /// Ports at which packets move as events instead of flits (`fidelity: event`, hw/chips/event/event_switch.md), and
    /// what the halves of a chip tell each other.
    std::uint64_t packet_ports = 0;

    bool whole_packets(unsigned port) const { return (packet_ports >> port & 1) != 0; }

    bool operator==(const pin_shape&) const = default;
};

/// A packet as it is on a link: data of all flits, and the header pins if the header is free.
struct packet_bytes {
    std::vector<std::uint8_t> flits;
    std::vector<std::uint8_t> header;
};

/// A packet as one event. Its head is on the pins in the event's cycle, its tail `cycles` - 1 later; its sender puts
/// no other packet on the pins until then. There is no backpressure, so there are no credits.
struct whole_packet {
    std::uint32_t flits = 1;   ///< 0: no traffic, but what the halves of a chip tell each other
    std::uint32_t cycles = 1;  ///< for which it occupies the link
    std::shared_ptr<const packet_bytes> bytes;
};

/// What a chip shows its neighbours on wires beside a link (hw/chips/broadcast/broadcast_unit.md). All zero after
/// reset.
struct side_state {
    std::uint64_t have = 0;  ///< bit i: packet i is present or arriving
    std::uint8_t round = 0;  ///< modulo 4

    bool operator==(const side_state&) const = default;
};

/// What a chip reports on its event pins, for one cycle; each kind of chip defines its own pins and codes.
struct chip_event {
    std::uint8_t pin = 0;
    std::uint8_t code = 0;
    std::uint16_t context = 0;
    std::uint32_t index = 0;
    std::uint32_t source = 0;

    bool operator==(const chip_event&) const = default;
};

/// The pins of one direction of a chip in one cycle: bit p of a mask is port p.
/// `head` and `tail` are subsets of `valid`. Data of a port without `valid` and the header of one without `head` are
/// zero on the wire; here they are unspecified, so that they need not be cleared.
struct pins {
    std::uint64_t valid = 0;   ///< a flit
    std::uint64_t head = 0;    ///< it is the first flit of its packet
    std::uint64_t tail = 0;    ///< it is the last flit of its packet
    std::uint64_t credit = 0;  ///< a chunk of the buffer behind this port's input has become free (towards the sender);
                               ///< a flit where there are virtual channels
    std::uint64_t error = 0;   ///< ports with a bit set in `errors` (outputs only)
    std::uint64_t side = 0;    ///< ports whose side wires change in this cycle
    std::uint64_t packet = 0;  ///< ports at which a whole packet begins
    std::vector<std::uint8_t> data;       ///< flit_bytes per port
    std::vector<std::uint8_t> header;     ///< header_bytes per port
    std::vector<std::uint16_t> errors;    ///< format::chip_error bits per port (outputs only)
    std::vector<std::uint8_t> vc;         ///< of each flit; empty if there is only one virtual channel
    std::vector<std::uint8_t> credit_vc;  ///< of each credit; likewise
    std::vector<side_state> sides;        ///< of side wires; empty if no port has any
    std::vector<whole_packet> packets;    ///< if packets are events, else empty
    std::vector<chip_event> events;       ///< in the order of their pins (outputs only)

    explicit pins(const pin_shape& shape)
        : data(std::size_t{shape.ports} * shape.flit_bytes),
          header(std::size_t{shape.ports} * shape.header_bytes),
          errors(shape.ports),
          vc(shape.vcs > 1 ? shape.ports : 0),
          credit_vc(vc.size()),
          sides(shape.side_ports != 0 ? shape.ports : 0),
          packets(shape.packet_ports != 0 ? shape.ports : 0) {}

    /// Clears every signal; data, virtual channels and side wires stay.
    void clear() {
        for (std::uint64_t set = error; set != 0; set &= set - 1)
            errors[static_cast<unsigned>(std::countr_zero(set))] = 0;
        for (std::uint64_t set = packet; set != 0; set &= set - 1)
            packets[static_cast<unsigned>(std::countr_zero(set))].bytes.reset();
        valid = head = tail = credit = error = side = packet = 0;
        events.clear();
    }

    bool quiet() const { return (valid | credit | error | side | packet) == 0 && events.empty(); }
};

/// One flit on the pins of one port. Its bytes belong to the caller.
struct flit {
    bool head = false;
    bool tail = false;
    std::uint8_t vc = 0;                   ///< zero, and not read, if there is only one virtual channel
    const std::uint8_t* data = nullptr;    ///< flit_bytes
    const std::uint8_t* header = nullptr;  ///< header_bytes of a head flit if the header is free; else null
};

/// State of a chip that waves and diagnoses show beside the pins, the same for every fidelity. Entries of unused ports
/// are zero.
struct chip_probe {
    struct input {
        std::uint16_t occupied = 0;   ///< chunks in use
        std::uint8_t state = 0;       ///< 0 idle, 1 routing, 2 active, 3 draining
        std::uint64_t waiting = 0;    ///< outputs that the packet at the front has not been granted yet
        std::uint64_t reading = 0;    ///< outputs that the packet at the front holds
        std::uint16_t corrected = 0;  ///< cycles in which codes of memories corrected something at this port
    };
    struct output {
        bool held = false;          ///< by a packet
        std::uint8_t holder = 0;    ///< input of that packet; zero while not held
        std::uint16_t credits = 0;  ///< chunks left at the other end
    };
    /// A network interface, for chips that have one.
    struct interface {
        std::uint32_t pc = 0;         ///< of its processor; zero if no processor runs the firmware
        std::uint8_t operation = 0;   ///< the one that firmware ended last: ni_operation of hw/ni/abi/ni_firmware.h
        bool sleeping = false;        ///< the processor waits for an event
        bool halted = false;          ///< it will never run again
        bool interrupt = false;       ///< level of its interrupt line
        std::uint16_t events = 0;     ///< waiting for firmware
        std::uint16_t slots = 0;      ///< packets in its memory
        std::uint16_t transfers = 0;  ///< on the I/O bus or waiting for it
        std::uint16_t sending = 0;    ///< packets waiting for the link or on it
        bool hung = false;            ///< a fault makes the processor stand still
    };
    /// What the wire between two link ends carries in one cycle.
    struct link_symbol {
        std::uint8_t kind = 0;   ///< chips::symbol_kind, or what flips made of it
        std::uint64_t word = 0;  ///< up to 8 bytes of a trailer or ordered set, the first in the lowest bits
    };
    /// Cyclic counts of a virtual channel's units.
    struct link_units {
        std::uint32_t s_cc = 0, s_cf = 0;  ///< of the sender: begun, and freed as told
        std::uint32_t r_cc = 0, r_cf = 0;  ///< of the receiver: begun, and freed

        bool operator==(const link_units&) const = default;
    };
    /// An end of a cable with a link layer (hw/chips/link/link.md).
    struct link_end {
        std::uint8_t tx = 0;            ///< chips::link_tx_state
        std::uint8_t rx = 0;            ///< chips::link_rx_state
        std::uint8_t cause = 0;         ///< chips::flush_cause of the last FLUSH
        std::uint8_t replays = 0;       ///< without progress
        bool recovers = false;          ///< it is not up, or waits for a timer that brings it further
        std::uint32_t next = 0;         ///< sequence number of the next new frame
        std::uint32_t expected = 0;     ///< of the next frame that arrives
        std::uint32_t outstanding = 0;  ///< frames
        std::uint32_t ring = 0;         ///< flits
        std::uint32_t bad = 0;          ///< frames that arrived bad
        cycle timer = never;            ///< in which the replay timer runs out; never: it does not count
        std::vector<link_units> units;  ///< [virtual channel]
        bool beside = false;            ///< trailers and ordered sets are beside the flit
        bool signal = true;             ///< on the input pins of the last step
        link_symbol in, out;            ///< on these pins, and on the output pins of the cycle behind
        std::uint16_t struck = 0;       ///< bit k: a fault of faults::fault_kind k begins on the input pins
        std::uint16_t lasting = 0;      ///< one goes on there, in cycles without a step as well
    };
    std::vector<input> inputs;
    std::vector<output> outputs;
    std::vector<interface> interfaces;
    std::vector<link_end> ends;
};

/// What a chip can say after a run, which may have been in another process.
struct chip_report {
    std::vector<std::string> failures;  ///< in words
    std::string counts;                 ///< packed (hw/engine/packing.h); each kind of chip has its own
};

/// A synchronous chip. Every output is registered, so the order in which the chips of a network are stepped never
/// matters.
class chip {
public:
    virtual ~chip() = default;

    virtual const pin_shape& shape() const = 0;

    /// Drops all traffic; configuration stays.
    virtual void reset() = 0;

    /// One clock edge at the end of cycle `now`: reads the input pins of cycle `now` and writes the output pins of
    /// cycle `now` + 1 into `out`, which comes in cleared. `out.data` etc. need only be written where `valid` (`head`)
    /// is set. \returns the next cycle in which the chip must be stepped even if nothing arrives: `now` + 1 while it
    /// has work, a later one for a timer, `never` when its state cannot change before the next arrival. Stepping it
    /// earlier with quiet pins changes nothing.
    virtual cycle step(cycle now, const pins& in, pins& out) = 0;

    /// True when the chip holds no flit.
    virtual bool idle() const = 0;
    /// Nothing more begins in it by itself.
    virtual bool finished() const { return true; }

    virtual chip_report report() const { return {}; }

    /// State for waves and diagnoses, after the last step. Chips without such state leave `probe` as it is.
    virtual void probe(chip_probe& probe) const { static_cast<void>(probe); }

    /// Before the first cycle: probe() is asked behind every step.
    virtual void watch() {}

    /// A chip of two ports as two chips that different threads or processes may step. Each has one of its ports as port
    /// 0; a link of whole packets joins their ports 1.
    struct two_chips {
        std::array<std::unique_ptr<chip>, 2> sides;  ///< null: it cannot be cut
        unsigned delay = 1;                          ///< of that link
    };
    /// Before the first cycle; they are stepped in its place. Nobody watches.
    virtual two_chips cut() { return {}; }
    /// What it would say, out of what its halves say.
    virtual chip_report joined(const std::array<chip_report, 2>& halves) const {
        static_cast<void>(halves);
        return {};
    }
    virtual chip_probe joined(const std::array<chip_probe, 2>& halves) const {
        static_cast<void>(halves);
        return {};
    }

    /// Processor time of a step in comparison to other chips, for the partition among threads: 10 for a core.
    virtual unsigned step_cost() const { return 10; }
    /// One thread steps all chips with the same answer, because they use the same object; null: this one uses none
    /// that others use, but through effects().
    virtual const void* shared() const { return nullptr; }
    /// What the chip does in a step to objects that it shares with others; null: nothing.
    virtual effects* told() { return nullptr; }
    /// Output pins of a reference beside the chip after the last step; null: it has none.
    virtual const pins* reference() const { return nullptr; }
    /// Some chips know in advance that they will end the run by an exception: this many cycles, or more. 0: it does
    /// not.
    virtual cycle warning() const { return 0; }
    /// The cycle in which it will; `never`: it does not know of any.
    virtual cycle ends_run_in() const { return never; }
    /// Before the first cycle, in place of all steps: another process simulates the chip, and what it tells is told by
    /// this one.
    virtual void listen() {}
};

}  // namespace polycast::hw::engine
