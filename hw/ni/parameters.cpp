// SPDX-License-Identifier: Apache-2.0
#include "hw/ni/parameters.h"

#include <algorithm>
#include <string>

#include "hw/format/header.h"
#include "hw/input_error.h"

namespace polycast::hw::ni {

namespace {

void require(bool holds, const std::string& message) {
    if (!holds) throw input_error("network interface: " + message);
}

}  // namespace

void check_params(const ni_params& params) {
    require(params.hosts >= 1 && params.hosts <= 1u << 24, "a network has 1..16777216 hosts");
    require(params.host < params.hosts,
            "there is no host " + std::to_string(params.host) + " among " + std::to_string(params.hosts));
    require(params.flit_bytes >= 1 && params.flit_bytes <= 64,
            "a flit has 1..64 bytes, not " + std::to_string(params.flit_bytes));
    const unsigned pins = params.header_stops != 0
                              ? format::free_header_bytes(params.header_shape())
                              : format::unicast_header_bytes + format::transport_bytes + format::check_bytes;
    require(params.header_bytes == 0 || params.header_bytes >= pins,
            "a free header for " + std::to_string(params.hosts) + " hosts needs " + std::to_string(pins) + " bytes");
    require(params.header_ports >= 1 && params.header_ports <= 64,
            "the largest switch has 1..64 ports, not " + std::to_string(params.header_ports));
    require(params.header_stops <= 255,
            "a path worm has at most 255 stops, not " + std::to_string(params.header_stops));
    require(params.chunk_flits >= 1, "a chunk has at least one flit");
    require(params.credits >= 1, "the switch's buffer has no chunk");
    require(params.vcs >= 1 && params.vcs <= 16,
            "a link has 1..16 virtual channels, not " + std::to_string(params.vcs));
    require(params.vcs == 1 || !params.whole_packets, "where packets are events a link has one virtual channel");
    require(params.vcs == 1 || params.chunk_flits == 1 || params.lids,
            "where there are virtual channels a credit is one flit");
    require(params.reserve >= 1 && params.reserve <= params.credits,
            "a packet begins with 1.." + std::to_string(params.credits) + " credits, as many as there are, not with " +
                std::to_string(params.reserve));
    for (std::size_t number = 0; number < params.class_vcs.size(); ++number)
        require((params.class_vcs[number] & ((1u << params.vcs) - 1)) != 0,
                "packets of class " + std::to_string(number) + " may take no virtual channel");
    require(params.units <= (1u << 24) - params.hosts,
            "hosts and units have numbers up to 16777215, so not " + std::to_string(params.units) + " units");
    require(!params.jobs || params.units == 0,
            "packets that carry jobs cannot go through coding units, which know of no jobs: leave one of them out");
    require(params.payload_bytes >= 1 && params.payload_bytes <= 65535, "a packet carries 1..65535 bytes");
    require(params.processes >= 1 && params.processes <= 64,
            "1..64 processes share it, not " + std::to_string(params.processes));
    require(params.command_entries >= 1 && params.command_entries <= 1024, "a process has 1..1024 command entries");
    require(std::uint64_t{params.processes} * params.command_entries * command_bytes(params) <= NI_COMMAND_MEMORY_SIZE,
            "the commands of " + std::to_string(params.processes) + " processes do not fit into command memory");
    require(params.group_entries >= 1 && params.group_entries <= 2048, "the group table has 1..2048 entries");
    require(params.link_queue >= 1, "the queue of link-out has at least one place");
    require(params.dma_queue >= 1, "the queue of host transfers has at least one place");
    require(params.event_queue >= 1, "the event queue has at least one place");
    require(params.reliable.timeout >= 1 && params.reliable.timeout <= 1u << 30,
            "the time-out of reliable messages takes 1..2^30 cycles");
    require(params.reliable.attempts >= 1 && params.reliable.attempts <= 255,
            "a reliable message is asked for 1..255 times");
    require(params.reliable.ack_delay >= 1 && params.reliable.ack_delay <= 1u << 30,
            "receipts wait for 1..2^30 cycles");
    require(params.bus_cycles_per_byte >= 0, "the bus cannot take negative time");
    const unsigned slots = packet_memory_bytes / slot_bytes(params);
    require(slots >= 2, "packet memory has no room for two packets");
    require(
        params.send_slots < slots && params.receive_slots < slots && params.send_slots + params.receive_slots <= slots,
        "packet memory has room for " + std::to_string(slots) + " slots of " + std::to_string(slot_bytes(params)) +
            " bytes, not for " + std::to_string(params.send_slots) + " and " + std::to_string(params.receive_slots));
}

ni_statistics& ni_statistics::operator+=(const ni_statistics& more) {
    packets_in += more.packets_in;
    packets_out += more.packets_out;
    transfers_refused += more.transfers_refused;
    completions_lost += more.completions_lost;
    commands_refused += more.commands_refused;
    jobs_refused += more.jobs_refused;
    errors |= more.errors;
    panic = panic != 0 ? panic : more.panic;
    restarts += more.restarts;
    receive_slots_peak = std::max(receive_slots_peak, more.receive_slots_peak);
    send_slots_peak = std::max(send_slots_peak, more.send_slots_peak);
    residency_cycles += more.residency_cycles;
    residency_count += more.residency_count;
    residency_max = std::max(residency_max, more.residency_max);
    corrected += more.corrected;
    bus_busy += more.bus_busy;
    link_busy += more.link_busy;
    return *this;
}

}  // namespace polycast::hw::ni
