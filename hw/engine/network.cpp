// SPDX-License-Identifier: Apache-2.0
#include "hw/engine/network.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "hw/engine/network_part.h"
#include "hw/engine/rank_runner.h"
#include "hw/engine/team.h"
#include "hw/input_error.h"

namespace polycast::hw::engine {

namespace {

bool has_side(const pin_shape& shape, unsigned port) {
    return (shape.side_ports >> port & 1) != 0;
}

/// Least cycles from an output of one of `parts` to an input of another, and one more.
cycle shortest_cut(const network_chips& chips, std::size_t parts) {
    cycle shortest = never;
    for (const chip_node& node : chips.nodes) {
        for (std::size_t port = 0; port < node.shape->ports; ++port) {
            const link_state& link = chips.links[node.first_link + port];
            if (link.to.chip == chip_network::no_chip || link.to_part == node.part) continue;
            if (std::max(link.to_part, node.part) < parts) shortest = std::min(shortest, cycle{1} + link.delay);
        }
    }
    return shortest;
}

using part_list = std::vector<std::unique_ptr<network_part>>;

/// By cycle and chip; null if no step failed.
const network_part::failed_step* first_failure(const part_list& parts) {
    const network_part::failed_step* first = nullptr;
    for (const std::unique_ptr<network_part>& part : parts) {
        const network_part::failed_step& own = part->failure();
        if (!own.what) continue;
        if (first == nullptr || std::pair(own.when, own.chip) < std::pair(first->when, first->chip)) first = &own;
    }
    return first;
}

}  // namespace

network::network(threading threads)
    : chips_(std::make_unique<network_chips>()),
      threading_(std::move(threads)),
      past_(std::make_unique<part_counters>()) {
    if (threading_.ranks && threading_.ranks->size() > 1) ranks_ = std::make_unique<rank_runner>(*this);
}

network::~network() = default;

chip_id network::add(std::unique_ptr<chip> chip, std::string name) {
    const pin_shape& shape = chip->shape();
    const auto id = static_cast<chip_id>(chips_->nodes.size());
    effects* const told = chip->told();
    if (chip->warning() != 0) warning_ = std::min(warning_, chip->warning());
    chips_->nodes.push_back({.chip = std::move(chip),
                             .name = std::move(name),
                             .shape = &shape,
                             .in = pins(shape),
                             .first_link = chips_->links.size(),
                             .told = told});
    chips_->links.resize(chips_->links.size() + shape.ports);
    return id;
}

void network::check_port(port_id port) const {
    if (port.chip >= size() || port.port >= at(port.chip).shape().ports) {
        throw input_error("link: there is no port " + std::to_string(port.port) + " on chip " +
                          std::to_string(port.chip));
    }
    const link_state& link = chips_->link(port);
    if (link.to.chip != no_chip || link.outside != nullptr) {
        throw input_error("link: port " + std::to_string(port.port) + " of " + name(port.chip) + " is taken");
    }
}

void network::connect(port_id a, port_id b, const link_params& params) {
    check_port(a);
    check_port(b);
    const pin_shape& shape_a = at(a.chip).shape();
    const pin_shape& shape_b = at(b.chip).shape();
    if (shape_a.flit_bytes != shape_b.flit_bytes || shape_a.header_bytes != shape_b.header_bytes) {
        throw input_error("link: flits of " + name(a.chip) + " and " + name(b.chip) + " have different sizes");
    }
    if (shape_a.vcs != shape_b.vcs) {
        throw input_error("link: " + name(a.chip) + " and " + name(b.chip) +
                          " have different numbers of virtual channels");
    }
    if (has_side(shape_a, a.port) != has_side(shape_b, b.port)) {
        throw input_error("link: of " + name(a.chip) + " and " + name(b.chip) + " only one has side wires");
    }
    if (shape_a.whole_packets(a.port) != shape_b.whole_packets(b.port)) {
        throw input_error("link: of " + name(a.chip) + " and " + name(b.chip) + " only one takes whole packets");
    }
    chips_->link(a) = {.to = b, .delay = params.delay, .chunk_flits = params.chunk_flits};
    chips_->link(b) = {.to = a, .delay = params.delay, .chunk_flits = params.chunk_flits};
}

std::unique_ptr<chip> network::stand_in(chip_id id) {
    return ranks_ ? ranks_->stand_in(id) : nullptr;
}

void network::complete() {
    if (ranks_) ranks_->complete();
}

void network::connect(port_id port, outside& outside, unsigned lookahead) {
    check_port(port);
    if (at(port.chip).shape().whole_packets(port.port))
        throw input_error("link: " + name(port.chip) + " takes whole packets, which cannot leave the network");
    if (ranks_) throw input_error("link: networks of several ranks have no outside");
    chips_->link(port) = {.delay = std::max(lookahead, 1u), .outside = &outside};
}

/// The part that takes an arrival from outside in cycle `when`.
network_part& network::injected(port_id port, cycle when) {
    if (parts_.empty()) start();
    network_part& part = *parts_[chips_->nodes[port.chip].part];
    if (when < now() || when - now() >= part.slots()) {
        throw input_error("link: an arrival at port " + std::to_string(port.port) + " of " + name(port.chip) +
                          " in cycle " + std::to_string(when) + " cannot be taken in cycle " + std::to_string(now()));
    }
    part.count_arrival();
    return part;
}

void network::inject_flit(port_id port, cycle when, const flit& flit) {
    network_part::arrivals& slot = injected(port, when).slot_at(when);
    const pin_shape& shape = at(port.chip).shape();
    const auto offset = static_cast<std::uint32_t>(slot.bytes.size());
    if (shape.flit_bytes != 1) slot.bytes.insert(slot.bytes.end(), flit.data, flit.data + shape.flit_bytes);
    if (flit.head && shape.header_bytes != 0)
        slot.bytes.insert(slot.bytes.end(), flit.header, flit.header + shape.header_bytes);
    slot.flits.push_back({port.chip, static_cast<std::uint8_t>(port.port), network_part::ends(flit.head, flit.tail),
                          flit.vc, shape.flit_bytes == 1 ? *flit.data : std::uint8_t{0}, offset});
}

void network::inject_credit(port_id port, cycle when, std::uint8_t vc) {
    injected(port, when).slot_at(when).credits.push_back({port.chip, static_cast<std::uint8_t>(port.port), vc});
}

void network::inject_side(port_id port, cycle when, const side_state& state) {
    injected(port, when).slot_at(when).sides.push_back({port.chip, static_cast<std::uint8_t>(port.port), state});
}

cycle network::now() const {
    return parts_.empty() ? 0 : parts_.front()->now();
}

void network::skip_to(cycle to) {
    if (!parts_.empty()) end_at(std::max(now(), std::min(to, next_activity())));
}

void network::end_at(cycle when) {
    for (const std::unique_ptr<network_part>& part : parts_) part->set_now(when);
}

const chip& network::at(chip_id id) const {
    return *chips_->nodes[id].chip;
}

chip& network::at(chip_id id) {
    return *chips_->nodes[id].chip;
}

bool network::idle(chip_id id) const {
    if (const auto [a, b] = halves_of(id); a != no_chip) return idle(a) && idle(b);
    return ranks_ ? ranks_->idle(id) : at(id).idle();
}

bool network::finished(chip_id id) const {
    if (const auto [a, b] = halves_of(id); a != no_chip) return finished(a) && finished(b);
    return ranks_ ? ranks_->finished(id) : at(id).finished();
}

void network::probe(chip_id id, chip_probe& probe) const {
    if (const auto [a, b] = halves_of(id); a != no_chip) {
        std::array<chip_probe, 2> said;
        this->probe(a, said[0]);
        this->probe(b, said[1]);
        probe = at(id).joined(said);
        return;
    }
    ranks_ ? ranks_->probe(id, probe) : at(id).probe(probe);
}

chip_report network::report(chip_id id) const {
    if (const auto [a, b] = halves_of(id); a != no_chip) return at(id).joined(std::array{report(a), report(b)});
    return ranks_ ? ranks_->report(id) : at(id).report();
}

const std::string& network::name(chip_id id) const {
    return chips_->nodes[id].name;
}

std::size_t network::size() const {
    return chips_->whole();
}

port_id network::peer(port_id port) const {
    const port_id to = chips_->link(chips_->inner(port)).to;
    return to.chip == no_chip ? to : chips_->outer(to);
}

void link_statistics::occupy(cycle when, int change) {
    occupied_cycles += std::uint64_t{occupied} * (when - since);
    since = when;
    occupied += static_cast<std::uint32_t>(change);
    occupied_max = std::max(occupied_max, occupied);
}

void link_statistics::uncredited_arrived(bool head) {
    ++flits;
    if (head) ++packets;
}

void link_statistics::flit_arrived(cycle when, bool head, unsigned chunk_flits) {
    ++flits;
    if (head) {
        ++packets;
        offset = 0;
    }
    if (offset == 0) occupy(when, 1);
    if (++offset == chunk_flits) offset = 0;
}

link_statistics network::statistics(port_id port) const {
    const port_id at = chips_->inner(port);
    const std::uint32_t part = chips_->nodes[at.chip].part;
    link_statistics statistics = part < parts_.size() ? parts_[part]->statistics(at) : chips_->link(at).into;
    statistics.occupy(std::max(now(), statistics.since), 0);
    return statistics;
}

part_counters network::counted() const {
    part_counters all = *past_;
    for (const std::unique_ptr<network_part>& part : parts_) all += part->counters();
    return all;
}

/// A count without the records beside it, which may be many: SystemC asks in every cycle.
std::uint64_t network::total(std::uint64_t part_counters::*count) const {
    std::uint64_t all = (*past_).*count;
    for (const std::unique_ptr<network_part>& part : parts_) all += part->counters().*count;
    return ranks_ ? all + ranks_->others().*count : all;
}

/// With what other ranks said.
part_counters network::everywhere() const {
    part_counters all = counted();
    if (ranks_) all += ranks_->others();
    return all;
}

std::vector<error_event> network::errors() const {
    return everywhere().errors;
}

std::uint64_t network::error_count() const {
    return total(&part_counters::error_count);
}

std::vector<event_record> network::events() const {
    return everywhere().events;
}

std::uint64_t network::event_count() const {
    return total(&part_counters::event_count);
}

cycle network::last_flit() const {
    cycle last = past_->last_flit;
    for (const std::unique_ptr<network_part>& part : parts_) last = std::max(last, part->counters().last_flit);
    return ranks_ ? std::max(last, ranks_->others().last_flit) : last;
}

std::uint64_t network::chip_steps() const {
    return total(&part_counters::chip_steps);
}

std::uint64_t network::flit_hops() const {
    return total(&part_counters::flit_hops);
}

std::uint64_t network::packet_hops() const {
    return total(&part_counters::packet_hops);
}

void network::observe(observer* observer) {
    chips_->observer = observer;
    chips_->watching = observer != nullptr ? watching::at_once : watching::nobody;
    if (observer == nullptr) return;
    for (const chip_node& node : chips_->nodes) node.chip->watch();
}

void network::count_beside(std::function<std::string()> give, std::function<void(const std::string&)> take) {
    if (ranks_) ranks_->count_beside(std::move(give), std::move(take));
}

std::optional<rank_costs> network::costs_of_ranks() const {
    return ranks_ ? std::optional(ranks_->costs()) : std::nullopt;
}

std::vector<std::uint32_t> network::part_of() const {
    std::vector<std::uint32_t> all;
    for (chip_id id = 0; id < size(); ++id) all.push_back(chips_->nodes[id].part);
    return all;
}

std::size_t network::memory_bytes() const {
    std::size_t bytes =
        sizeof *this + chips_->nodes.capacity() * sizeof(chip_node) + chips_->links.capacity() * sizeof(link_state);
    for (const chip_node& node : chips_->nodes)
        bytes += node.in.data.capacity() + node.in.header.capacity() + node.in.errors.capacity() * 2;
    for (const std::unique_ptr<network_part>& part : parts_) bytes += part->memory_bytes();
    return bytes;
}

/// First step: sizes what depends on all chips and links.
void network::start() {
    cut();
    if (ranks_) ranks_->deal();
    make_parts(partition(), true);
    if (own_threads() > 1) team_ = std::make_unique<team>(own_threads(), threading_.always);
    for (chip_id id = 0; id < chips_->nodes.size(); ++id)
        if (at(id).warning() != 0 && chips_->nodes[id].part < parts_.size()) announcing_.push_back(id);
}

/// Makes the parts, and gives them what those before them held.
void network::make_parts(const std::vector<std::uint32_t>& part_of, bool first) {
    unsigned longest = 1;
    for (const chip_node& node : chips_->nodes) {
        const pin_shape& shape = *node.shape;
        for (unsigned port = 0; port < shape.ports; ++port)
            if (!shape.whole_packets(port)) longest = std::max(longest, chips_->links[node.first_link + port].delay);
    }
    std::vector<network_part::contents> held;
    const cycle begin = now();
    for (const std::unique_ptr<network_part>& part : parts_) {
        part->collect(parts_);
        held.push_back(part->release());
    }
    *past_ = counted();
    const std::uint32_t parts = own_parts();
    parts_.clear();
    // An event lies up to delay + 1 cycles ahead while the present slot is still being read.
    const std::size_t slots = std::bit_ceil(longest + 2u);
    for (std::uint32_t index = 0; index < own_threads(); ++index)
        parts_.push_back(std::make_unique<network_part>(*chips_, index, parts, slots));
    if (threading_.foreign) parts_.push_back(threading_.foreign->make(*chips_, parts - 1, parts, slots));
    for (const std::unique_ptr<network_part>& part : parts_) part->set_now(begin);
    for (chip_id id = 0; id < chips_->nodes.size(); ++id) {
        chips_->nodes[id].steps = 0;
        chips_->nodes[id].part = part_of[id];
        if (part_of[id] < parts && chips_->nodes[id].halves == no_chip) parts_[part_of[id]]->add(id, first);
    }
    for (link_state& link : chips_->links)
        if (link.to.chip != no_chip) link.to_part = chips_->nodes[link.to.chip].part;
    for (const std::unique_ptr<network_part>& part : parts_)
        for (const network_part::contents& one : held) part->take(one);
    window_ = std::min(shortest_cut(*chips_, parts), warning_);
    // What a thread does to common objects, foreign chips of its process see in the next cycle.
    std::optional<std::uint32_t> common;
    for (const chip_node& node : chips_->nodes) {
        if (node.part >= parts || node.chip->shared() == nullptr) continue;
        if (common && *common != node.part && threading_.foreign) window_ = 1;
        common = node.part;
    }
}

cycle network::next_activity() const {
    cycle next = parts_.empty() ? now() : never;
    for (const std::unique_ptr<network_part>& part : parts_) next = std::min(next, part->next_activity());
    return next;
}

/// By chips that are stepped here; never: no end is in sight.
std::pair<cycle, chip_id> network::announced_end() const {
    std::pair<cycle, chip_id> first{never, 0};
    for (const chip_id id : announcing_) first = std::min(first, {at(id).ends_run_in(), id});
    return first;
}

void network::stop_at(cycle when, chip_id chip) {
    for (const std::unique_ptr<network_part>& part : parts_) part->stop_at(when, chip);
}

void network::rethrow_failure() {
    const network_part::failed_step* const first = first_failure(parts_);
    if (first == nullptr) return;
    end_at(first->when);
    std::rethrow_exception(first->what);
}

/// One window of all parts, up to cycle `end`.
void network::run_window(cycle end, const std::function<bool()>& stop) {
    if (parts_.size() == 1) {
        parts_.front()->run(end, parts_, stop);
        if (!ranks_) rethrow_failure();
        return;
    }
    if (team_) {
        team_->each([&](unsigned index) { parts_[index]->run(end, parts_); });
    } else {
        parts_.front()->run(end, parts_);
    }
    if (threading_.foreign) parts_.back()->run(end, parts_);
    if (ranks_) return;
    std::vector<effect_log*> logs;
    for (const std::unique_ptr<network_part>& part : parts_)
        if (!part->log().empty()) logs.push_back(&part->log());
    if (!logs.empty()) {
        const network_part::failed_step* const failed = first_failure(parts_);
        failed == nullptr ? effect_log::act(logs) : effect_log::act(logs, {}, {}, failed->when, failed->chip);
    }
    rethrow_failure();
}

cycle network::quiet_from() const {
    cycle last = 0;
    for (const std::unique_ptr<network_part>& part : parts_) last = std::max(last, part->quiet_from());
    return last;
}

bool network::run(cycle end, const std::function<bool()>& stop) {
    if (parts_.empty()) start();
    const cycle begin = now();
    while (true) {
        const cycle next = next_activity();
        if (next >= end) {
            end_at(next == never ? std::max(begin, quiet_from()) : std::max(now(), end));
            return next == never;
        }
        if (parts_.size() == 1) {
            run_window(end, stop);
            if (parts_.front()->stopped()) return true;
            continue;
        }
        // Who watches is shown one cycle after the other.
        const cycle window = stop || chips_->watching == watching::at_once ? 1 : window_;
        end_at(next);
        const auto [last, chip] = announced_end();
        stop_at(last, chip);
        run_window(next + std::min({window, end - next, cycles_through(next, last)}), {});
        if (stop && stop()) return true;
    }
}

/// Of several ranks: simulates the chips of this one up to cycle `end`, unless a step fails.
void network::run_until(cycle end) {
    while (first_failure(parts_) == nullptr) {
        const cycle next = next_activity();
        if (next >= end) return end_at(end);
        end_at(next);
        run_window(next + std::min(window_, end - next), {});
    }
}

/// Deals the chips anew if what they did since the last time took some parts much more time than others.
void network::balance() {
    if (!team_ || !threading_.part_of.empty() || threading_.foreign) return;
    std::vector<double> time(parts_.size());
    double all = 0;
    for (const chip_node& node : chips_->nodes) {
        const double own = static_cast<double>(node.chip->step_cost()) * node.steps;
        time[node.part] += own;
        all += own;
    }
    constexpr double tolerance = 1.1;
    if (*std::ranges::max_element(time) * static_cast<double>(parts_.size()) <= tolerance * all) return;
    make_parts(partition(), false);
}

void network::run_slices(const slices& how, const std::function<bool(bool over)>& look) {
    if (ranks_) return ranks_->run_slices(how, look);
    unsigned next_balance = 1;
    for (unsigned slice = 1; !look(run(how.end_of(now()), {})); ++slice) {
        if (slice != next_balance) continue;
        balance();
        next_balance *= 2;
    }
}

}  // namespace polycast::hw::engine
