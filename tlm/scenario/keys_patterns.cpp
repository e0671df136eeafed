// SPDX-License-Identifier: Apache-2.0
#include <deque>

#include "tlm/scenario/key_tables.h"

namespace polycast::tlm::scenario {

namespace {

using hw::traffic::pattern_kind;

/// The keys of traffic patterns, out of the patterns' own table.
class pattern_rows {
public:
    pattern_rows() {
        std::vector<choice> choices;
        for (const pattern_kind* each : hw::traffic::pattern_kinds()) choices.push_back({each->name, each->doc});
        keys.push_back({.path = "workload[].pattern",
                        .type = value_type::choice,
                        .fallback = choices.front().name,
                        .choices = choices,
                        .only = {with_patterns},
                        .doc = "Who sends to whom, and when; on rails every process to processes of other hosts.",
                        .store = [](settings& s, const value& given) {
                            s.workloads.back().pattern.name = hw::traffic::pattern_kinds()[given.choice]->name;
                        }});
        for (const pattern_kind* each : hw::traffic::pattern_kinds())
            if (each->hosts || !each->keys.empty()) add(*each);
    }

    std::vector<key> keys;

private:
    void add(const pattern_kind& pattern) {
        const std::string& section = paths_.emplace_back("workload[]." + std::string(pattern.name));
        keys.push_back(
            {.path = section, .only = {with_patterns, {"pattern", {pattern.name}}}, .doc = pattern.keys_doc});
        if (pattern.hosts)
            keys.push_back({.path = paths_.emplace_back(section + ".hosts"),
                            .type = value_type::names,
                            .required = true,
                            .doc = "Hosts, by name or number.",
                            .store = into_workload<&workload_settings::pattern_hosts>});
        for (const hw::traffic::pattern_key& each : pattern.keys)
            keys.push_back({.path = paths_.emplace_back(section + "." + std::string(each.name)),
                            .type = value_type::number,
                            .fallback = each.fallback,
                            .unit = each.fraction ? dimension::fraction : dimension::none,
                            .whole = false,
                            .least = each.least,
                            .most = each.most,
                            .doc = each.doc,
                            .store = [name = std::string(each.name)](settings& s, const value& given) {
                                assign(s.workloads.back().pattern.numbers[name], given);
                            }});
    }

    const condition with_patterns{"kind", {"unicast", "rails"}};
    std::deque<std::string> paths_;
};

}  // namespace

std::vector<key> pattern_keys() {
    static const pattern_rows rows;
    return rows.keys;
}

std::vector<std::string_view> patterns_with_rates() {
    std::vector<std::string_view> names;
    for (const pattern_kind* each : hw::traffic::pattern_kinds())
        if (each->rate != pattern_kind::load::none) names.push_back(each->name);
    return names;
}

}  // namespace polycast::tlm::scenario
