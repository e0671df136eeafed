// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/link/frame_side.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "hw/chips/port_set.h"

namespace polycast::hw::chips {

using engine::cycle;

frame_side::frame_side(const link_config& config) : end_(std::make_unique<link_end_core>(config, link_medium::items)) {}

void frame_side::attach(wire_faults& faults, frame_wire* start) {
    faults_ = &faults;
    unsure_ = true;
    strikes_ = choice_of(spoil_start(faults, config().delay, start));
}

cycle frame_side::spoil_start(wire_faults& faults, unsigned delay, frame_wire* wire) {
    cycle next = faults.next(engine::never);
    for (; next <= delay; next = faults.next(next)) {
        link_symbol symbol;
        bool signal = true;
        faults.apply(next, symbol, signal);
        if (wire != nullptr && symbol.kind != symbol_kind::idle) wire->send(next, std::move(symbol), false);
    }
    return next;
}

void frame_side::upset(const link_upset& what) {
    upset_ = what;
    flips_ = true;
    wake_ = 0;
}

/// The step of a link end, without the parts that would change nothing.
void frame_side::step(cycle now, const engine::pins& in, unsigned port, engine::pins& out, frame_wire& from,
                      frame_wire& to) {
    const std::uint64_t mask = bit(port);
    link_transmitter& transmitter = end_->transmitter();
    link_receiver& receiver = end_->receiver();
    bool changes = now >= choice_;
    if (changes) send(now, to);
    unsigned errors = 0;
    if (((in.valid | in.credit) & mask) != 0) {
        changes = changes || (in.valid & mask) != 0;
        errors = take(in, port);
    }
    if (now == from.arrives()) {
        changes = true;
        receive(now, from);
    } else if (parses_) {
        changes = true;
        receive_symbol(now, {});
    }
    transmitter.finish(now);
    if (receiver.acts()) leave(now, port, out);
    if (transmitter.owes()) {
        if (const auto vc = transmitter.pulse()) {
            out.credit |= mask;
            if (!out.credit_vc.empty()) out.credit_vc[port] = static_cast<std::uint8_t>(*vc);
        }
    }
    errors |= end_->report_found();
    if (errors != 0) {
        out.error |= mask;
        out.errors[port] = static_cast<std::uint16_t>(errors);
    }
    if (flips_) {
        end_->flip(now, upset_);
        flips_ = false;
        sends_ = choice_ = wake_ = now + 1;
        return;
    }
    if (changes) sends_ = symbols_ ? now + 1 : transmitter.choice_wake(now, std::nullopt);
    choice_ = std::min({sends_, receiver.set_wake(now), strikes_});
    wake_ = receiver.leaves() || transmitter.pays() || parses_ ? now + 1 : choice_;
}

/// One flit at most leaves for the chip.
void frame_side::leave(cycle now, unsigned port, engine::pins& out) {
    const auto flit = end_->receiver().finish(now);
    if (!flit) return;
    const std::uint64_t mask = bit(port);
    out.valid |= mask;
    if (flit->head) out.head |= mask;
    if (flit->tail) out.tail |= mask;
    if (!out.vc.empty()) out.vc[port] = flit->vc;
    std::memcpy(&out.data[std::size_t{port} * config().flit_bytes], flit->data, config().flit_bytes);
    if (!flit->head || config().header_bytes == 0) return;
    std::uint8_t* const header = &out.header[std::size_t{port} * config().header_bytes];
    if (flit->header != nullptr) {
        std::memcpy(header, flit->header, config().header_bytes);
    } else {  // an upset made it a head
        std::memset(header, 0, config().header_bytes);
    }
}

/// What its transmitter chooses goes on the wire.
void frame_side::send(cycle now, frame_wire& to) {
    link_transmitter& transmitter = end_->transmitter();
    const link_choice choice = transmitter.choose(now, 0, end_->receiver());
    const link_item& item = transmitter.item();
    if (faults_ != nullptr) {
        const bool goes_on = choice.kind == symbol_kind::idle || choice.kind == symbol_kind::check;
        if (!goes_on && choice.index == 0) begin(now);
        if (symbols_ || now == strikes_) return send_symbol(now, choice, to);
        if (choice.kind != symbol_kind::idle) said_ = now;
    }
    if (choice.kind == symbol_kind::idle) return;
    if (choice.kind == symbol_kind::flit && item.message) {
        if (choice.index == 0) to.begin_message();
    } else if (choice.kind == symbol_kind::flit) {
        to.send_flit(transmitter.flit(choice));
    }
    if (choice.last) to.send(arrival_of(now), item);
}

/// Decides how the item whose first symbol was chosen is sent.
void frame_side::begin(cycle now) {
    if (unsure_ && now > said_ + 1) unsure_ = false;  // an idle symbol ends what the far parser has begun
    const cycle longest =
        std::max({cycle{config().frame}, cycle{config().message_flits()}, cycle{config().set_symbols()}});
    symbols_ = unsure_ || strikes_ - now < longest + config().trailer_symbols();
    began_ = now;
}

void frame_side::send_symbol(cycle now, const link_choice& choice, frame_wire& to) {
    link_symbol symbol;
    end_->writer().write(choice, end_->transmitter(), symbol);
    if (choice.kind != symbol_kind::idle) said_ = now;
    if (now == strikes_) {
        bool signal = true;
        faults_->apply(arrival_of(now), symbol, signal);
        strikes_ = choice_of(faults_->next(arrival_of(now)));
        unsure_ = true;
        struck_ = said_ = now;
    }
    const bool flit = choice.kind == symbol_kind::flit;
    if (symbol.kind != symbol_kind::idle || flit) to.send(arrival_of(now), std::move(symbol), flit);
    if (!choice.last) return;
    symbols_ = false;
    const bool frame = end_->transmitter().item().kind != link_item::what::set;
    if (frame && struck_ < began_) unsure_ = false;  // the far parser has judged it, and with it what was before
}

/// \returns format::chip_error bits
unsigned frame_side::take(const engine::pins& in, unsigned port) {
    unsigned errors = 0;
    const std::uint64_t mask = bit(port);
    if ((in.valid & mask) != 0) {
        const bool head = (in.head & mask) != 0;
        const bool with_header = head && config().header_bytes != 0;
        errors =
            end_->transmitter().take({head, (in.tail & mask) != 0, in.vc.empty() ? std::uint8_t{0} : in.vc[port],
                                      &in.data[std::size_t{port} * config().flit_bytes],
                                      with_header ? &in.header[std::size_t{port} * config().header_bytes] : nullptr});
    }
    if ((in.credit & mask) != 0) errors |= end_->receiver().take_credit(in.credit_vc.empty() ? 0u : in.credit_vc[port]);
    return errors;
}

void frame_side::receive_symbol(cycle now, const link_symbol& symbol) {
    if (const auto set = end_->parser().receive(now, symbol)) end_->transmitter().receive(now, *set);
    parses_ = !end_->parser().idle();
}

void frame_side::receive(cycle now, frame_wire& from) {
    if (from.front().symbol) {
        receive_symbol(now, from.front_symbol());
        return from.pop();
    }
    const link_item item = from.front().item;
    const bool bad = from.front().bad;
    from.pop();
    link_receiver& receiver = end_->receiver();
    if (item.kind == link_item::what::set) {
        if (const auto set = receiver.hear(item.set)) end_->transmitter().receive(now, *set);
        return;
    }
    if (bad) receiver.bad_frame(now, item.sequence);
    const bool accepts = !bad && receiver.good_frame(now, item.sequence);
    if (item.message) {
        from.end_message();
        if (accepts) receiver.accept(*item.message);
        return;
    }
    for (unsigned index = 0; index < item.flits; ++index) {
        if (accepts) receiver.accept(from.front_flit());
        from.pop_flit();
    }
}

}  // namespace polycast::hw::chips
