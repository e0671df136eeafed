// SPDX-License-Identifier: Apache-2.0
/// \file The signals of a chip in a wave file: the same names for every fidelity.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "hw/engine/chip.h"
#include "hw/engine/network.h"
#include "hw/format/header.h"
#include "tlm/trace/link_signals.h"
#include "tlm/trace/trace_config.h"
#include "tlm/trace/wave_layout.h"

namespace polycast::tlm::trace {

/// Letters of a label or a function's name; longer ones are cut.
inline constexpr unsigned label_letters = 24;

/// Value of `kind` while there is no packet; below are the kinds of hw/format/packet.yaml.
inline constexpr unsigned no_packet = 16;

/// Values of `error_name`: 0 for none, 1 + number of the error pin, and this one for several pins at once.
inline constexpr unsigned several_errors = 31;

/// One direction of a port: `<network>.<chip>.port<N>.in` or `.out`.
struct side_signals {
    std::size_t valid = absent, head = absent, tail = absent, data = absent, header = absent, credit = absent;
    std::size_t vc = absent, credit_vc = absent;  ///< virtual channels of flit and credit, of chips that have several
    std::size_t have = absent, round = absent;    ///< side wires, of ports that have some
    /// In scope `packet`. All but `kind` and `label` are zero until the whole header has passed.
    std::size_t kind = absent, up = absent, source = absent, sequence = absent, length = absent;
    std::size_t destination = absent;                       ///< of a unicast packet
    std::size_t destinations = absent;                      ///< of a tree worm: bit h for host h
    std::size_t stops = absent, next_stop = absent;         ///< of a path worm: length of its list, place in it
    std::size_t stop_switch = absent, stop_ports = absent;  ///< of an SSR or path worm: its (next) stop
    std::size_t label = absent;                             ///< text, see packet_tracker::label()
};

/// State of a port, or of one of its virtual channels: scope `vc<N>` in that of the port.
struct channel_signals {
    /// In scope `buffer`: chunks in use, what the front packet does, outputs that it still needs or holds (bit masks).
    std::size_t occupied = absent, state = absent, waiting = absent, reading = absent;
    /// In scope `output`: held by a packet, its input (0 while not held), chunks left at the other end.
    std::size_t held = absent, holder = absent, credits = absent;
};

/// One port: `<network>.<chip>.port<N>`.
struct port_signals {
    side_signals in, out;
    side_signals core;  ///< pins only, in scope `<network>.<chip>.core.port<N>.out`, of a chip beside a reference
    std::size_t error = absent, error_name = absent, core_error = absent;
    std::vector<channel_signals> channels;  ///< one where there are no virtual channels; none without state
};

/// Values of `processor`.
enum class processor_state : std::uint8_t { running, sleeping, halted, hung };

/// One network interface: `<network>.<chip>.ni<N>`.
struct interface_signals {
    std::size_t processor = absent;  ///< a processor_state
    std::size_t pc = absent;
    std::size_t function = absent;  ///< text: the function of firmware that `pc` lies in
    std::size_t operation = absent, interrupt = absent, events = absent;
    std::size_t slots = absent, transfers = absent, sending = absent;
};

/// One chip: `<network>.<chip>`.
struct chip_signals {
    std::string name;  ///< as its scope has it
    std::vector<port_signals> ports;
    std::vector<interface_signals> interfaces;
    std::vector<link_end_signals> ends;
    std::size_t differs = absent;  ///< bit p: port p differs from that of the reference
};

/// The whole file.
struct network_signals {
    std::string name;  ///< of the top scope
    std::size_t clk = absent, cycle = absent;
    std::vector<chip_signals> chips;
    std::uint64_t units_per_cycle = 1;  ///< length of a cycle in time units of the layout
    wave_layout layout;
};

/// A chip that can be recorded.
struct traced_chip {
    std::string name;
    const hw::engine::chip* chip = nullptr;  ///< must live as long as the recorder
    std::vector<std::string> peers;  ///< [port] what is at the other end, e.g. "host 12", for viewers; may be empty
    /// Name of the firmware function at a program counter; empty if its processors have none.
    std::function<std::string_view(std::uint32_t pc)> function_at = {};
    bool can_hang = false;  ///< a processor of its interfaces
};

/// The chips of a network in the order of their numbers.
std::vector<traced_chip> chips_of(const hw::engine::chip_network& network);

/// The places in `all` of the chips with these names, in the order of `all`; of all chips if there are no names.
/// \throws hw::input_error for a name that none has
std::vector<std::size_t> chosen(const std::vector<std::string>& names, const std::vector<traced_chip>& all);

/// Lays out the signals of `chips` in this order. \throws hw::input_error for a period of 0.
network_signals lay_out_signals(const trace_config& config, const std::string& network,
                                const hw::format::header_shape& headers, const std::vector<traced_chip>& chips);

}  // namespace polycast::tlm::trace
