// SPDX-License-Identifier: Apache-2.0
#include "tlm/trace/wave_recorder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "hw/engine/pin_difference.h"
#include "hw/input_error.h"
#include "tlm/trace/gtkwave_save.h"

namespace polycast::tlm::trace {

namespace engine = hw::engine;

static_assert(std::endian::native == std::endian::little, "values are kept as words and filled as bytes");

namespace {

template <typename Function>
void for_each_port(std::uint64_t set, Function function) {
    for (; set != 0; set &= set - 1) function(static_cast<unsigned>(std::countr_zero(set)));
}

bool has(std::uint64_t set, unsigned port) {
    return (set >> port & 1) != 0;
}

/// Ports on which the last flit was in cycle `from` or later.
std::uint64_t seen_since(const std::vector<engine::cycle>& last, engine::cycle from) {
    std::uint64_t ports = 0;
    for (std::size_t port = 0; port < last.size(); ++port)
        if (last[port] != engine::never && last[port] >= from) ports |= std::uint64_t{1} << port;
    return ports;
}

}  // namespace

wave_recorder::wave_recorder(trace_config config, const std::string& network, const hw::format::header_shape& headers,
                             const std::vector<traced_chip>& chips)
    : config_(std::move(config)), slots_(chips.size(), absent) {
    if (config_.from >= config_.to) {
        throw hw::input_error("the window of cycles to record is empty: " + std::to_string(config_.from) + " to " +
                              std::to_string(config_.to));
    }
    for (const std::size_t index : chosen(config_.chips, chips)) {
        slots_[index] = sources_.size();
        sources_.push_back(chips[index]);
    }
    signals_ = lay_out_signals(config_, network, headers, sources_);

    offsets_.reserve(signals_.layout.signals.size());
    std::size_t words = 0;
    for (const wave_signal& signal : signals_.layout.signals) {
        offsets_.push_back(words);
        words += signal.words();
    }
    values_.resize(words);

    chips_.reserve(sources_.size());
    for (std::size_t index = 0; index < sources_.size(); ++index) {
        const engine::pin_shape& shape = sources_[index].chip->shape();
        const side nothing{engine::pins(shape), std::vector(shape.ports * shape.vcs, packet_tracker(headers)),
                           std::vector<std::uint8_t>(shape.ports), std::vector(shape.ports, engine::never)};
        chips_.push_back({sources_[index].chip,
                          &signals_.chips[index],
                          engine::pins(shape),
                          engine::pins(shape),
                          engine::pins(shape),
                          {},
                          engine::never,
                          false,
                          nothing,
                          nothing,
                          nothing,
                          {}});
        slot& made = chips_.back();
        made.chip->probe(made.next_probe);
        for (std::size_t end = 0; end < made.signals->ends.size(); ++end)
            made.ends.emplace_back(made.signals->ends[end], shape.flit_bytes, made.next_probe.ends[end].beside);
    }

    if (config_.trigger) config_.last = config_.trigger->before + 1 + config_.trigger->after;
    if (config_.last != 0) {
        auto history = std::make_unique<wave_history>(signals_.layout, config_.last * signals_.units_per_cycle);
        history_ = history.get();
        writer_ = std::move(history);
    } else {
        writer_ = open_wave_writer(config_.format, config_.file, signals_.layout);
    }
}

wave_recorder::~wave_recorder() = default;

void wave_recorder::stepped(engine::chip_id id, engine::cycle now, const engine::pins& in, const engine::pins& out,
                            const engine::chip& chip) noexcept {
    if (stage_ == stage::after || !wants(id)) return;
    slot& target = chips_[slots_[id]];
    try {
        if (now + 1 < config_.from) {  // too early to be seen: only what will still matter when the window opens
            const engine::pin_shape& shape = chip.shape();
            if (config_.packets) {
                track(target.in, in, shape);
                track(target.out, out, shape);
            }
            show_sides(target, &port_signals::in, in);
            show_sides(target, &port_signals::out, out);
            chip.probe(target.next_probe);
            return;
        }
        enter(now);
        advance(now);
        if (stage_ == stage::after) return;
        show_pins(target, target.in, &port_signals::in, in);
        target.next_out = out;
        if (const engine::pins* core = chip.reference()) target.next_core = *core;
        if (config_.state) chip.probe(target.next_probe);
        for (std::size_t end = 0; end < target.ends.size(); ++end)
            target.ends[end].arrived(target.next_probe.ends[end], now, *this);
        target.stepped = now;
        if (!std::exchange(target.lit, true)) lit_.push_back(&target);
    } catch (...) {
        error_ = std::current_exception();
        stage_ = stage::after;
        writer_.reset();  // frees the disk
    }
}

/// Takes over what was tracked before the window.
void wave_recorder::enter(engine::cycle now) {
    if (stage_ != stage::before) return;
    stage_ = stage::inside;
    time_ = std::min(now, config_.from);
    for (slot& chip : chips_) {
        show_state(chip);
        for (std::size_t end = 0; end < chip.ends.size(); ++end)
            chip.ends[end].show(chip.next_probe.ends[end], time_, *this);
        if (lights(chip) && !std::exchange(chip.lit, true)) lit_.push_back(&chip);
        for (std::size_t port = 0; port < chip.signals->ports.size(); ++port) {
            const unsigned vcs = chip.chip->shape().vcs;
            show_packet(chip.signals->ports[port].in, chip.in.packets[port * vcs + chip.in.channel[port]]);
            show_packet(chip.signals->ports[port].out, chip.out.packets[port * vcs + chip.out.channel[port]]);
        }
    }
    tick();
}

/// Completes all cycles before `now`, as far as they are in the window.
void wave_recorder::advance(engine::cycle now) {
    while (time_ < now && stage_ == stage::inside) {
        if (lit_.empty() && open_ && !config_.clock) {
            time_ = std::min(now, config_.to);
            if (time_ == config_.to) stage_ = stage::after;
        } else {
            leave_cycle();
        }
    }
}

/// Completes the cycle being recorded, whose steps are all done, and begins the next one.
void wave_recorder::leave_cycle() {
    for (slot* chip : lit_) {
        if (chip->stepped == time_) continue;
        show_pins(*chip, chip->in, &port_signals::in, chip->quiet);
        for (link_end_view& end : chip->ends) end.nothing_arrived(*this);
    }
    if (time_ == config_.from) open_window();
    if (config_.clock && open_) {
        writer_->set_time(time_ * signals_.units_per_cycle + signals_.units_per_cycle / 2);
        values_[offsets_[signals_.clk]] = 0;
        writer_->change(signals_.clk, std::span(values_).subspan(offsets_[signals_.clk], 1));
    }
    ++time_;
    if (time_ == config_.to) {
        stage_ = stage::after;
        return;
    }
    tick();
    std::erase_if(lit_, [this](slot* chip) {
        const bool fresh = chip->stepped == time_ - 1;
        const engine::pins& pins = fresh ? chip->next_out : chip->quiet;
        show_pins(*chip, chip->out, &port_signals::out, pins);
        show_errors(*chip, pins);
        if (chip->signals->differs != absent) show_reference(*chip, pins, fresh ? chip->next_core : chip->quiet);
        if (fresh) show_state(*chip);
        for (std::size_t end = 0; end < chip->ends.size(); ++end) {
            if (fresh) {
                chip->ends[end].stepped(chip->next_probe.ends[end], time_, *this);
            } else {
                chip->ends[end].nothing_sent(time_, *this);
            }
        }
        chip->lit = lights(*chip);
        return !chip->lit;
    });
}

bool wave_recorder::lights(const slot& chip) {
    return !chip.in.shown.quiet() || !chip.out.shown.quiet() || !chip.core.shown.quiet() || chip.differs != 0 ||
           std::ranges::any_of(chip.ends, &link_end_view::lit);
}

/// Writes every signal once, as it is at the end of the first cycle of the window.
void wave_recorder::open_window() {
    open_ = true;
    written_time_ = time_;
    writer_->set_time(time_ * signals_.units_per_cycle);
    for (std::size_t signal = 0; signal < offsets_.size(); ++signal) write(signal);
}

void wave_recorder::tick() {
    if (!config_.clock) return;
    set(signals_.clk, 1);
    set(signals_.cycle, time_);
}

void wave_recorder::show_pins(slot& chip, side& which, const side_signals port_signals::*signals,
                              const engine::pins& pins) {
    const std::vector<port_signals>& ports = chip.signals->ports;
    const engine::pin_shape& shape = chip.chip->shape();
    engine::pins& shown = which.shown;
    for_each_port(shown.valid ^ pins.valid,
                  [&](unsigned port) { set((ports[port].*signals).valid, has(pins.valid, port)); });
    for_each_port(shown.head ^ pins.head,
                  [&](unsigned port) { set((ports[port].*signals).head, has(pins.head, port)); });
    for_each_port(shown.tail ^ pins.tail,
                  [&](unsigned port) { set((ports[port].*signals).tail, has(pins.tail, port)); });
    for_each_port(shown.credit ^ pins.credit,
                  [&](unsigned port) { set((ports[port].*signals).credit, has(pins.credit, port)); });
    for_each_port(shown.valid | pins.valid, [&](unsigned port) {
        const side_signals& signal = ports[port].*signals;
        const bool valid = has(pins.valid, port);
        const bool head = has(pins.head, port);
        const auto data = std::span(valid ? pins.data : chip.quiet.data)
                              .subspan(std::size_t{port} * shape.flit_bytes, shape.flit_bytes);
        const auto header = std::span(head ? pins.header : chip.quiet.header)
                                .subspan(std::size_t{port} * shape.header_bytes, shape.header_bytes);
        set_bytes(signal.data, data);
        if (head || has(shown.head, port)) set_bytes(signal.header, header);
        const unsigned vc = valid && !pins.vc.empty() ? pins.vc[port] : 0;
        set(signal.vc, vc);
        if (!config_.packets) return;
        const bool follows = valid && vc < shape.vcs;  // no packet of a channel that does not exist
        const bool turned = follows && turn_to_channel(which, port, vc);
        packet_tracker& packet = which.packets[port * shape.vcs + which.channel[port]];
        const bool changed =
            follows ? packet.flit(head, has(pins.tail, port), data, head ? header : header.first(0)) : packet.pause();
        if (changed || turned) show_packet(signal, packet);
    });
    if (!pins.credit_vc.empty()) {
        for_each_port(shown.credit | pins.credit, [&](unsigned port) {
            set((ports[port].*signals).credit_vc, has(pins.credit, port) ? pins.credit_vc[port] : 0);
        });
    }
    show_sides(chip, signals, pins);
    shown.valid = pins.valid;
    shown.head = pins.head;
    shown.tail = pins.tail;
    shown.credit = pins.credit;
    if (pins.valid != 0 && time_ >= config_.from) {
        for_each_port(pins.valid, [&](unsigned port) { which.seen[port] = time_; });
        first_flit_ = std::min(first_flit_, time_);
    }
}

/// Side wires stay as they are from one change to the next.
void wave_recorder::show_sides(const slot& chip, const side_signals port_signals::*signals, const engine::pins& pins) {
    for_each_port(pins.side, [&](unsigned port) {
        const side_signals& signal = chip.signals->ports[port].*signals;
        set(signal.have, pins.sides[port].have);
        set(signal.round, pins.sides[port].round);
    });
}

/// A flit arrives on a port. \returns true if on another virtual channel than the last one, whose packet may be over
bool wave_recorder::turn_to_channel(side& which, unsigned port, unsigned vc) {
    if (vc == which.channel[port]) return false;
    which.packets[port * which.packets.size() / which.channel.size() + which.channel[port]].pause();
    which.channel[port] = static_cast<std::uint8_t>(vc);
    return true;
}

void wave_recorder::show_packet(const side_signals& signals, const packet_tracker& packet) {
    if (signals.label == absent) return;
    set_text(signals.label, packet.label());
    const hw::format::common_header header = packet.common();
    set(signals.kind, packet.present() ? static_cast<unsigned>(packet.kind()) : no_packet);
    set(signals.up, header.up);
    set(signals.source, header.source);
    set(signals.sequence, header.sequence);
    set(signals.length, header.length);
    set(signals.destination, packet.destination());
    set_bytes(signals.destinations, packet.destinations());
    set(signals.stops, packet.stops());
    set(signals.next_stop, packet.next_stop());
    const hw::format::stop next = packet.stop().value_or(hw::format::stop{});
    set(signals.stop_switch, next.chip);
    set(signals.stop_ports, next.ports);
}

void wave_recorder::show_state(slot& chip) {
    if (!config_.state) return;
    const engine::chip_probe& probe = chip.next_probe;
    const std::vector<port_signals>& ports = chip.signals->ports;
    const std::size_t vcs = chip.chip->shape().vcs;
    for (std::size_t entry = 0; entry < std::min(ports.size() * vcs, probe.inputs.size()); ++entry) {
        const engine::chip_probe::input& input = probe.inputs[entry];
        const channel_signals& channel = ports[entry / vcs].channels[entry % vcs];
        set(channel.state, input.state);
        set(channel.occupied, input.occupied);
        set(channel.waiting, input.waiting);
        set(channel.reading, input.reading);
    }
    for (std::size_t entry = 0; entry < std::min(ports.size() * vcs, probe.outputs.size()); ++entry) {
        const engine::chip_probe::output& output = probe.outputs[entry];
        const channel_signals& channel = ports[entry / vcs].channels[entry % vcs];
        set(channel.held, output.held);
        set(channel.holder, output.holder);
        set(channel.credits, output.credits);
    }
    for (std::size_t index = 0; index < std::min(chip.signals->interfaces.size(), probe.interfaces.size()); ++index)
        show_interface(chip, chip.signals->interfaces[index], probe.interfaces[index]);
}

void wave_recorder::show_interface(const slot& chip, const interface_signals& signals,
                                   const engine::chip_probe::interface& state) {
    set(signals.processor, static_cast<std::uint64_t>(state.halted     ? processor_state::halted
                                                      : state.hung     ? processor_state::hung
                                                      : state.sleeping ? processor_state::sleeping
                                                                       : processor_state::running));
    set(signals.operation, state.operation);
    set(signals.interrupt, state.interrupt);
    set(signals.events, state.events);
    set(signals.slots, state.slots);
    set(signals.transfers, state.transfers);
    set(signals.sending, state.sending);
    set(signals.pc, state.pc);
    if (signals.function == absent) return;
    set_text(signals.function, sources_[static_cast<std::size_t>(&chip - chips_.data())].function_at(state.pc));
}

/// Right-aligned, as Verilog keeps a string in a vector; what is too long is cut.
void wave_recorder::set_text(std::size_t signal, std::string_view text) {
    text = text.substr(0, label_letters);
    std::array<std::uint8_t, label_letters> letters{};
    std::copy(text.rbegin(), text.rend(), letters.begin());
    set_bytes(signal, letters);
}

void wave_recorder::show_errors(slot& chip, const engine::pins& pins) {
    for_each_port(chip.out.shown.error | pins.error, [&](unsigned port) {
        const std::uint16_t errors = has(pins.error, port) ? pins.errors[port] : std::uint16_t{0};
        const unsigned name =
            std::popcount(errors) > 1 ? several_errors : static_cast<unsigned>(std::bit_width(errors));
        set(chip.signals->ports[port].error, errors);
        set(chip.signals->ports[port].error_name, name);
    });
    chip.out.shown.error = pins.error;
}

void wave_recorder::show_reference(slot& chip, const engine::pins& out, const engine::pins& core) {
    show_pins(chip, chip.core, &port_signals::core, core);
    for_each_port(chip.core.shown.error | core.error, [&](unsigned port) {
        set(chip.signals->ports[port].core_error, has(core.error, port) ? core.errors[port] : 0);
    });
    chip.core.shown.error = core.error;
    chip.ever_error |= core.error | out.error;
    chip.differs = engine::differing_ports(chip.chip->shape(), core, out);
    set(chip.signals->differs, chip.differs);
    if (chip.differs == 0 || time_ < config_.from) return;
    if (chip.first_differed == 0) chip.first_differed = chip.differs;
    chip.ever_differed |= chip.differs;
    if (!first_difference_) first_difference_ = time_;
}

/// Follows packets without showing them.
void wave_recorder::track(side& which, const engine::pins& pins, const engine::pin_shape& shape) {
    for_each_port(pins.valid, [&](unsigned port) {
        const bool head = has(pins.head, port);
        const auto data = std::span(pins.data).subspan(std::size_t{port} * shape.flit_bytes, shape.flit_bytes);
        const auto header = std::span(pins.header).subspan(std::size_t{port} * shape.header_bytes, shape.header_bytes);
        const unsigned vc = pins.vc.empty() ? 0 : pins.vc[port];
        if (vc >= shape.vcs) return;
        turn_to_channel(which, port, vc);
        packet_tracker& packet = which.packets[port * shape.vcs + which.channel[port]];
        packet.flit(head, has(pins.tail, port), data, head ? header : header.first(0));
        packet.pause();  // forgets it after its tail; a flit in the next cycle begins another one anyway
    });
}

void wave_recorder::set(std::size_t signal, std::uint64_t value) {
    if (signal == absent) return;
    std::uint64_t& word = values_[offsets_[signal]];
    if (word == value) return;
    word = value;
    if (open_) write(signal);
}

/// Bytes beyond the end of `bytes` are zero, those beyond the signal's width are left out.
void wave_recorder::set_bytes(std::size_t signal, std::span<const std::uint8_t> bytes) {
    if (signal == absent) return;
    const wave_signal& target = signals_.layout.signals[signal];
    std::uint64_t* words = values_.data() + offsets_[signal];
    bool changed = false;
    for (std::size_t word = 0, words_left = target.words(); words_left != 0; ++word, --words_left) {
        std::uint64_t value = 0;
        if (word * 8 < bytes.size())
            std::memcpy(&value, bytes.data() + word * 8, std::min<std::size_t>(bytes.size() - word * 8, 8));
        if (words_left == 1 && target.bits % 64 != 0) value &= (std::uint64_t{1} << target.bits % 64) - 1;
        changed |= words[word] != value;
        words[word] = value;
    }
    if (changed && open_) write(signal);
}

void wave_recorder::write(std::size_t signal) {
    if (written_time_ != time_) {
        writer_->set_time(time_ * signals_.units_per_cycle);
        written_time_ = time_;
    }
    ++changes_;
    writer_->change(signal, std::span(values_).subspan(offsets_[signal], signals_.layout.signals[signal].words()));
}

void wave_recorder::trigger(engine::cycle when) {
    if (triggered_ || !config_.trigger) return;
    triggered_ = when;
    config_.to = std::min(config_.to, when + config_.trigger->after + 1);
}

/// Writes what is kept in memory. \returns value changes
std::uint64_t wave_recorder::write_history(recording& result) {
    if (triggered_) {
        const engine::cycle first = *triggered_ - std::min(*triggered_, config_.trigger->before);
        history_->shorten((result.to - std::min(result.to, first)) * signals_.units_per_cycle);
    }
    result.from = std::max(result.from, history_->first_time() / signals_.units_per_cycle);
    const auto file = open_wave_writer(config_.format, config_.file, signals_.layout);
    history_->replay(*file);
    file->close();
    return history_->changes();
}

/// The cycle that a viewer shows first, for recordings that have one.
std::optional<engine::cycle> wave_recorder::mark(const recording& result) const {
    if (triggered_) return std::clamp(*triggered_, result.from, result.to - 1);
    if (first_difference_ && *first_difference_ >= result.from) return first_difference_;
    if (config_.last != 0) return result.to - 1;
    return std::nullopt;
}

recording wave_recorder::finish(engine::cycle end) {
    if (error_) std::rethrow_exception(error_);
    recording result;
    result.signals = signals_.layout.signals.size();
    result.trigger = triggered_;
    if (end <= config_.from || (config_.trigger && !triggered_)) {
        writer_.reset();
        stage_ = stage::after;
        return result;
    }
    config_.to = std::min(end, config_.to);
    enter(config_.from);
    advance(config_.to);
    stage_ = stage::after;
    result.from = config_.from;
    result.to = config_.to;
    writer_->set_time(result.to * signals_.units_per_cycle);
    if (history_ != nullptr) {
        result.changes = write_history(result);
    } else {
        writer_->close();
        result.changes = changes_;
    }
    writer_.reset();
    history_ = nullptr;

    std::vector<save_chip> chips;
    for (std::size_t index = 0; index < chips_.size(); ++index) {
        const slot& chip = chips_[index];
        chips.push_back(
            {chip.signals, sources_[index].name, sources_[index].peers, seen_since(chip.in.seen, result.from),
             seen_since(chip.out.seen, result.from), chip.first_differed, chip.ever_differed & ~chip.first_differed,
             chip.ever_error,
             std::ranges::any_of(chip.ends, [&](const auto& each) { return each.spoilt_since(result.from); })});
    }
    result.wave_file = config_.file;
    const engine::cycle first = first_flit_ == engine::never ? result.from : std::max(first_flit_, result.from);
    const std::optional<engine::cycle> marked = mark(result);
    const bool differs = !triggered_ && marked && marked == first_difference_;
    result.save_file = write_gtkwave_save(config_, signals_, chips, {result.from, result.to, first, marked, differs});
    result.written = true;
    return result;
}

}  // namespace polycast::tlm::trace
