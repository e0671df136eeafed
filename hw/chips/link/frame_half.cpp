// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/link/frame_half.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "hw/chips/port_set.h"

namespace polycast::hw::chips {

using engine::cycle;

namespace {

enum class letter : std::uint8_t { set, frame, message, symbol };
enum flit_mark : std::uint8_t { has_head = 1, has_tail = 2, has_header = 4 };

class writer {
public:
    explicit writer(std::size_t bytes) { bytes_.reserve(bytes); }

    template <typename T>
    void put(T value) {
        static_assert(std::has_unique_object_representations_v<T>);
        put(reinterpret_cast<const std::uint8_t*>(&value), sizeof value);
    }
    void put(const std::uint8_t* bytes, std::size_t count) { bytes_.insert(bytes_.end(), bytes, bytes + count); }
    std::vector<std::uint8_t> take() { return std::move(bytes_); }

private:
    std::vector<std::uint8_t> bytes_;
};

class reader {
public:
    explicit reader(const std::vector<std::uint8_t>& bytes) : at_(bytes.data()) {}

    template <typename T>
    T get() {
        T value;
        std::memcpy(&value, get(sizeof value), sizeof value);
        return value;
    }
    const std::uint8_t* get(std::size_t count) { return std::exchange(at_, at_ + count); }

private:
    const std::uint8_t* at_;
};

std::uint8_t marks_of(bool head, bool tail, bool header) {
    return static_cast<std::uint8_t>((head ? has_head : 0) | (tail ? has_tail : 0) | (header ? has_header : 0));
}

void write_flits(const link_config& config, unsigned count, frame_wire& from, writer& to) {
    to.put(static_cast<std::uint16_t>(count));
    for (; count != 0; --count) {
        const engine::flit flit = from.front_flit();
        to.put(marks_of(flit.head, flit.tail, flit.header != nullptr));
        to.put(flit.vc);
        to.put(flit.data, config.flit_bytes);
        if (flit.header != nullptr) to.put(flit.header, config.header_bytes);
        from.pop_flit();
    }
}

void write_symbol(const link_config& config, const link_symbol& symbol, bool flit, writer& to) {
    to.put(flit);
    to.put(symbol.kind);
    to.put(marks_of(symbol.head, symbol.tail, !symbol.header.empty()));
    to.put(symbol.vc);
    to.put(symbol.data.data(), config.flit_bytes);
    to.put(symbol.beside);
    to.put(symbol.header.data(), symbol.header.size());
}

/// Takes the first arrival off the wire.
std::vector<std::uint8_t> write(const link_config& config, frame_wire& from) {
    const frame_wire::arrival& sent = from.front();
    const link_item& item = sent.item;
    writer to(32 + (sent.symbol ? 1 : item.flits) * std::size_t{config.flit_bytes + config.header_bytes + 2});
    if (sent.symbol) {
        to.put(letter::symbol);
        write_symbol(config, from.front_symbol(), sent.flit, to);
    } else if (item.kind == link_item::what::set) {
        to.put(letter::set);
        to.put(item.set.type);
        to.put(item.set.vc);
        to.put(item.set.number);
        to.put(item.set.ack);
    } else if (item.message) {
        to.put(letter::message);
        to.put(item.sequence);
        to.put(item.message->type);
        to.put(item.message->vc);
        to.put(item.message->number);
        from.end_message();
    } else {
        to.put(letter::frame);
        to.put(item.sequence);
        to.put(item.spoilt);
        write_flits(config, item.flits, from, to);
    }
    from.pop();
    return to.take();
}

unsigned read_flits(const link_config& config, reader& from, frame_wire& to) {
    const unsigned count = from.get<std::uint16_t>();
    for (unsigned left = count; left != 0; --left) {
        const auto marks = from.get<std::uint8_t>();
        const auto vc = from.get<std::uint8_t>();
        const std::uint8_t* const data = from.get(config.flit_bytes);
        const std::uint8_t* const header = (marks & has_header) != 0 ? from.get(config.header_bytes) : nullptr;
        to.send_flit({(marks & has_head) != 0, (marks & has_tail) != 0, vc, data, header});
    }
    return count;
}

link_symbol read_symbol(const link_config& config, reader& from) {
    link_symbol symbol;
    symbol.kind = from.get<symbol_kind>();
    const auto marks = from.get<std::uint8_t>();
    symbol.head = (marks & has_head) != 0;
    symbol.tail = (marks & has_tail) != 0;
    symbol.vc = from.get<std::uint8_t>();
    std::copy_n(from.get(config.flit_bytes), config.flit_bytes, symbol.data.begin());
    symbol.beside = from.get<std::uint64_t>();
    if ((marks & has_header) == 0) return symbol;
    const std::uint8_t* const header = from.get(config.header_bytes);
    symbol.header.assign(header, header + config.header_bytes);
    return symbol;
}

/// The reverse of write(): on the pins in cycle `now`.
void read(const link_config& config, cycle now, const std::vector<std::uint8_t>& bytes, frame_wire& to) {
    reader from(bytes);
    link_item item;
    switch (from.get<letter>()) {
        case letter::symbol: {
            const bool flit = from.get<bool>();
            return to.send(now, read_symbol(config, from), flit);
        }
        case letter::set:
            item.set.type = from.get<set_type>();
            item.set.vc = from.get<unsigned>();
            item.set.number = from.get<std::uint32_t>();
            item.set.ack = from.get<std::uint32_t>();
            break;
        case letter::message:
            item.kind = link_item::what::message;
            item.sequence = from.get<std::uint32_t>();
            item.message.emplace();
            item.message->type = from.get<frame_type>();
            item.message->vc = from.get<unsigned>();
            item.message->number = from.get<std::uint32_t>();
            to.begin_message();
            break;
        case letter::frame:
            item.kind = link_item::what::data;
            item.sequence = from.get<std::uint32_t>();
            item.spoilt = from.get<bool>();
            item.flits = read_flits(config, from, to);
            break;
    }
    to.send(now, item);
}

bool has_flits(const frame_wire::arrival& sent) {
    return sent.symbol ? sent.flit : sent.item.kind != link_item::what::set;
}

}  // namespace

frame_half::frame_half(const link_config& config, unsigned which)
    : config_(checked(config)),
      which_(which),
      shape_{2, config_.flit_bytes, config_.header_bytes, config_.vcs, 0, 0, bit(1)},
      side_(which == 0 ? config_ : other_end(config_)),
      in_(config_),
      out_(config_) {}

void frame_half::attach(unsigned towards, wire_faults& faults) {
    if (towards == which_) {
        frame_side::spoil_start(faults, config_.delay, &in_);
    } else {
        side_.attach(faults, nullptr);
    }
}

void frame_half::upset(unsigned which, const link_upset& what) {
    if (which == which_) side_.upset(what);
}

void frame_half::reset() {
    *this = frame_half(config_, which_);
}

cycle frame_half::step(cycle now, const engine::pins& in, engine::pins& out) {
    if ((in.packet & bit(1)) != 0) read(config_, now, in.packets[1].bytes->flits, in_);
    while (!flying_.empty() && flying_.front() <= now) flying_.pop_front();
    side_.step(now, in, 0, out, in_, out_);
    if (out_.arrives() != engine::never) {
        if (has_flits(out_.front())) {
            if (flying_.full()) flying_.set_capacity(2 * flying_.capacity());
            flying_.push_back(out_.arrives());
        }
        out.packet |= bit(1);
        out.packets[1] = {0, 0, std::make_shared<engine::packet_bytes>(engine::packet_bytes{write(config_, out_), {}})};
    }
    // Whoever asks whether it is idle has to get the right answer in the cycle in which it becomes that.
    const cycle landed = flying_.empty() || holds_flits() ? engine::never : flying_.back();
    return std::min({side_.wake(), in_.arrives(), landed});
}

void frame_half::probe(engine::chip_probe& probe) const {
    probe.ends.assign(2, {});
    probe.ends[which_] = shown(config_, side_.end().probe(), side_.end().recovers());
}

engine::chip_report frame_half::report() const {
    cable_report report;
    report.ends[which_] = side_.end().report();
    return report.packed();
}

}  // namespace polycast::hw::chips
