// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/golden_coding.h"

#include <algorithm>
#include <utility>

#include "testbench/equivalence/golden_coding_bytes.h"

namespace polycast::testbench::equivalence {

using hw::engine::pins;
using hw::format::chip_error;
using hw::format::coding_event;
using hw::format::coding_mode;

namespace {

constexpr std::uint32_t chain_tag = 0x80000000;

void raise(chip_error error, pins& out) {
    out.error = 1;
    out.errors[0] = static_cast<std::uint16_t>(out.errors[0] | static_cast<unsigned>(error));
}

void raise_event(unsigned pin, coding_event code, unsigned context, std::uint32_t index, std::uint32_t source,
                 pins& out) {
    const auto after = std::ranges::find_if(out.events, [&](const auto& other) { return other.pin > pin; });
    out.events.insert(after, {static_cast<std::uint8_t>(pin), static_cast<std::uint8_t>(code),
                              static_cast<std::uint16_t>(context), index, source});
}

/// The first of `able` at or after `pointer`, which moves behind it.
unsigned choose(const std::vector<bool>& able, unsigned& pointer) {
    unsigned chosen = pointer;
    while (!able[chosen]) chosen = (chosen + 1) % static_cast<unsigned>(able.size());
    pointer = (chosen + 1) % static_cast<unsigned>(able.size());
    return chosen;
}

bool any(const std::vector<bool>& able) {
    return std::ranges::find(able, true) != able.end();
}

}  // namespace

golden_coding::golden_coding(const hw::chips::coding_params& params, hw::chips::coding_registers registers)
    : params_(params), registers_(std::move(registers)), shape_(params.pin_shape()) {
    registers_.contexts.resize(params.contexts);
    registers_.destinations.resize(params.destinations);
    reset();
}

void golden_coding::reset() {
    is_ = {};
    is_.vcs.resize(params_.vcs);
    for (channel& vc : is_.vcs) vc.credits = registers_.credits;
    is_.slots.resize(params_.slots);
    is_.contexts.resize(params_.contexts);
    is_.pipe.resize(registers_.latency);
    quiet_ = true;
}

bool golden_coding::works(unsigned context) const {
    if (context >= params_.contexts) return false;
    const auto& c = registers_.contexts[context];
    if (c.mode == coding_mode::off) return false;
    if (c.count < 2 || c.count > params_.indices) return false;
    if (c.first_destination + c.destination_count > static_cast<int>(params_.destinations)) return false;
    return registers_.vc_sets[c.vc_class] != 0;
}

bool golden_coding::decodes(unsigned context) const {
    return registers_.contexts[context].mode == coding_mode::decode;
}

hw::engine::cycle golden_coding::step(hw::engine::cycle now, const pins& in, pins& out) {
    was_ = is_;
    touched_.clear();
    for (context_state& context : is_.contexts) ++context.clock;
    write(in, out);
    take(out);
    accept(out);
    code(out);
    give_up(out);
    if (in.credit != 0) {  // section 7
        const unsigned vc = in.credit_vc.empty() ? 0 : in.credit_vc[0];
        if (vc >= params_.vcs) {
            raise(chip_error::bad_vc, out);
        } else if (was_.vcs[vc].credits == registers_.credits) {
            raise(chip_error::credit_overflow, out);
        } else {
            ++is_.vcs[vc].credits;
        }
    }
    quiet_ = out.quiet();
    return now + 1;
}

// Section 1.
void golden_coding::write(const pins& in, pins& out) {
    if (in.valid == 0) return;
    const unsigned number = in.vc.empty() ? 0 : in.vc[0];
    if (number >= params_.vcs) return raise(chip_error::bad_vc, out);
    channel& vc = is_.vcs[number];
    if (vc.dead) return;
    if (vc.in_packet || vc.discarding) {
        if (in.head != 0) raise(chip_error::missing_tail, out);
    } else if (in.head == 0) {
        return raise(chip_error::missing_head, out);
    }
    if (vc.discarding) {
        if (in.tail != 0) vc.discarding = false;
        return;
    }
    if (was_.vcs[number].buffer.size() == params_.vc_flits) {
        vc.dead = true;
        return raise(chip_error::overflow, out);
    }
    flit stored;
    stored.data.assign(in.data.begin(), in.data.begin() + shape_.flit_bytes);
    stored.header.assign(in.header.begin(), in.header.begin() + shape_.header_bytes);
    stored.head = !vc.in_packet;
    stored.tail = in.tail != 0;
    vc.flits = stored.head ? 1 : vc.flits + 1;
    if (vc.flits == registers_.packet_limit && !stored.tail) {
        raise(chip_error::too_long, out);
        stored.tail = true;
        vc.discarding = true;
    }
    vc.in_packet = !stored.tail;
    vc.buffer.push_back(stored);
}

// Section 2.
void golden_coding::take(pins& out) {
    const auto is_free = [](const std::optional<operand>& slot) { return !slot.has_value(); };
    const auto free = std::ranges::find_if(was_.slots, is_free);
    std::vector<bool> able;
    for (const channel& vc : was_.vcs)
        able.push_back(!vc.buffer.empty() && (!vc.buffer.front().head || free != was_.slots.end()));
    if (!any(able)) return;
    const unsigned number = choose(able, is_.in_pointer);
    channel& vc = is_.vcs[number];
    const flit taken = vc.buffer.front();
    vc.buffer.pop_front();
    out.credit = 1;
    if (!out.credit_vc.empty()) out.credit_vc[0] = static_cast<std::uint8_t>(number);
    if (taken.head) {
        vc.slot = static_cast<unsigned>(free - was_.slots.begin());
        is_.slots[*vc.slot].emplace();
        is_.slots[*vc.slot]->header = taken.header;
    }
    operand& packet = *is_.slots[*vc.slot];
    packet.flits.insert(packet.flits.end(), taken.data.begin(), taken.data.end());
    if (!taken.tail) return;
    const unsigned flits = static_cast<unsigned>(packet.flits.size()) / params_.flit_bytes;
    if (!params_.header_free && flits < golden_header_flits(packet.flits[0], params_.flit_bytes)) {
        raise(chip_error::short_header, out);
        is_.slots[*vc.slot].reset();
    } else {
        is_.complete.push_back(*vc.slot);
    }
    vc.slot.reset();
}

golden_coding::fields golden_coding::read(const operand& packet) const {
    fields out;
    const bytes& front = params_.header_free ? packet.header : packet.flits;
    const auto behind = [&](const bytes& all, std::size_t from, std::size_t size) {  // what did not come is 0
        bytes part(size);
        for (std::size_t byte = 0; byte < size && from + byte < all.size(); ++byte) part[byte] = all[from + byte];
        return part;
    };
    const std::size_t header_bytes =
        params_.header_free ? 0 : std::size_t{golden_header_flits(front[0], params_.flit_bytes)} * params_.flit_bytes;
    out.header = behind(front, 0, 13);
    out.transport = params_.header_free ? behind(front, front.size() - 28, 24) : behind(front, header_bytes, 24);
    out.kind = out.header[0] & 15u;
    out.op = out.transport[0] & 15u;
    out.length = static_cast<unsigned>(golden_bits(out.header, hw::format::length_field));
    out.source = golden_bits(out.header, hw::format::source_field);
    out.context = golden_bits(out.transport, hw::format::transport_group_field);
    out.tag = golden_bits(out.transport, hw::format::transport_tag_field);
    out.body = behind(packet.flits, header_bytes, packet.flits.size() - header_bytes);
    out.body_flits = static_cast<unsigned>(out.body.size()) / params_.flit_bytes;
    return out;
}

std::optional<unsigned> golden_coding::find(unsigned context, unsigned index, bool chain) const {
    for (unsigned slot = 0; slot < was_.slots.size(); ++slot) {
        const std::optional<operand>& held = was_.slots[slot];
        if (held && held->there && held->context == context && held->index == index && held->chain == chain)
            return slot;
    }
    return std::nullopt;
}

// Section 3, and of section 5 what is accepted.
void golden_coding::accept(pins& out) {
    const auto partners = [](std::initializer_list<std::optional<unsigned>> found) {
        std::deque<unsigned> slots;
        for (const std::optional<unsigned>& slot : found)
            if (slot) slots.push_back(*slot);
        return slots;
    };
    if (was_.made) {
        is_.made.reset();
        const unsigned slot = was_.made->slot;
        const operand& datum = *is_.slots[slot];
        accepted(slot, was_.made->up ? partners({find(datum.context, datum.index, true)})
                                     : partners({find(datum.context, datum.index - 1, true)}));
        return;
    }
    if (was_.given_up || was_.complete.empty()) return;
    const unsigned slot = was_.complete.front();
    is_.complete.pop_front();
    const fields packet = read(*was_.slots[slot]);
    if (refuse(slot, packet, out)) {
        is_.slots[slot].reset();
        return;
    }
    operand& held = *is_.slots[slot];
    const unsigned context = held.context = packet.context;
    const unsigned index = held.index = packet.tag & 0xffff;
    held.chain = (packet.tag & chain_tag) != 0;
    const auto first = packet.body.begin() + (params_.header_free ? 0 : 24);
    held.payload.assign(first, first + packet.length);
    held.source = packet.source;
    held.uses = held.chain || index == 0 || index == count(context) - 1 ? 1 : 2;
    is_.contexts[context].accepted.insert(index | (held.chain ? chain_tag : 0));
    const auto lower = [&](bool chain) { return index == 0 ? std::nullopt : find(context, index - 1, chain); };
    if (held.chain) {
        const auto below = find(context, index, false);
        accepted(slot, partners({below ? below : find(context, index + 1, false)}));
    } else if (decodes(context)) {
        accepted(slot, partners({lower(true), find(context, index, true)}));
    } else {
        accepted(slot, partners({lower(false), find(context, index + 1, false)}));
    }
}

bool golden_coding::refuse(unsigned slot, const fields& packet, pins& out) {
    const auto bad = [&](coding_event code) {
        raise_event(0, code, packet.context, packet.tag, packet.source, out);
        return true;
    };
    if (packet.kind != 0) {
        raise_event(0, coding_event::not_operand, 0, 0, 0, out);
        return true;
    }
    if (packet.op != 2) return bad(coding_event::not_operand);
    const unsigned size = params_.header_free ? packet.length : 24 + packet.length + 4;
    const unsigned flits = (size + params_.flit_bytes - 1) / params_.flit_bytes;
    if (packet.length == 0 || packet.body_flits != flits || flits > params_.slot_flits)
        return bad(coding_event::bad_length);
    const auto payload = packet.body.begin() + (params_.header_free ? 0 : 24);
    const bytes& free = was_.slots[slot]->header;
    const bytes check = params_.header_free ? bytes(free.end() - 4, free.end())
                                            : bytes(payload + packet.length, payload + packet.length + 4);
    if (check != check_of(packet.header, packet.transport, bytes(payload, payload + packet.length)))
        return bad(coding_event::check);
    if (!works(packet.context)) return bad(coding_event::unknown_context);
    const bool chain = (packet.tag & chain_tag) != 0;
    const unsigned index = packet.tag & 0xffff;
    if (chain && !decodes(packet.context)) return bad(coding_event::bad_index);
    if (index >= count(packet.context) - (chain ? 1 : 0)) return bad(coding_event::bad_index);
    for (const std::uint32_t before : was_.contexts[packet.context].accepted) {
        const bool any_plain = decodes(packet.context) && !chain && (before & chain_tag) == 0;
        if (any_plain || before == (index | (chain ? chain_tag : 0))) return bad(coding_event::duplicate);
    }
    return false;
}

void golden_coding::accepted(unsigned slot, const std::deque<unsigned>& partners) {
    operand& held = *is_.slots[slot];
    held.there = true;
    is_.contexts[held.context].begun = true;
    is_.contexts[held.context].clock = 0;
    touched_.insert(held.context);
    if (!partners.empty()) is_.work.push_back({slot, partners});
}

// Sections 4 and 6.
void golden_coding::code(pins& out) {
    bool stuck = false;  // the pipe stands still
    if (registers_.latency != 0) {
        const std::optional<pipe_flit> last = was_.pipe.front();
        stuck = last && !leave(*last, out);
        if (!stuck) {
            is_.pipe.pop_front();
            is_.pipe.emplace_back();
        }
    }
    if (was_.work.empty()) return;
    const unsigned slot = was_.work.front().slot;
    const unsigned partner = was_.work.front().partners.front();
    const operand& a = *was_.slots[slot];
    const operand& b = *was_.slots[partner];
    const unsigned lower = std::min(a.index, b.index);
    if (a.payload.size() != b.payload.size()) {
        raise_event(1, coding_event::unequal, a.context, lower, b.source, out);
        return done(slot, partner);
    }
    unsigned index = lower;
    if (a.chain) index = b.index == a.index ? a.index + 1 : a.index;
    if (b.chain) index = a.index == b.index ? b.index + 1 : b.index;
    const auto& context = registers_.contexts[a.context];
    if (was_.packet.empty()) {
        bytes sum = a.payload;
        for (std::size_t byte = 0; byte < sum.size(); ++byte) sum[byte] ^= b.payload[byte];
        const unsigned entry = context.first_destination + was_.destination;
        is_.packet = build(a.context, index, context.destination_count == 0 ? 0 : registers_.destinations[entry], sum);
    }
    if (context.destination_count != 0) {
        if (!send({is_.packet[was_.next_flit], context.vc_class}, stuck, out)) {
            is_.packet = was_.packet;
            return;
        }
        if (was_.next_flit == 0) ++is_.sequence;
    }
    if (++is_.next_flit != is_.packet.size()) return;
    is_.packet.clear();
    is_.next_flit = 0;
    if (++is_.destination < context.destination_count) return;
    is_.destination = 0;
    done(slot, partner);
}

/// Into the pipe, or out where there is none. \returns false if it has to wait
bool golden_coding::send(const pipe_flit& what, bool stuck, pins& out) {
    if (registers_.latency == 0) return leave(what, out);
    if (stuck) return false;
    is_.pipe.back() = what;
    return true;
}

/// \returns false if the flit cannot leave
bool golden_coding::leave(const pipe_flit& what, pins& out) {
    std::vector<bool> able(params_.vcs);
    for (unsigned vc = 0; vc < params_.vcs; ++vc) {
        const bool of_class = (registers_.vc_sets[what.vc_class] >> vc & 1) != 0;
        able[vc] = what.out.head ? of_class && was_.vcs[vc].credits >= registers_.reserve
                                 : vc == *was_.out_vc && was_.vcs[vc].credits != 0;
    }
    if (!any(able)) return false;
    if (what.out.head) is_.out_vc = choose(able, is_.out_pointer);
    const unsigned vc = *is_.out_vc;
    --is_.vcs[vc].credits;
    out.valid = 1;
    out.head = what.out.head ? 1 : 0;
    out.tail = what.out.tail ? 1 : 0;
    if (!out.vc.empty()) out.vc[0] = static_cast<std::uint8_t>(vc);
    std::ranges::copy(what.out.data, out.data.begin());
    if (what.out.head) std::ranges::copy(what.out.header, out.header.begin());
    if (what.out.tail) is_.out_vc.reset();
    return true;
}

void golden_coding::use(unsigned slot) {
    if (--is_.slots[slot]->uses == 0) is_.slots[slot].reset();
}

void golden_coding::done(unsigned slot, unsigned partner) {
    const operand a = *was_.slots[slot];
    const operand b = *was_.slots[partner];
    is_.work.front().partners.pop_front();
    if (is_.work.front().partners.empty()) is_.work.pop_front();
    use(slot);
    use(partner);
    if ((a.chain || b.chain) && a.payload.size() == b.payload.size()) {
        const operand& plain = a.chain ? b : a;
        operand datum = a.chain ? a : b;
        const bool up = datum.index == plain.index;
        if (up) ++datum.index;
        if (up ? datum.index != count(datum.context) - 1 : datum.index != 0) {
            for (std::size_t byte = 0; byte < datum.payload.size(); ++byte) datum.payload[byte] ^= plain.payload[byte];
            datum.there = false;
            datum.chain = false;
            datum.uses = 1;
            const unsigned place = a.chain ? slot : partner;
            is_.slots[place] = datum;
            is_.made = {place, up};
        }
    }
    context_state& context = is_.contexts[a.context];
    context.clock = 0;
    if (++context.pairs_done == count(a.context) - 1) end(a.context);
}

void golden_coding::end(unsigned context) {
    is_.contexts[context] = {};
}

// Section 8.
void golden_coding::give_up(pins& out) {
    if (!was_.given_up) {
        for (unsigned context = 0; context < params_.contexts; ++context) {
            const context_state& round = was_.contexts[context];
            const bool in_work = std::ranges::any_of(
                was_.work, [&](const work_entry& entry) { return was_.slots[entry.slot]->context == context; });
            if (!round.begun || registers_.patience == 0 || round.clock < registers_.patience || in_work ||
                touched_.contains(context))
                continue;
            is_.given_up = context;
            is_.step = 0;
            return;
        }
        return;
    }
    const unsigned context = *was_.given_up;
    const std::set<std::uint32_t>& came = was_.contexts[context].accepted;
    const auto missing = [&](std::uint32_t index) { raise_event(2, coding_event::missing, context, index, 0, out); };
    if (!decodes(context)) {
        if (!came.contains(was_.step)) missing(was_.step);
    } else if (was_.step == 0) {
        if (std::ranges::none_of(came, [](std::uint32_t tag) { return (tag & chain_tag) == 0; })) missing(0xffff);
    } else if (!came.contains(chain_tag | (was_.step - 1))) {
        missing(chain_tag | (was_.step - 1));
    }
    if (++is_.step != count(context)) return;
    for (std::optional<operand>& slot : is_.slots)
        if (slot && slot->there && slot->context == context) slot.reset();
    end(context);
    is_.given_up.reset();
}

bool golden_coding::idle() const {
    for (const channel& vc : is_.vcs)
        if (!vc.buffer.empty() || vc.in_packet || vc.discarding) return false;
    for (const std::optional<operand>& slot : is_.slots)
        if (slot) return false;
    for (const context_state& context : is_.contexts)
        if (context.begun) return false;
    for (const std::optional<pipe_flit>& stage : is_.pipe)
        if (stage) return false;
    return quiet_;
}

void golden_coding::probe(hw::engine::chip_probe& probe) const {
    probe.inputs.assign(params_.vcs, {});
    probe.outputs.assign(params_.vcs, {});
    for (unsigned number = 0; number < params_.vcs; ++number) {
        const channel& vc = is_.vcs[number];
        probe.inputs[number].occupied = static_cast<std::uint16_t>(vc.buffer.size());
        if (vc.slot) {
            probe.inputs[number].state = 2;
        } else if (!vc.buffer.empty()) {
            probe.inputs[number].state = 1;
        }
        probe.outputs[number].held = is_.out_vc == number;
        probe.outputs[number].credits = static_cast<std::uint16_t>(vc.credits);
    }
}

}  // namespace polycast::testbench::equivalence
