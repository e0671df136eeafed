// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/campaign/fault_draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/random/uniform_int_distribution.hpp>
#include <iterator>
#include <map>
#include <set>

#include "hw/chips/link/link_upset.h"
#include "hw/ni/memory_upset.h"
#include "hw/traffic/random.h"

namespace polycast::tlm::sim {

using hw::engine::cycle;
using hw::format::upset_memory;
using random = hw::traffic::random_stream;

namespace {

std::uint64_t below(random& stream, std::uint64_t end) {
    return boost::random::uniform_int_distribution<std::uint64_t>(0, end - 1)(stream);
}

/// By the name: further classes change nothing.
std::uint64_t family_of(std::uint64_t seed, fault_class of) {
    for (const char letter : name_of(of)) seed = random(seed, static_cast<unsigned char>(letter))();
    return seed;
}

bool is_flip(fault_class of) {
    return of <= fault_class::burst64;
}
bool is_dead(fault_class of) {
    return of == fault_class::dead_short || of == fault_class::dead_long || of == fault_class::dead_ever;
}

/// The memory of a switch or router that is struck.
std::optional<upset_memory> memory_of(fault_class of) {
    if (of == fault_class::upset_buffer) return upset_memory::buffer;
    if (of == fault_class::upset_routes) return upset_memory::routes;
    if (of == fault_class::upset_credits) return upset_memory::credits;
    return std::nullopt;
}

/// Of a flit in a buffer or a slot in use, cycles at the end of which it is there.
template <typename stored>
std::uint64_t stay(const golden_run& run, const stored& what) {
    const cycle end = std::min(what.until, run.end());
    return end > what.from ? end - what.from : 0;
}

constexpr std::uint32_t first_own_word = hw::ni::slot_header_words;
constexpr std::uint32_t own_words = hw::ni::slot_header_bytes / 4 - first_own_word;

/// Bits of a slot that can be upset.
std::uint64_t slot_bits(const interface_log& log) {
    return std::uint64_t{log.word_bits} * (log.slot_words - (log.own_words ? 0 : own_words));
}

std::string upset_yaml(const std::string& chip, std::string_view memory, cycle at, std::uint64_t index,
                       std::uint64_t bit) {
    return fmt::format("[{{what: upset, chip: '{}', memory: {}, at: {} cycle, index: {}, bit: {}}}]", chip, memory, at,
                       index, bit);
}

/// Routes to hosts that a chip has in use.
std::uint64_t routes_of(const golden_run& run, const chip_log& log) {
    if (log.memory(upset_memory::routes).words == 0) return 0;
    return log.host_tables * run.hosts.size();
}

/// Cycles with what a class strikes; null: any cycle.
const std::vector<cycle>* struck(const direction_log& log, fault_class of) {
    switch (of) {
        case fault_class::lost_flit: return &log.flits;
        case fault_class::lost_credit:
        case fault_class::double_credit: return &log.credits;
        case fault_class::lost_set: return &log.sets;
        default: return is_flip(of) ? &log.used : nullptr;
    }
}

/// Flips of single wires, by cycle.
using flips = std::map<cycle, std::set<unsigned>>;

std::string flips_yaml(const std::string& from, const flips& all) {
    std::string text;
    for (const auto& [at, wires] : all)
        text += fmt::format("{}{{what: flip, link: '{}', at: {} cycle, bits: [{}]}}", text.empty() ? "" : ", ", from,
                            at, fmt::join(wires, ", "));
    return text;
}

/// Of an error of several bits: within this many cycles, which a frame of eight flits takes.
constexpr unsigned spread = 8;

flips scattered(random& stream, unsigned count, cycle at, unsigned wire, unsigned wires) {
    flips all{{at, {wire}}};
    for (unsigned made = 1; made < count;) {
        const std::uint64_t bit = below(stream, std::uint64_t{wires} * spread);
        if (all[at + bit / wires].insert(static_cast<unsigned>(bit % wires)).second) ++made;
    }
    std::erase_if(all, [](const auto& each) { return each.second.empty(); });
    return all;
}

/// Neighbouring bits in the order of cycles, then of wires, as a burst of hw/faults.
flips burst(random& stream, unsigned length, cycle at, unsigned wire, unsigned wires) {
    flips all;
    for (unsigned index = 0; index < length; ++index) {
        const std::uint64_t bit = wire + index;
        if (index == 0 || index == length - 1 || (stream() & 1) != 0)
            all[at + bit / wires].insert(static_cast<unsigned>(bit % wires));
    }
    return all;
}

/// Cycles of the shortest and the longest timeout of a cable. Without a layer nothing waits for a time.
struct timeouts {
    cycle shortest = 100, longest = 10000;
};

timeouts timeouts_of(const cable_log& cable) {
    if (!cable.layer) return {};
    const hw::chips::link_config& config = cable.config;
    std::vector<cycle> all{config.signal_timeout, config.age_timeout, config.lifetime, config.credit_timer};
    if (config.retries()) all.push_back(config.replay_timer);
    std::erase(all, cycle{0});
    return {*std::ranges::min_element(all), *std::ranges::max_element(all)};
}

std::uint64_t ring_cycles(const golden_run& run, const std::vector<ring_level>& levels) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const cycle end = i + 1 < levels.size() ? levels[i + 1].from : std::max(run.end(), levels[i].from);
        sum += (end - levels[i].from) * levels[i].flits;
    }
    return sum;
}

}  // namespace

fault_draw::fault_draw(const std::vector<golden_run>& runs, fault_class of, draw_options options)
    : runs_(runs), class_(of), options_(options) {
    weigh();
    population_ = weights_.empty() ? 0 : weights_.back().until;
    if (population_ == 0 && !why_none_) why_none_ = "nothing that it could strike happens in the run";
}

void fault_draw::add(std::size_t run, std::size_t index, std::uint64_t weight) {
    if (weight == 0) return;
    weights_.push_back({run, index, (weights_.empty() ? 0 : weights_.back().until) + weight});
}

/// Of a direction for faults of wires.
std::uint64_t fault_draw::weight_of(const golden_run& run, std::size_t direction) const {
    const direction_log& log = run.directions[direction];
    const std::uint64_t bits = is_flip(class_) || class_ == fault_class::stuck ? log.wires : 1;
    const std::vector<cycle>* const cycles = struck(log, class_);
    if (cycles == nullptr || (options_.raw && is_flip(class_))) return run.end() * bits;
    return cycles->size() * bits;
}

void fault_draw::weigh() {
    for (std::size_t r = 0; r < runs_.size(); ++r) {
        const golden_run& run = runs_[r];
        if (class_ == fault_class::hang) {
            for (std::size_t host = 0; host < run.hosts.size(); ++host) add(r, host, run.end());
            continue;
        }
        if (const std::optional<upset_memory> memory = memory_of(class_)) {
            for (std::size_t chip = 0; chip < run.chips.size(); ++chip) add(r, chip, chip_weight(run, chip));
            if (std::ranges::all_of(run.chips, [&](const chip_log& log) { return log.memory(*memory).words == 0; }))
                why_none_ = "no chip has such a memory";
            continue;
        }
        if (class_ == fault_class::upset_packets) {
            for (std::size_t i = 0; i < run.interfaces.size(); ++i) add(r, i, slots_weight(run, i));
            continue;
        }
        const bool ends = class_ == fault_class::upset_ring || class_ == fault_class::upset_counters;
        for (std::size_t d = 0; d < run.directions.size(); ++d) {
            const cable_log& cable = run.cables[run.directions[d].cable];
            if ((ends || class_ == fault_class::dead_ever || class_ == fault_class::lost_set) && !cable.layer) {
                why_none_ = class_ == fault_class::dead_ever
                                ? "without a link layer a dead cable holds its chips for ever"
                                : "there is no link layer";
                continue;
            }
            if (class_ == fault_class::upset_ring) {
                add(r, d, ring_cycles(run, cable.rings[d % 2]) * hw::chips::ring_bits(cable.config));
            } else if (class_ == fault_class::upset_counters) {
                add(r, d, run.end() * 4 * cable.config.vcs * hw::chips::counter_bits(cable.config));
            } else if (!is_dead(class_) || d % 2 == 0) {  // both directions die
                add(r, d, weight_of(run, d));
            }
        }
    }
    if (!weights_.empty()) why_none_.reset();
}

fault_draw::place fault_draw::find(std::uint64_t number) const {
    const auto found = std::ranges::upper_bound(weights_, number, {}, &weighted::until);
    const std::uint64_t before = found == weights_.begin() ? 0 : std::prev(found)->until;
    return {found->run, found->index, number - before};
}

std::uint64_t fault_draw::slots_weight(const golden_run& run, std::size_t interface) const {
    const interface_log& log = run.interfaces[interface];
    std::uint64_t sum = 0;
    for (const used_slot& slot : log.slots) sum += stay(run, slot);
    return sum * slot_bits(log);
}

void fault_draw::draw_packet(const golden_run& run, const place& where, drawn_fault& made) const {
    const interface_log& log = run.interfaces[where.index];
    made.place = log.host;
    const std::uint64_t bit = where.rest % slot_bits(log);
    std::uint64_t word = bit / log.word_bits;
    if (!log.own_words && word >= first_own_word) word += own_words;
    std::uint64_t rest = where.rest / slot_bits(log);
    for (const used_slot& slot : log.slots) {
        const std::uint64_t here = stay(run, slot);
        if (rest >= here) {
            rest -= here;
            continue;
        }
        made.at = slot.from + rest;
        made.events = upset_yaml(log.host, "packets", made.at, std::uint64_t{slot.slot} * log.slot_words + word,
                                 bit % log.word_bits);
        return;
    }
}

std::uint64_t fault_draw::chip_weight(const golden_run& run, std::size_t chip) const {
    const chip_log& log = run.chips[chip];
    const upset_memory memory = *memory_of(class_);
    const hw::chips::memory_shape& shape = log.memory(memory);
    if (memory == upset_memory::routes) return run.end() * shape.bits * routes_of(run, log);
    if (memory == upset_memory::credits) return run.end() * shape.bits * shape.words;
    std::uint64_t sum = 0;
    for (const stored_flit& flit : log.flits) sum += stay(run, flit);
    return sum * shape.bits;
}

void fault_draw::draw_upset(const golden_run& run, const place& where, drawn_fault& made) const {
    const chip_log& log = run.chips[where.index];
    const upset_memory memory = *memory_of(class_);
    const std::uint64_t bits = log.memory(memory).bits;
    const auto strike = [&](cycle at, std::uint64_t index, std::uint64_t bit) {
        made.at = at;
        made.events = upset_yaml(log.name, name_of(memory), at, index, bit);
    };
    made.place = log.name;
    if (memory == upset_memory::buffer) {
        std::uint64_t rest = where.rest / bits;
        for (const stored_flit& flit : log.flits) {
            const std::uint64_t here = stay(run, flit);
            if (rest < here) return strike(flit.from + rest, flit.index, where.rest % bits);
            rest -= here;
        }
        return;
    }
    const cycle at = where.rest % run.end();
    const std::uint64_t word = where.rest / run.end() / bits;
    const std::uint64_t bit = where.rest / run.end() % bits;
    if (memory == upset_memory::credits) return strike(at, word, bit);
    strike(at, log.tables * (word / log.host_tables) + word % log.host_tables, bit);
}

drawn_fault fault_draw::fault(std::uint64_t number) const {
    random stream(family_of(options_.seed, class_), number);
    const place where = find(below(stream, population_));
    const golden_run& run = runs_[where.run];
    drawn_fault made;
    made.run = where.run;
    if (class_ == fault_class::hang) {
        made.at = where.rest;
        made.place = run.hosts[where.index];
        const std::string until = run.watched ? "never" : fmt::format("{} cycle", made.at + 10000);
        made.events = fmt::format("[{{what: hang, host: '{}', at: {} cycle, until: {}}}]", made.place, made.at, until);
        return made;
    }
    if (class_ == fault_class::upset_packets) {
        draw_packet(run, where, made);
        return made;
    }
    if (memory_of(class_)) {
        draw_upset(run, where, made);
        return made;
    }
    const direction_log& log = run.directions[where.index];
    const cable_log& cable = run.cables[log.cable];
    made.place = log.from;
    made.cable = cable.chip;
    const std::vector<cycle>* const cycles = options_.raw && is_flip(class_) ? nullptr : struck(log, class_);
    const auto cycle_at = [&](std::uint64_t index) { return cycles == nullptr ? index : (*cycles)[index]; };
    const auto event = [&](std::string_view what, const std::string& more) {
        made.events = fmt::format("[{{what: {}, link: '{}', at: {} cycle{}}}]", what, log.from, made.at, more);
    };
    const auto upset = [&](std::string_view memory, std::uint64_t index, std::uint64_t bit) {
        made.events = upset_yaml(log.from, memory, made.at, index, bit);
    };
    if (is_flip(class_) || class_ == fault_class::stuck) {
        made.at = cycle_at(where.rest / log.wires);
        const auto wire = static_cast<unsigned>(where.rest % log.wires);
        const auto flipped = [&](const flips& all) { made.events = "[" + flips_yaml(log.from, all) + "]"; };
        switch (class_) {
            case fault_class::bit1: flipped({{made.at, {wire}}}); break;
            case fault_class::bit2: flipped(scattered(stream, 2, made.at, wire, log.wires)); break;
            case fault_class::bit6: flipped(scattered(stream, 6, made.at, wire, log.wires)); break;
            case fault_class::burst32: flipped(burst(stream, 32, made.at, wire, log.wires)); break;
            case fault_class::burst64: flipped(burst(stream, 64, made.at, wire, log.wires)); break;
            default: {
                constexpr std::uint64_t least = 10, most = 10000;
                const cycle until = made.at + least + below(stream, most - least + 1);
                event("stuck", fmt::format(", until: {} cycle, wire: {}, value: {}", until, wire, below(stream, 2)));
            }
        }
        return made;
    }
    if (class_ == fault_class::upset_counters) {
        const std::uint64_t bits = hw::chips::counter_bits(cable.config);
        const std::uint64_t index = where.rest / bits % (4 * cable.config.vcs);
        made.at = where.rest / bits / (4 * cable.config.vcs);
        upset("counters", index, where.rest % bits);
        return made;
    }
    if (class_ == fault_class::upset_ring) {
        const std::uint32_t bits = hw::chips::ring_bits(cable.config);
        std::uint64_t rest = where.rest / bits;
        const std::vector<ring_level>& levels = cable.rings[where.index % 2];
        for (std::size_t i = 0; i < levels.size(); ++i) {
            const cycle end = i + 1 < levels.size() ? levels[i + 1].from : std::max(run.end(), levels[i].from);
            const std::uint64_t here = (end - levels[i].from) * levels[i].flits;
            if (rest >= here) {
                rest -= here;
                continue;
            }
            made.at = levels[i].from + rest / levels[i].flits;
            upset("ring", rest % levels[i].flits, where.rest % bits);
            break;
        }
        return made;
    }
    made.at = cycle_at(where.rest);
    if (is_dead(class_)) {
        const timeouts of = timeouts_of(cable);
        if (class_ == fault_class::dead_ever) {
            event("dead", ", until: never");
        } else if (class_ == fault_class::dead_short) {
            event("dead", fmt::format(", until: {} cycle", made.at + 1 + below(stream, of.shortest - 1)));
        } else {
            event("dead", fmt::format(", until: {} cycle", made.at + of.longest * (1 + below(stream, 3)) + 1));
        }
        return made;
    }
    const bool credit = class_ == fault_class::lost_credit || class_ == fault_class::double_credit;
    event(credit ? (class_ == fault_class::lost_credit ? "lose_credit" : "double_credit") : "lose", "");
    return made;
}

}  // namespace polycast::tlm::sim
