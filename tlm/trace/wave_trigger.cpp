// SPDX-License-Identifier: Apache-2.0
#include "tlm/trace/wave_trigger.h"

#include <algorithm>
#include <bit>
#include <charconv>

#include "hw/format/packet_format.h"

namespace polycast::tlm::trace {

namespace engine = hw::engine;
using engine::cycle;

namespace {

std::optional<std::uint32_t> number_in(std::string_view text) {
    std::uint32_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (text.empty() || error != std::errc{} || stop != end) return std::nullopt;
    return number;
}

constexpr std::uint16_t bit_of(hw::format::chip_error error) {
    return static_cast<std::uint16_t>(error);
}

using hw::format::chip_error;
/// Of the packet at the front of the input, when its route is decided.
constexpr auto refused = static_cast<std::uint16_t>(bit_of(chip_error::short_header) | bit_of(chip_error::bad_kind) |
                                                    bit_of(chip_error::no_route) | bit_of(chip_error::partial_route));
/// Of the packet that comes in.
constexpr auto cut = static_cast<std::uint16_t>(bit_of(chip_error::overflow) | bit_of(chip_error::too_long));
/// Of a flit that may belong to no packet.
constexpr auto stray = static_cast<std::uint16_t>(bit_of(chip_error::missing_head) | bit_of(chip_error::bad_vc));

}  // namespace

std::optional<packet_choice> packet_choice::from(const std::string& text) {
    const std::size_t hash = text.find('#');
    packet_choice choice;
    if (hash == std::string::npos) {
        choice.number = number_in(text);
        return choice.number ? std::optional(choice) : std::nullopt;
    }
    std::string_view host = std::string_view(text).substr(0, hash);
    if (host.starts_with("host")) host.remove_prefix(4);
    const auto source = number_in(host);
    const auto sequence = number_in(std::string_view(text).substr(hash + 1));
    if (!source || !sequence) return std::nullopt;
    choice.source_and_sequence = {*source, *sequence};
    return choice;
}

wave_trigger::wave_trigger(const trigger_config& config, triggered_network network, const log_window& window,
                           std::function<void(cycle)> fire)
    : config_(config), network_(std::move(network)), window_(window), fire_(std::move(fire)) {
    chips_.resize(network_.shapes.size());
    for (std::size_t id = 0; id < chips_.size(); ++id) {
        const logged_chip& description = network_.description.chips[id];
        watched_chip& chip = chips_[id];
        chip.host = description.kind == "host";
        chip.cable = description.kind == "cable";
        chip.switching = description.kind == "switch" || description.kind == "router";
        const engine::pin_shape& shape = network_.shapes[id];
        chip.cables.resize(shape.ports);
        chip.most.resize(shape.ports, UINT32_MAX);
        chip.full_since.resize(std::size_t{shape.ports} * shape.vcs, engine::never);
        for (const logged_chip::cable& cable : description.cables) chip.cables[cable.port] = &cable;
    }
    for (const logged_chip& from_chip : network_.description.chips)
        for (const logged_chip::cable& cable : from_chip.cables)
            chips_[cable.to_chip].most[cable.to_port] = (cable.buffer - cable.room) / network_.chunk_flits;
    using event = trigger_event;
    if (config_.event != event::error && config_.event != event::full && config_.event != event::fault) {
        packet_store& found = *this;
        log_ = std::make_unique<packet_log>(network_.shapes, network_.headers, log_window{}, found);
    }
}

void wave_trigger::stepped(engine::chip_id id, cycle now, const engine::pins& in, const engine::pins& out,
                           const engine::chip& chip) {
    if (fired_) return;
    if (now != now_) end_cycle(now);
    if (fired_) return;
    now_ = now;
    if (log_) log_->stepped(id, now, in, out, chip);
    if (config_.event == trigger_event::full) return watch_buffers(id, now + 1, chip);
    if (config_.event == trigger_event::fault) return chips_[id].host ? watch_host(id, chip) : watch_wires(id, chip);
    for (std::uint64_t set = out.error; set != 0; set &= set - 1) {
        const auto port = static_cast<unsigned>(std::countr_zero(set));
        if (out.errors[port] != 0) raised_.push_back({id, port, out.errors[port], now + 1});
    }
    if (config_.event == trigger_event::error && !out.events.empty() && wanted(id)) happened(now + 1);
}

void wave_trigger::finish(cycle end) {
    if (!fired_ && end != 0) end_cycle(end - 1);
}

/// All chips have been stepped in the cycle before; `next` is the last one whose state is known.
void wave_trigger::end_cycle(cycle next) {
    if (log_) log_->finish();
    std::ranges::sort(raised_, {}, [](const raised_error& e) { return std::pair(e.chip, e.port); });
    for (const raised_error& error : raised_) take_error(error);
    raised_.clear();
    for (; struck_ != 0; --struck_) happened(now_);
    for (; hung_ != 0; --hung_) happened(now_ + 1);
    while (!full_.empty() && full_.begin()->first + config_.cycles - 1 <= next && !fired_) {
        happened(full_.begin()->first + config_.cycles - 1);
        full_.erase(full_.begin());  // it counts again when it has been free in between
    }
}

void wave_trigger::add(const logged_packet& packet) {
    const auto& choice = config_.packet;
    if (choice && !choice->number && choice->source_and_sequence == std::pair(packet.source, packet.sequence))
        chosen_ = packet.number;
    heads_.push_back(engine::never);
}

void wave_trigger::begun(const passage& sofar, cycle when) {
    const bool first = heads_[sofar.packet] == engine::never;
    if (first) heads_[sofar.packet] = sofar.head;
    if (config_.event == trigger_event::passes || (config_.event == trigger_event::injected && first))
        consider(sofar.packet, sofar.chip, when);
    if (config_.event != trigger_event::dropped) return;
    leave_input(sofar, when);
    const logged_chip::cable* cable = chips_[sofar.chip].cables[sofar.port];
    if (cable == nullptr || !chips_[cable->to_chip].switching) return;
    std::vector<input_lane>& lanes = chips_[cable->to_chip].inputs;
    auto lane =
        std::ranges::find_if(lanes, [&](const input_lane& l) { return l.port == cable->to_port && l.vc == sofar.vc; });
    if (lane == lanes.end()) lane = lanes.insert(lane, input_lane{cable->to_port, sofar.vc, {}});
    lane->packets.push_back({sofar.packet, when + cable->delay});
}

/// A packet leaves a chip: earlier packets of the same lane that have not left never will.
void wave_trigger::leave_input(const passage& sofar, cycle when) {
    for (input_lane& lane : chips_[sofar.chip].inputs) {
        const auto place = std::ranges::find(lane.packets, sofar.packet, &waiting::packet);
        if (place == lane.packets.end()) continue;
        for (auto before = lane.packets.begin(); before != place; ++before) consider(before->packet, sofar.chip, when);
        lane.packets.erase(lane.packets.begin(), place + 1);
        return;
    }
}

void wave_trigger::take_error(const raised_error& error) {
    if (config_.event == trigger_event::error) {
        if (wanted(error.chip)) happened(error.when);
        return;
    }
    if (config_.event != trigger_event::dropped) return;
    watched_chip& chip = chips_[error.chip];
    // Of several virtual channels each may be meant: the pin names only the port.
    for (input_lane& lane : chip.inputs) {
        if (lane.port != error.port) continue;
        const auto here = std::ranges::partition_point(
            lane.packets, [&](const waiting& packet) { return packet.arrives < error.when; });
        if (here == lane.packets.begin()) continue;
        if ((error.errors & refused) != 0) consider(lane.packets.front().packet, error.chip, error.when);
        if ((error.errors & cut) != 0) consider((here - 1)->packet, error.chip, error.when);
        const bool gone = (error.errors & refused & ~bit_of(chip_error::partial_route)) != 0;
        if (gone && network_.shapes[error.chip].vcs == 1) lane.packets.pop_front();
    }
    if ((error.errors & stray) != 0 && !config_.packet && wanted(error.chip)) happened(error.when);
}

void wave_trigger::add(const passage& passage) {
    if (config_.event != trigger_event::delivered && config_.event != trigger_event::latency) return;
    const logged_chip::cable* cable = chips_[passage.chip].cables[passage.port];
    if (cable == nullptr || !chips_[cable->to_chip].host) return;
    const cycle when = passage.tail + cable->delay;
    if (config_.event == trigger_event::latency && when - heads_[passage.packet] < config_.cycles) return;
    consider(passage.packet, cable->to_chip, when);
}

/// After a step the state of chip `id` is that of cycle `when`.
void wave_trigger::watch_buffers(engine::chip_id id, cycle when, const engine::chip& chip) {
    watched_chip& watched = chips_[id];
    if (!watched.switching || !wanted(id)) return;
    chip.probe(probe_);
    const std::size_t vcs = network_.shapes[id].vcs;
    for (std::size_t entry = 0; entry < std::min(probe_.inputs.size(), watched.full_since.size()); ++entry) {
        const bool full = probe_.inputs[entry].occupied > watched.most[entry / vcs];
        cycle& since = watched.full_since[entry];
        if (full == (since != engine::never)) continue;
        const std::uint64_t key = std::uint64_t{id} << 32 | entry;
        if (full) {
            full_.emplace(when, key);
        } else {
            full_.erase({since, key});
        }
        since = full ? when : engine::never;
    }
}

/// After a step: faults that began on wires of cable `id` in this cycle.
void wave_trigger::watch_wires(engine::chip_id id, const engine::chip& chip) {
    if (!chips_[id].cable || !wanted(id)) return;
    chip.probe(probe_);
    for (unsigned end = 0; end < probe_.ends.size(); ++end) {
        const bool away = !config_.end || *config_.end != end;
        if (away && probe_.ends[end].struck != 0) ++struck_;
    }
}

/// After a step, which leaves the state of the next cycle: a processor of host `id` stands still from there on.
void wave_trigger::watch_host(engine::chip_id id, const engine::chip& chip) {
    if (config_.chip) return;  // a wire
    chip.probe(probe_);
    const bool hung = std::ranges::any_of(probe_.interfaces, &engine::chip_probe::interface::hung);
    if (hung && !chips_[id].hung) ++hung_;
    chips_[id].hung = hung;
}

/// It happens to a packet, at a chip.
void wave_trigger::consider(std::uint32_t packet, engine::chip_id chip, cycle when) {
    if (!wanted(chip)) return;
    if (config_.packet && (config_.packet->number ? config_.packet->number : chosen_) != packet) return;
    happened(when);
}

void wave_trigger::happened(cycle when) {
    if (fired_ || when < window_.from || when >= window_.to || ++count_ != config_.occurrence) return;
    fired_ = true;
    fire_(when);
}

}  // namespace polycast::tlm::trace
