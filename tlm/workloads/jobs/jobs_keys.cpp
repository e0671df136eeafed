// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <deque>

#include "hw/workloads/tenants/hostile_program.h"
#include "tlm/scenario/key_tables.h"
#include "tlm/workloads/jobs/jobs_rules.h"
#include "tlm/workloads/messages/messages_rules.h"

namespace polycast::tlm::scenario {

namespace {

using v = value_type;
using W = workload_settings;
using H = hostile_workload;

constexpr std::string_view around = "workload[]";
constexpr std::array<traffic_kind, 4> kinds{traffic_kind::unicast, traffic_kind::multicast, traffic_kind::list,
                                            traffic_kind::hostile};

/// Stores as if the job's workload were one of the scenario.
template <typename stored>
void inside(settings& s, const stored& store) {
    workload_settings job = std::move(s.workloads.back().jobs.entries.back());
    s.workloads.push_back(std::move(job));
    store();
    job = std::move(s.workloads.back());
    s.workloads.pop_back();
    s.workloads.back().jobs.entries.back() = std::move(job);
}

bool of_messages(const key& k) {
    const auto kind = std::ranges::find(k.only, std::string_view("kind"), &condition::key);
    return kind == k.only.end() || std::ranges::any_of(kind->values, [](std::string_view value) {
               return value == "unicast" || value == "multicast" || value == "list";
           });
}

/// Keys refer to their texts.
struct nested_rows {
    std::deque<std::string> texts;
    std::vector<key> keys;

    nested_rows() {
        for (key each : messages_keys()) {
            if (!of_messages(each) || each.path.starts_with("workload[].expect")) continue;
            const std::string_view rest = each.path.substr(around.size());
            each.doc = texts.emplace_back("As `" + std::string(each.path) + "`.");
            each.path = texts.emplace_back(std::string(around) + ".jobs{}" + std::string(rest));
            each.source = {};
            each.many = false;
            if (each.store)
                each.store = [store = std::move(each.store)](settings& s, const value& given) {
                    inside(s, [&] { store(s, given); });
                };
            keys.push_back(std::move(each));
        }
    }
};

void store_kind(settings& s, const value& given) {
    s.workloads.back().jobs.entries.back().kind = kinds[given.choice];
}

template <auto member>
void into_hostile(settings& s, const value& given) {
    assign(s.workloads.back().jobs.entries.back().hostile.*member, given);
}

std::string_view attacks_doc() {
    static const std::string text = [] {
        std::string made = "What it tries, in turns that it draws; `all`, or some of: ";
        for (const auto& each : hw::tenants::attack_kinds)
            made += (each.value == hw::tenants::attack_kind::forge ? "`" : "; `") + std::string(each.name) +
                    "`: " + std::string(each.doc);
        return made + ".";
    }();
    return text;
}

}  // namespace

std::vector<key> jobs_keys() {
    static const nested_rows nested;
    const std::vector<condition> hostile{{"kind", {"hostile"}}};
    std::vector<key> all{
        {.path = "workload[].jobs",
         .type = v::named,
         .required = true,
         .only = {{"kind", {"jobs"}}},
         .doc = "Jobs of `host.jobs`, each with a workload that runs in its first process of every host, all at once: "
                "`{a: {kind: unicast, rate: 0.1 flit/host/cycle}, b: {kind: hostile}}`.",
         .store =
             [](settings& s, const value& given) {
                 jobs_workload& jobs = s.workloads.back().jobs;
                 jobs.names.push_back(given.text);
                 jobs.entries.emplace_back().name = given.text;
             }},
        {.path = "workload[].jobs{}.kind",
         .type = v::choice,
         .required = true,
         .choices = {{"unicast", "each message to one host"},
                     {"multicast", "each message to several hosts"},
                     {"list", "given messages in given cycles"},
                     {"hostile",
                      "a program that gives its interface any commands, and writes any registers of its "
                      "page"}},
         .doc = "What the job sends.",
         .store = store_kind},
        {.path = "workload[].alone",
         .type = v::boolean,
         .fallback = "false",
         .only = {{"kind", {"jobs"}}},
         .doc = "Whether each job but hostile ones runs once more with the network to itself; results then say how "
                "much slower it is with the others.",
         .store = into_workload<&W::jobs, &jobs_workload::alone>},
    };
    all.insert(all.end(), nested.keys.begin(), nested.keys.end());
    const std::vector<key> of_hostile{{.path = "workload[].jobs{}.seed",
                                       .type = v::number,
                                       .fallback = "1",
                                       .least = "0",
                                       .only = hostile,
                                       .doc = "Of what it does.",
                                       .store = into_hostile<&H::seed>},
                                      {.path = "workload[].jobs{}.rate",
                                       .type = v::number,
                                       .fallback = "0.001",
                                       .whole = false,
                                       .least = "1/1000000",
                                       .most = "1",
                                       .only = hostile,
                                       .doc = "Attempts of each of its processes in a cycle, on average.",
                                       .store = into_hostile<&H::rate>},
                                      {.path = "workload[].jobs{}.attempts",
                                       .type = v::number,
                                       .fallback = "100",
                                       .least = "1",
                                       .most = "1000000000",
                                       .only = hostile,
                                       .doc = "Attempts of each of its processes, then it is quiet.",
                                       .store = into_hostile<&H::attempts>},
                                      {.path = "workload[].jobs{}.attacks",
                                       .type = v::names,
                                       .fallback = "all",
                                       .words = {"all"},
                                       .only = hostile,
                                       .doc = attacks_doc(),
                                       .store = [](settings& s, const value& given) {
                                           std::vector<std::string>& attacks =
                                               s.workloads.back().jobs.entries.back().hostile.attacks;
                                           attacks.clear();
                                           if (!given.word) attacks = given.names;
                                       }}};
    all.insert(all.end(), of_hostile.begin(), of_hostile.end());
    return all;
}

}  // namespace polycast::tlm::scenario
