// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/results/load_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "tlm/sim/results/statistics.h"
#include "tlm/workloads/run_result.h"

namespace polycast::tlm::sim {

using json = nlohmann::ordered_json;

namespace {

std::uint64_t backlog_at(const std::vector<transfer>& transfers, std::uint64_t when) {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(transfers, [&](const transfer& t) { return t.created < when && t.completed >= when; }));
}

double mean_of(std::span<const std::uint64_t> values) {
    double sum = 0;
    for (const std::uint64_t value : values) sum += static_cast<double>(value);
    return sum / static_cast<double>(values.size());
}

std::vector<load_batch> batches_of(const std::vector<transfer>& transfers, const load_times& times, unsigned count) {
    std::vector<load_batch> made(count);
    const std::uint64_t length = times.to - times.from;
    for (unsigned index = 0; index < count; ++index) {
        made[index].from = times.from + length * index / count;
        made[index].to = times.from + length * (index + 1) / count;
    }
    for (const transfer& t : transfers) {
        const auto place =
            std::ranges::find_if(made, [&](const load_batch& b) { return t.created >= b.from && t.created < b.to; });
        if (place == made.end()) continue;
        ++place->created;
        if (!t.finished()) continue;
        ++place->finished;
        place->mean += static_cast<double>(t.latency());
    }
    for (load_batch& each : made) {
        if (each.finished != 0) each.mean /= static_cast<double>(each.finished);
    }
    return made;
}

}  // namespace

load_results judge_load(const std::vector<transfer>& transfers, const load_times& times, unsigned batches) {
    load_results found;
    found.batches = batches_of(transfers, times, batches);
    for (const transfer& t : transfers) {
        found.created += t.created >= times.from && t.created < times.to ? 1 : 0;
        found.completed += t.finished() && t.completed >= times.from && t.completed < times.to ? 1 : 0;
    }
    found.backlog_begin = backlog_at(transfers, times.from);
    found.backlog_end = backlog_at(transfers, times.to);
    found.warmup = times.from - times.start;
    std::vector<std::uint64_t> latencies;
    std::vector<std::uint64_t> created;
    for (const transfer& t : transfers) {
        if (!t.finished() || t.created >= times.to) continue;
        latencies.push_back(t.latency());
        created.push_back(t.created - times.start);
    }
    if (const auto cut = warmup_of(latencies)) {
        found.warmup_detected = *cut == 0 ? 0 : created[*cut];
        const auto inside = static_cast<std::size_t>(std::ranges::lower_bound(created, found.warmup) - created.begin());
        const double rest = mean_of(std::span(latencies).subspan(*cut));
        if (inside < latencies.size() && rest != 0)
            found.warmup_bias = mean_of(std::span(latencies).subspan(inside)) / rest - 1;
    }
    judge(found, latencies.size() >= fewest_for_warmup);
    return found;
}

void judge(load_results& found, bool enough) {
    const double growth = static_cast<double>(found.backlog_end) - static_cast<double>(found.backlog_begin);
    const double chance = 3 * std::sqrt(static_cast<double>(found.backlog_begin + found.backlog_end));
    found.kept_up = growth <= std::max(0.05 * static_cast<double>(found.created), chance);
    if (!found.kept_up) {
        found.warnings.push_back(
            fmt::format("the network does not keep up: {} messages waited when the window began, "
                        "{} when it ended, so latencies depend on its length",
                        found.backlog_begin, found.backlog_end));
    } else if (found.warmup_detected && *found.warmup_detected > found.warmup && std::abs(found.warmup_bias) > 0.02) {
        found.warnings.push_back(fmt::format(
            "the warm-up took {} cycles by MSER-5, and only {} are left out: that changes the mean by {:.1f} %",
            *found.warmup_detected, found.warmup, 100 * found.warmup_bias));
    } else if (!found.warmup_detected && enough) {
        found.warnings.push_back("MSER-5 finds no end of the warm-up: the run is too short to tell");
    }
}

nlohmann::ordered_json load_json(const load_results& load) {
    json j{{"kept_up", load.kept_up},
           {"created", load.created},
           {"completed", load.completed},
           {"backlog_begin", load.backlog_begin},
           {"backlog_end", load.backlog_end},
           {"warmup", load.warmup},
           {"warmup_detected", load.warmup_detected ? json(*load.warmup_detected) : json(nullptr)},
           {"warmup_bias", load.warmup_bias},
           {"batches", json::array()}};
    for (const load_batch& b : load.batches) {
        j["batches"].push_back({{"from", b.from},
                                {"to", b.to},
                                {"created", b.created},
                                {"finished", b.finished},
                                {"mean", b.finished == 0 ? json(nullptr) : json(b.mean)}});
    }
    return j;
}

}  // namespace polycast::tlm::sim
