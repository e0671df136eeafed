// SPDX-License-Identifier: Apache-2.0
#include "tlm/trace/chip_signals.h"

#include <algorithm>
#include <bit>
#include <set>

#include "hw/chips/link/link_counters.h"
#include "hw/chips/link/link_symbol.h"
#include "hw/faults/fault_plan.h"
#include "hw/format/packet_format.h"
#include "hw/input_error.h"
#include "hw/ni/abi/ni_firmware.h"

namespace polycast::tlm::trace {

namespace format = hw::format;

namespace {

enum enumeration_index : std::size_t {
    packet_kinds,
    input_states,
    error_names,
    processor_states,
    operations,
    // Only of networks with cables:
    link_symbols,
    link_items,
    link_tx_states,
    link_rx_states,
    flush_causes,
    fault_kinds,
};

std::vector<wave_enumeration> enumerations() {
    wave_enumeration kinds{"packet_kind", {}};
    for (unsigned code = 0; code < no_packet; ++code) {
        const std::string_view name = format::name_of(static_cast<format::packet_kind>(code));
        if (name != "?") kinds.values.emplace_back(code, name);
    }
    kinds.values.emplace_back(no_packet, "-");
    wave_enumeration states{"input_state", {{0, "idle"}, {1, "routing"}, {2, "active"}, {3, "draining"}}};
    wave_enumeration errors{"error", {{0, "-"}}};
    static_assert(format::chip_error_count < several_errors);
    for (unsigned bit = 0; bit < format::chip_error_count; ++bit)
        errors.values.emplace_back(bit + 1, format::error_name(bit));
    errors.values.emplace_back(several_errors, "several");
    wave_enumeration processors{"processor_state", {{0, "running"}, {1, "sleeping"}, {2, "halted"}}};
    wave_enumeration marks{"firmware_operation", {}};
    static_assert(NI_OPERATIONS == 5);
    for (const auto& [code, name] : {std::pair{NI_OPERATION_IDLE, "idle"},
                                     {NI_OPERATION_KEEP, "keep"},
                                     {NI_OPERATION_RECEIVE, "receive"},
                                     {NI_OPERATION_SEND, "send"},
                                     {NI_OPERATION_COMMAND, "command"}})
        marks.values.emplace_back(code, name);
    return {kinds, states, errors, processors, marks};
}

template <typename Names>
wave_enumeration named(const std::string& what, const Names& names) {
    wave_enumeration made{what, {}};
    for (const auto& name : names) made.values.emplace_back(made.values.size(), std::string(name));
    return made;
}

/// Of cables, behind the others.
void add_link_enumerations(std::vector<wave_enumeration>& all) {
    wave_enumeration symbols{"link_symbol", {}};
    for (unsigned kind = 0; kind < 8; ++kind) symbols.values.emplace_back(kind, "invalid");
    const auto name = [&](hw::chips::symbol_kind kind, const char* is) {
        symbols.values[static_cast<std::size_t>(kind)].second = is;
    };
    name(hw::chips::symbol_kind::idle, "-");
    name(hw::chips::symbol_kind::flit, "flit");
    name(hw::chips::symbol_kind::check, "check");
    name(hw::chips::symbol_kind::set, "set");
    wave_enumeration faults{"fault", {{0, "-"}}};
    static_assert(hw::faults::fault_names.size() < several_faults - 1);
    for (const char* fault : hw::faults::fault_names) faults.values.emplace_back(faults.values.size(), fault);
    faults.values.emplace_back(several_faults, "several");
    all.insert(all.end(),
               {symbols, named("link_item", link_item_names), named("link_tx_state", hw::chips::link_tx_state_names),
                named("link_rx_state", hw::chips::link_rx_state_names),
                named("flush_cause", hw::chips::flush_cause_names), faults});
}

/// Appends signals to a layout, scope by scope.
class builder {
public:
    builder(wave_layout& layout, const trace_config& config, const format::header_shape& headers)
        : layout_(layout), config_(config), headers_(headers) {}

    std::size_t add(const std::string& scope, const std::string& name, unsigned bits, wave_direction direction,
                    wave_radix radix, std::size_t enumeration = 0) {
        layout_.signals.push_back({scope, name, bits, direction, bits == 1 ? wave_radix::bit : radix, enumeration});
        return layout_.signals.size() - 1;
    }

    side_signals pins(const std::string& scope, const hw::engine::pin_shape& shape, unsigned port,
                      wave_direction direction) {
        side_signals signals;
        if (config_.pins) {
            signals.valid = add(scope, "valid", 1, direction, wave_radix::bit);
            signals.head = add(scope, "head", 1, direction, wave_radix::bit);
            signals.tail = add(scope, "tail", 1, direction, wave_radix::bit);
            signals.data = add(scope, "data", 8 * shape.flit_bytes, direction, wave_radix::hexadecimal);
            if (shape.header_bytes != 0) {
                signals.header = add(scope, "header", 8 * shape.header_bytes, direction, wave_radix::hexadecimal);
            }
            signals.credit = add(scope, "credit", 1, direction, wave_radix::bit);
            if (shape.vcs > 1) {
                signals.vc = add(scope, "vc", vc_bits, direction, wave_radix::decimal);
                signals.credit_vc = add(scope, "credit_vc", vc_bits, direction, wave_radix::decimal);
            }
            if ((shape.side_ports >> port & 1) != 0) {
                signals.have = add(scope, "side_have", have_bits, direction, wave_radix::hexadecimal);
                signals.round = add(scope, "side_round", round_bits, direction, wave_radix::decimal);
            }
        }
        return signals;
    }

    side_signals side(const std::string& scope, const hw::engine::pin_shape& shape, unsigned port,
                      wave_direction direction) {
        side_signals signals = pins(scope, shape, port, direction);
        if (config_.packets) {
            const std::string inner = scope + ".packet";
            const auto internal = wave_direction::internal;
            signals.label = add(inner, "label", 8 * label_letters, internal, wave_radix::text);
            signals.kind =
                add(inner, "kind", std::bit_width(no_packet), internal, wave_radix::enumeration, packet_kinds);
            signals.up = add(inner, "up", format::up_field.bits, internal, wave_radix::bit);
            signals.source = add(inner, "source", format::source_field.bits, internal, wave_radix::decimal);
            signals.sequence = add(inner, "sequence", format::sequence_field.bits, internal, wave_radix::decimal);
            signals.length = add(inner, "length", format::length_field.bits, internal, wave_radix::decimal);
            signals.destination =
                add(inner, "destination", format::destination_field.bits, internal, wave_radix::decimal);
            signals.destinations =
                add(inner, "destinations", std::max(headers_.hosts, 2u), internal, wave_radix::hexadecimal);
            signals.stops = add(inner, "stops", format::path_stops_field.bits, internal, wave_radix::decimal);
            signals.next_stop = add(inner, "next_stop", format::path_next_field.bits, internal, wave_radix::decimal);
            signals.stop_switch =
                add(inner, "stop_switch", format::stop_switch_field.bits, internal, wave_radix::decimal);
            signals.stop_ports = add(inner, "stop_ports", std::max(headers_.ports, 2u), internal, wave_radix::binary);
        }
        return signals;
    }

    port_signals port(const std::string& scope, const hw::engine::pin_shape& shape, unsigned number, bool cable) {
        port_signals signals;
        const auto internal = wave_direction::internal;
        if (config_.pins) {
            signals.error = add(scope, "error", format::chip_error_count, wave_direction::output, wave_radix::binary);
            signals.error_name = add(scope, "error_name", std::bit_width(several_errors), internal,
                                     wave_radix::enumeration, error_names);
        }
        signals.in = side(scope + ".in", shape, number, wave_direction::input);
        signals.out = side(scope + ".out", shape, number, wave_direction::output);
        for (unsigned vc = 0; config_.state && !cable && vc < shape.vcs; ++vc)
            signals.channels.push_back(
                channel(shape.vcs == 1 ? scope : scope + ".vc" + std::to_string(vc), shape.ports));
        return signals;
    }

    /// What the reference of a chip shows.
    void reference(const std::string& scope, const hw::engine::pin_shape& shape, chip_signals& signals) {
        if (!config_.pins) return;
        for (unsigned number = 0; number < shape.ports; ++number) {
            port_signals& port = signals.ports[number];
            const std::string inner = scope + ".core.port" + std::to_string(number);
            port.core_error =
                add(inner, "error", format::chip_error_count, wave_direction::internal, wave_radix::binary);
            port.core = pins(inner + ".out", shape, number, wave_direction::internal);
        }
        signals.differs =
            add(scope, "differs", std::max(shape.ports, 2u), wave_direction::internal, wave_radix::binary);
    }

    channel_signals channel(const std::string& scope, unsigned ports) {
        channel_signals signals;
        const auto internal = wave_direction::internal;
        const std::string buffer = scope + ".buffer";
        signals.state = add(buffer, "state", 2, internal, wave_radix::enumeration, input_states);
        signals.occupied = add(buffer, "occupied", chunk_bits, internal, wave_radix::decimal);
        signals.waiting = add(buffer, "waiting", ports, internal, wave_radix::binary);
        signals.reading = add(buffer, "reading", ports, internal, wave_radix::binary);
        const std::string output = scope + ".output";
        signals.held = add(output, "held", 1, internal, wave_radix::bit);
        signals.holder =
            add(output, "holder", std::bit_width(hw::engine::max_ports - 1), internal, wave_radix::decimal);
        signals.credits = add(output, "credits", chunk_bits, internal, wave_radix::decimal);
        return signals;
    }

    interface_signals interface(const std::string& scope, bool functions) {
        interface_signals signals;
        if (!config_.state) return signals;
        const auto internal = wave_direction::internal;
        signals.processor = add(scope, "processor", 2, internal, wave_radix::enumeration, processor_states);
        signals.operation = add(scope, "operation", 3, internal, wave_radix::enumeration, operations);
        if (functions) {
            signals.pc = add(scope, "pc", 32, internal, wave_radix::hexadecimal);
            signals.function = add(scope, "function", 8 * label_letters, internal, wave_radix::text);
        }
        signals.interrupt = add(scope, "interrupt", 1, internal, wave_radix::bit);
        signals.events = add(scope, "events", 16, internal, wave_radix::decimal);
        signals.slots = add(scope, "slots", 16, internal, wave_radix::decimal);
        signals.transfers = add(scope, "transfers", 16, internal, wave_radix::decimal);
        signals.sending = add(scope, "sending", 16, internal, wave_radix::decimal);
        return signals;
    }

    wire_signals wire(const std::string& scope) {
        const auto internal = wave_direction::internal;
        wire_signals signals;
        signals.label = add(scope, "label", 8 * label_letters, internal, wave_radix::text);
        signals.kind = add(scope, "kind", 3, internal, wave_radix::enumeration, link_symbols);
        signals.type = add(scope, "type", 4, internal, wave_radix::enumeration, link_items);
        signals.number = add(scope, "number", number_bits, internal, wave_radix::decimal);
        return signals;
    }

    link_end_signals link_end(const std::string& scope, std::size_t vcs) {
        link_end_signals signals;
        const auto internal = wave_direction::internal;
        const auto number = [&](const std::string& inside, const char* name, unsigned bits) {
            return add(inside, name, bits, internal, wave_radix::decimal);
        };
        signals.tx = add(scope, "tx", 3, internal, wave_radix::enumeration, link_tx_states);
        signals.rx = add(scope, "rx", 2, internal, wave_radix::enumeration, link_rx_states);
        signals.cause = add(scope, "cause", 3, internal, wave_radix::enumeration, flush_causes);
        signals.next = number(scope, "next", number_bits);
        signals.expected = number(scope, "expected", number_bits);
        signals.outstanding = number(scope, "outstanding", number_bits);
        signals.ring = number(scope, "ring", 32);
        signals.timer = number(scope, "timer", 64);
        signals.replays = number(scope, "replays", 8);
        signals.bad = number(scope, "bad", 32);
        const auto units = [&](const std::string& inside) {
            return link_end_signals::units{number(inside, "s_cc", number_bits), number(inside, "s_cf", number_bits),
                                           number(inside, "r_cc", number_bits), number(inside, "r_cf", number_bits)};
        };
        if (vcs == 1) signals.channels.push_back(units(scope));
        signals.in = wire(scope + ".in");
        signals.in.signal = add(scope + ".in", "signal", 1, wave_direction::input, wave_radix::bit);
        signals.in.faults = add(scope + ".in", "faults", hw::faults::fault_names.size(), internal, wave_radix::binary);
        signals.in.fault = add(scope + ".in", "fault", 4, internal, wave_radix::enumeration, fault_kinds);
        signals.out = wire(scope + ".out");
        for (std::size_t vc = 0; vcs > 1 && vc < vcs; ++vc)
            signals.channels.push_back(units(scope + ".vc" + std::to_string(vc)));
        return signals;
    }

private:
    static constexpr unsigned number_bits = 20;  // of sequence numbers and credit counters
    static constexpr unsigned chunk_bits = 16;   // of chip_probe's counters
    static constexpr unsigned vc_bits = 4;       // on the pins
    static constexpr unsigned have_bits = 64;    // of the largest unit
    static constexpr unsigned round_bits = 2;

    wave_layout& layout_;
    const trace_config& config_;
    const format::header_shape& headers_;
};

}  // namespace

std::vector<traced_chip> chips_of(const hw::engine::chip_network& network) {
    std::vector<traced_chip> chips;
    for (hw::engine::chip_id id = 0; id < network.size(); ++id) {
        traced_chip chip{network.name(id), &network.at(id), {}};
        for (unsigned port = 0; port < chip.chip->shape().ports; ++port) {
            const hw::engine::port_id peer = network.peer({id, port});
            const bool open = peer.chip == hw::engine::chip_network::no_chip;
            chip.peers.push_back(open ? "" : network.name(peer.chip));
            if (!open && network.at(peer.chip).shape().ports > 1)
                chip.peers.back() += " port" + std::to_string(peer.port);
        }
        chips.push_back(std::move(chip));
    }
    return chips;
}

std::vector<std::size_t> chosen(const std::vector<std::string>& names, const std::vector<traced_chip>& all) {
    std::vector<std::size_t> places(all.size());
    for (std::size_t index = 0; index < all.size(); ++index) places[index] = names.empty() ? index : absent;
    for (const std::string& name : names) {
        const auto found =
            std::find_if(all.begin(), all.end(), [&](const traced_chip& chip) { return chip.name == name; });
        if (found == all.end()) {
            std::string known;
            for (std::size_t index = 0; index < std::min<std::size_t>(all.size(), 8); ++index) {
                known += (index == 0 ? "" : ", ") + all[index].name;
            }
            if (all.size() > 8) known += ", ...";
            throw hw::input_error("no chip is called '" + name + "' to record waves of", "chips are " + known);
        }
        const auto index = static_cast<std::size_t>(found - all.begin());
        places[index] = index;
    }
    std::erase(places, absent);
    return places;
}

network_signals lay_out_signals(const trace_config& config, const std::string& network,
                                const format::header_shape& headers, const std::vector<traced_chip>& chips) {
    if (config.period_ps == 0) throw hw::input_error("the clock period of waves must be at least 1 ps");
    network_signals all;
    all.name = wave_name(network);

    // The coarsest unit in which a cycle, or half of one where there is a clock, is a whole number.
    std::uint64_t step = config.clock ? 500 * config.period_ps : 1000 * config.period_ps;  // femtoseconds
    all.layout.timescale = -15;
    while (step % 10 == 0 && all.layout.timescale < 0) {
        step /= 10;
        ++all.layout.timescale;
    }
    all.units_per_cycle = config.clock ? 2 * step : step;

    all.layout.enumerations = enumerations();
    if (std::ranges::any_of(chips, &traced_chip::can_hang))
        all.layout.enumerations[processor_states].values.emplace_back(static_cast<unsigned>(processor_state::hung),
                                                                      "hung");
    builder build(all.layout, config, headers);
    if (config.clock) {
        all.clk = build.add(all.name, "clk", 1, wave_direction::internal, wave_radix::bit);
        all.cycle = build.add(all.name, "cycle", 64, wave_direction::internal, wave_radix::decimal);
    }
    std::set<std::string> names;
    for (const traced_chip& chip : chips) {
        chip_signals signals;
        signals.name = wave_name(chip.name);
        for (unsigned copy = 2; !names.insert(signals.name).second; ++copy)
            signals.name = wave_name(chip.name) + "_" + std::to_string(copy);
        const hw::engine::pin_shape& shape = chip.chip->shape();
        hw::engine::chip_probe probe;
        chip.chip->probe(probe);
        const bool cable = !probe.ends.empty();
        if (cable && all.layout.enumerations.size() == link_symbols) add_link_enumerations(all.layout.enumerations);
        for (std::size_t end = 0; config.state && end < probe.ends.size(); ++end)
            signals.ends.push_back(build.link_end(all.name + "." + signals.name + ".end" + std::to_string(end),
                                                  probe.ends[end].units.size()));
        for (unsigned port = 0; port < shape.ports; ++port) {
            signals.ports.push_back(
                build.port(all.name + "." + signals.name + ".port" + std::to_string(port), shape, port, cable));
        }
        for (std::size_t number = 0; number < probe.interfaces.size(); ++number) {
            signals.interfaces.push_back(
                build.interface(all.name + "." + signals.name + ".ni" + std::to_string(number), !!chip.function_at));
        }
        if (chip.chip->reference() != nullptr) build.reference(all.name + "." + signals.name, shape, signals);
        all.chips.push_back(std::move(signals));
    }
    return all;
}

}  // namespace polycast::tlm::trace
