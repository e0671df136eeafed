// SPDX-License-Identifier: Apache-2.0
/// \file Pins and what is on its way between them, as other processes get them (hw/engine/packing.h).
#pragma once

#include <cereal/types/memory.hpp>
#include <cereal/types/vector.hpp>
#include <memory>

#include "hw/engine/network_part.h"

namespace polycast::hw::engine {

template <typename archive>
void serialize(archive& all, side_state& side) {
    all(side.have, side.round);
}

template <typename archive>
void serialize(archive& all, pin_shape& shape) {
    all(shape.ports, shape.flit_bytes, shape.header_bytes, shape.vcs, shape.side_ports, shape.side_vc,
        shape.packet_ports);
}

template <typename archive>
void serialize(archive& all, packet_bytes& packet) {
    all(packet.flits, packet.header);
}

template <typename archive>
void save(archive& all, const whole_packet& packet) {
    const bool there = packet.bytes != nullptr;
    all(packet.flits, packet.cycles, there);
    if (there) all(*packet.bytes);
}

template <typename archive>
void load(archive& all, whole_packet& packet) {
    bool there = false;
    all(packet.flits, packet.cycles, there);
    auto bytes = std::make_shared<packet_bytes>();
    if (there) all(*bytes);
    packet.bytes = there ? std::move(bytes) : nullptr;
}

template <typename archive>
void serialize(archive& all, chip_event& event) {
    all(event.pin, event.code, event.context, event.index, event.source);
}

template <typename archive>
void serialize(archive& all, pins& p) {
    all(p.valid, p.head, p.tail, p.credit, p.error, p.side, p.packet, p.data, p.header, p.errors, p.vc, p.credit_vc,
        p.sides, p.packets, p.events);
}

template <typename archive>
void serialize(archive& all, chip_probe::input& input) {
    all(input.occupied, input.state, input.waiting, input.reading);
}

template <typename archive>
void serialize(archive& all, chip_probe::output& output) {
    all(output.held, output.holder, output.credits);
}

template <typename archive>
void serialize(archive& all, chip_probe::interface& i) {
    all(i.pc, i.operation, i.sleeping, i.halted, i.interrupt, i.events, i.slots, i.transfers, i.sending, i.hung);
}

template <typename archive>
void serialize(archive& all, chip_probe::link_symbol& symbol) {
    all(symbol.kind, symbol.word);
}

template <typename archive>
void serialize(archive& all, chip_probe::link_units& units) {
    all(units.s_cc, units.s_cf, units.r_cc, units.r_cf);
}

template <typename archive>
void serialize(archive& all, chip_probe::link_end& e) {
    all(e.tx, e.rx, e.cause, e.replays, e.recovers, e.next, e.expected, e.outstanding, e.ring, e.bad, e.timer, e.units,
        e.beside, e.signal, e.in, e.out, e.struck, e.lasting);
}

template <typename archive>
void serialize(archive& all, chip_probe& probe) {
    all(probe.inputs, probe.outputs, probe.interfaces, probe.ends);
}

template <typename archive>
void serialize(archive& all, chip_report& report) {
    all(report.failures, report.counts);
}

template <typename archive>
void serialize(archive& all, port_id& port) {
    all(port.chip, port.port);
}

template <typename archive>
void serialize(archive& all, error_event& event) {
    all(event.when, event.where, event.errors);
}

template <typename archive>
void serialize(archive& all, event_record& event) {
    all(event.when, event.chip, event.event);
}

template <typename archive>
void serialize(archive& all, link_statistics& link) {
    all(link.flits, link.packets, link.occupied, link.occupied_max, link.occupied_cycles, link.since, link.offset);
}

template <typename archive>
void serialize(archive& all, part_counters& counters) {
    all(counters.last_flit, counters.chip_steps, counters.flit_hops, counters.packet_hops, counters.errors,
        counters.error_count, counters.events, counters.event_count);
}

template <typename archive>
void serialize(archive& all, network_part::flit_event& event) {
    all(event.chip, event.port, event.ends, event.vc, event.byte, event.offset);
}

template <typename archive>
void serialize(archive& all, network_part::credit_event& event) {
    all(event.chip, event.port, event.vc);
}

template <typename archive>
void serialize(archive& all, network_part::side_event& event) {
    all(event.chip, event.port, event.state);
}

template <typename archive>
void serialize(archive& all, network_part::packet_event& event) {
    all(event.when, event.chip, event.port, event.packet);
}

template <typename archive, typename event>
void serialize(archive& all, network_part::letter<event>& letter) {
    all(letter.when, letter.what);
}

template <typename archive>
void serialize(archive& all, network_part::mailbox& mail) {
    all(mail.flits, mail.credits, mail.sides, mail.packets, mail.bytes);
}

}  // namespace polycast::hw::engine
