// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/resolve.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "tlm/scenario/allgather_rules.h"
#include "tlm/scenario/broadcast_rules.h"
#include "tlm/scenario/key_tables.h"
#include "tlm/scenario/propose.h"

namespace polycast::tlm::scenario {

namespace {

std::string shape_text(const node& n) {
    switch (n.form) {
        case node::shape::null: return "nothing";
        case node::shape::list: return "a list";
        case node::shape::map: return "a section";
        case node::shape::scalar: break;
    }
    constexpr std::size_t shown = 40;
    return "'" + (n.text.size() <= shown ? n.text : n.text.substr(0, shown) + "...") + "'";
}

std::vector<std::string> names_of(const std::vector<choice>& choices) {
    std::vector<std::string> names;
    for (const choice& c : choices) names.emplace_back(c.name);
    return names;
}

bool is_name(const std::string& text) {
    return !text.empty() && text.size() <= 64 && text.front() != '.' &&
           std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
                      c == '_' || c == '-';
           });
}

/// A checked value and how it is written.
struct converted {
    value held;
    node text;
};

class converter {
public:
    explicit converter(const measures& sizes) : sizes_(sizes) {}

    /// \param path as in messages
    converted convert(const key& k, const std::string& path, const node& given) const {
        converted result;
        result.text = given;
        result.text.quoted = false;
        if (given.form == node::shape::null)
            given.fail("'" + path + "' has no value", "leave the key out for its default");
        if (given.is_scalar()) {
            if (std::find(k.words.begin(), k.words.end(), given.text) != k.words.end()) {
                result.held.word = true;
                result.held.text = given.text;
                return result;
            }
        }
        switch (k.type) {
            case value_type::number: number(k, path, given, result); break;
            case value_type::boolean:
                if (!given.is_scalar() || given.quoted || (given.text != "true" && given.text != "false")) {
                    given.fail("'" + path + "' must be true or false, not " + shape_text(given));
                }
                result.held.flag = given.text == "true";
                break;
            case value_type::choice: result.held.choice = one_of(k, path, given); break;
            case value_type::name:
                if (!given.is_scalar()) given.fail("'" + path + "' must be a name, not " + shape_text(given));
                if (!is_name(given.text)) {
                    given.fail("'" + path + "' cannot be " + shape_text(given),
                               "up to 64 letters, digits, '.', '_' and '-', not starting with '.'");
                }
                result.held.text = given.text;
                break;
            case value_type::text:
                if (!given.is_scalar() || given.text.empty())
                    given.fail("'" + path + "' must be a text, not " + shape_text(given));
                result.held.text = given.text;
                break;
            case value_type::names:
            case value_type::numbers: names(k, path, given, result); break;
            case value_type::choice_map:
                if (!given.is_map())
                    given.fail("'" + path + "' must be a section of names, not " + shape_text(given),
                               "such as {switch3: rtl}");
                for (const node::entry& e : given.entries)
                    result.held.map.emplace_back(e.key, one_of(k, path + "." + e.key, e.value));
                break;
            case value_type::section:
            case value_type::sections: break;
        }
        return result;
    }

private:
    void number(const key& k, const std::string& path, const node& given, converted& result) const {
        const std::string example = k.fallback.empty() ? "" : "such as " + std::string(k.fallback);
        if (!given.is_scalar()) given.fail("'" + path + "' must be a number, not " + shape_text(given), example);
        const std::optional<quantity> parsed = parse_quantity(given.text);
        if (!parsed) {
            std::string hint = example;
            if (std::find(k.words.begin(), k.words.end(), k.fallback) != k.words.end())
                hint = "or '" + join(std::vector<std::string>(k.words.begin(), k.words.end()), "' or '") + "'";
            given.fail("'" + path + "' must be a number, not " + shape_text(given), hint);
        }
        if (given.quoted && k.unit == dimension::none)
            given.fail("'" + path + "' must be a number, not a text", "leave out the quotes");
        const std::optional<exact> base = to_base(*parsed, k.unit, sizes_);
        if (!base) {
            const std::vector<std::string> units = accepted_units(k.unit);
            given.fail("'" + path + "' cannot be given in '" + parsed->unit.substr(0, 40) + "'",
                       units.empty() ? "it takes no unit" : "accepted: " + join(units));
        }
        const bool low = !k.least.empty() && *base < *parse_number(k.least);
        const bool high = !k.most.empty() && *base > *parse_number(k.most);
        if (low || high)
            given.fail("'" + path + "' must be " + range_text(k) + ", not " +
                       shape_text(given).substr(1, shape_text(given).size() - 2));
        const std::string unit = parsed->unit.empty() ? std::string(base_unit(k.unit)) : parsed->unit;
        if (k.whole && base->denominator() != 1) {
            given.fail("'" + path + "' must be a whole number" +
                       (base_unit(k.unit).empty() ? "" : " of " + std::string(base_unit(k.unit)) + "s") + ", not " +
                       to_text(*base) +
                       (base->denominator() != 1 && !parsed->unit.empty() && parsed->unit != base_unit(k.unit)
                            ? " (" + given.text + ")"
                            : ""));
        }
        result.held.number = *base;
        result.text.text = to_text(parsed->number) + (unit.empty() ? "" : (unit == "%" ? "" : " ") + unit);
    }

    static unsigned one_of(const key& k, const std::string& path, const node& given) {
        const std::vector<std::string> known = names_of(k.choices);
        if (given.form == node::shape::null) given.fail("'" + path + "' has no value", "known: " + join(known));
        if (!given.is_scalar())
            given.fail("'" + path + "' must be one of " + join(known) + ", not " + shape_text(given));
        const auto found = std::find(known.begin(), known.end(), given.text);
        if (found == known.end())
            given.fail("'" + path + "' cannot be " + shape_text(given), propose(given.text, known));
        return static_cast<unsigned>(found - known.begin());
    }

    static bool is_whole(const std::string& text) {
        return !text.empty() && text.size() <= 9 && text.find_first_not_of("0123456789") == std::string::npos;
    }

    static void names(const key& k, const std::string& path, const node& given, converted& result) {
        const bool numbers = k.type == value_type::numbers;
        const std::string word = k.words.empty() ? "" : " or '" + std::string(k.words.front()) + "'";
        if (!given.is_list())
            given.fail("'" + path + "' must be a list of " + (numbers ? "numbers" : "names") + word + ", not " +
                           shape_text(given),
                       numbers ? "such as [8, 24]" : "such as [a, b]");
        for (const node& item : given.items) {
            if (!item.is_scalar() || item.text.empty())
                item.fail("'" + path + "' must hold names, not " + shape_text(item));
            if (numbers && !is_whole(item.text))
                item.fail("'" + path + "' must hold whole numbers, not " + shape_text(item));
            if (!numbers &&
                std::find(result.held.names.begin(), result.held.names.end(), item.text) != result.held.names.end()) {
                item.fail("'" + path + "' names '" + item.text + "' twice");
            }
            result.held.names.push_back(item.text);
        }
    }

    const measures& sizes_;
};

class resolver {
public:
    resolver(const node& root, loaded& result) : root_(root), result_(result), converter_(sizes_) {}

    void run() {
        look_ahead();
        result_.resolved = section("", "", &root_, root_.origin);
    }

private:
    /// Which keys have a meaning, and what units stand for, depends on keys that may come later.
    void look_ahead() {
        for (const key& k : keys()) {
            for (const condition& c : k.only)
                if (c.is_elsewhere()) elsewhere_[c.key] = early(chooser_of(k, c)).text.text;
        }
        const std::string& kind = elsewhere_.at("network.topology.kind");
        const bool routers = std::ranges::find(with_routers.values, kind) != with_routers.values.end();
        sizes_.flit_bytes = early(*find_key(routers ? "router.flit" : "switch.flit")).held.number;
        sizes_.cycle_ns = early(*find_key("host.cycle")).held.number;
        if (!routers) sizes_.chunk_flits = early(*find_key("switch.chunk")).held.number;
    }

    converted early(const key& k) const {
        const node* given = given_at(k.path);
        return guarded(k, std::string(k.path), given == nullptr ? default_of(k) : *given);
    }

    /// What the scenario says at a path without lists; null where it says nothing.
    const node* given_at(std::string_view path) const {
        const node* at = &root_;
        while (at != nullptr && !path.empty()) {
            const std::size_t end = std::min(path.find('.'), path.size());
            at = at->find(std::string(path.substr(0, end)));
            path.remove_prefix(std::min(end + 1, path.size()));
        }
        return at;
    }

    node default_of(const key& k) const {
        node made = parse_document(std::string(k.fallback), result_.file, false);
        made.origin = result_.file;
        return made;
    }

    converted guarded(const key& k, const std::string& path, const node& given) const {
        try {
            return converter_.convert(k, path, given);
        } catch (const std::overflow_error&) {
            given.fail("'" + path + "' is too large: " + shape_text(given));
        } catch (const std::range_error&) {
            given.fail("'" + path + "' is too large: " + shape_text(given));
        }
    }

    /// \param pattern path in the table ("workload[]"), \param path the same with numbers ("workload[2]")
    node section(const std::string& pattern, const std::string& path, const node* given, const std::string& origin) {
        node resolved;
        resolved.form = node::shape::map;
        resolved.origin = given == nullptr ? origin : given->origin;
        if (given != nullptr) resolved.at = given->at;
        if (given != nullptr && !given->is_map() && given->form != node::shape::null) {
            given->fail("'" + path + "' must be a section of keys, not " + shape_text(*given));
        }
        const std::vector<const key*> known = keys_in(pattern);
        if (given != nullptr) refuse_unknown(known, path, *given);
        std::map<std::string_view, std::string> chosen;
        for (const key* k : known) {
            const node* part = given == nullptr ? nullptr : given->find(std::string(k->leaf()));
            if (const condition* broken = broken_condition(*k, chosen)) {
                if (part != nullptr) refuse_meaningless(*k, path, *part, *broken, chosen, *given);
                continue;
            }
            const std::string full = path.empty() ? std::string(k->leaf()) : path + "." + std::string(k->leaf());
            if (part == nullptr && k->required)
                resolved.fail((path.empty() ? "" : "'" + path + "' has no key ") +
                                  ("'" + std::string(k->leaf()) + "'") + (path.empty() ? " is missing" : ""),
                              std::string(k->doc));
            if (part != nullptr) result_.given.insert(full);
            node::entry made{
                std::string(k->leaf()), part == nullptr ? hw::text_position{} : part->at, resolved.origin, {}};
            if (k->type == value_type::section) {
                made.value = section(std::string(k->path), full, part, resolved.origin);
            } else if (k->type == value_type::sections) {
                made.value = sections(*k, full, *part);
            } else {
                made.value = leaf(*k, full, part, chosen);
            }
            resolved.entries.push_back(std::move(made));
        }
        return resolved;
    }

    node leaf(const key& k, const std::string& path, const node* part,
              std::map<std::string_view, std::string>& chosen) {
        const node given = part == nullptr ? default_of(k) : *part;
        converted result = guarded(k, path, given);
        try {
            k.store(result_.values, result.held);
        } catch (const std::overflow_error&) {
            given.fail("'" + path + "' is too large: " + shape_text(given));
        }
        if (k.type == value_type::choice) chosen[k.leaf()] = result.text.text;
        return result.text;
    }

    node sections(const key& k, const std::string& path, const node& given) {
        if (!given.is_list())
            given.fail("'" + path + "' must be a list, not " + shape_text(given), "start each entry with '- '");
        if (given.items.empty()) given.fail("'" + path + "' is empty");
        node list = given;
        list.items.clear();
        for (std::size_t i = 0; i < given.items.size(); ++i) {
            k.store(result_.values, {});
            const std::string item = path + "[" + std::to_string(i) + "]";
            if (given.items[i].form == node::shape::null) given.items[i].fail("'" + item + "' is empty");
            list.items.push_back(section(std::string(k.path) + "[]", item, &given.items[i], given.origin));
        }
        return list;
    }

    static void refuse_unknown(const std::vector<const key*>& known, const std::string& path, const node& given) {
        for (const node::entry& e : given.entries) {
            if (std::any_of(known.begin(), known.end(), [&](const key* k) { return k->leaf() == e.key; })) continue;
            std::vector<std::string> names;
            for (const key* k : known) names.emplace_back(k->leaf());
            std::string proposal = propose(e.key, names);
            if (proposal.find("did you mean") == std::string::npos) {
                const auto elsewhere =
                    std::find_if(keys().begin(), keys().end(), [&](const key& k) { return k.leaf() == e.key; });
                if (elsewhere != keys().end()) proposal = "did you mean '" + std::string(elsewhere->path) + "'?";
            }
            const std::string shown = e.key.size() <= 64 ? e.key : e.key.substr(0, 64) + "...";
            throw hw::input_error(e.origin, e.at,
                                  "unknown key '" + shown + "'" + (path.empty() ? "" : " in '" + path + "'"), proposal);
        }
    }

    /// The first condition of `k` that the values chosen so far break. A neighbour without meaning breaks nothing
    /// itself.
    const condition* broken_condition(const key& k, const std::map<std::string_view, std::string>& chosen) const {
        for (const condition& c : k.only) {
            const auto& known = c.is_elsewhere() ? elsewhere_ : chosen;
            const auto found = known.find(c.key);
            if (found != known.end() && std::find(c.values.begin(), c.values.end(), found->second) == c.values.end())
                return &c;
        }
        return nullptr;
    }

    void refuse_meaningless(const key& k, const std::string& path, const node& part, const condition& broken,
                            const std::map<std::string_view, std::string>& chosen, const node& section) const {
        // The command line chose another kind: what the file says about its own kind no longer counts.
        const node* chooser = broken.is_elsewhere() ? given_at(broken.key) : section.find(std::string(broken.key));
        if (chooser != nullptr && chooser->at.line == 0 && part.at.line != 0) return;
        std::vector<std::string> good(broken.values.begin(), broken.values.end());
        part.fail("'" + (path.empty() ? "" : path + ".") + std::string(k.leaf()) + "' has no meaning with '" +
                      std::string(broken.key) + ": " + (broken.is_elsewhere() ? elsewhere_ : chosen).at(broken.key) +
                      "'",
                  "it belongs to " + std::string(broken.key) + ": " + join(good, " or "));
    }

    const node& root_;
    loaded& result_;
    std::map<std::string_view, std::string> elsewhere_;  ///< choices that keys of other sections depend on
    measures sizes_;
    converter converter_;
};

void check_switches(const loaded& result) {
    const settings& s = result.values;
    if (s.chip.buffer_flits % s.chip.chunk_flits != 0) {
        const unsigned chunks = s.chip.buffer_flits / s.chip.chunk_flits;
        result.fail(result.given.contains("switch.buffer") ? "switch.buffer" : "switch.chunk",
                    "'switch.buffer' of " + std::to_string(s.chip.buffer_flits) +
                        " flits is no whole number of chunks of " + std::to_string(s.chip.chunk_flits) + " flits",
                    "take " + std::to_string((chunks + 1) * s.chip.chunk_flits) + " flits");
    }
    const unsigned chunks = s.chip.buffer_flits / s.chip.chunk_flits;
    if (chunks < 2 || chunks > 4096) {
        result.fail(result.given.contains("switch.buffer") ? "switch.buffer" : "switch.chunk",
                    "'switch.buffer' of " + std::to_string(s.chip.buffer_flits) + " flits is " +
                        std::to_string(chunks) + " chunks of " + std::to_string(s.chip.chunk_flits) +
                        " flits, and a switch has 2..4096",
                    "change 'switch.buffer' or 'switch.chunk'");
    }
}

/// What ideal hosts can do.
void check_ideal_hosts(const loaded& result) {
    const settings& s = result.values;
    if (!s.network.topology.has_routers()) {
        result.fail("host.model",
                    "'host.model: ideal' belongs to routers, and 'network.topology.kind' is '" +
                        std::string(name_of(s.network.topology.kind)) + "'",
                    "take 'network.topology.kind: mesh' or 'torus', or 'host.model: interface'");
    }
    if (!only_broadcasts(s) && (s.network.all != fidelity::core || !s.network.chips.empty())) {
        result.fail(s.network.all != fidelity::core ? "network.fidelity" : "network.chips",
                    "with ideal hosts all routers are stepped as one C++ model",
                    "take 'host.model: interface' for routers of other fidelities, or 'network.fidelity: core'");
    }
    if (s.router.routing == router_routing::table) {
        result.fail("router.routing", "with ideal hosts routers take no route table",
                    "take 'dimension_order', or 'host.model: interface'");
    }
    if (!only_broadcasts(s) && (!s.trace.chips || !s.trace.chips->empty()))
        result.fail("trace.chips", "there are no waves of a network with ideal hosts", "take 'host.model: interface'");
}

void check_of_hosts(loaded& result, std::size_t index) {
    const settings& s = result.values;
    const workload_settings& w = s.workloads[index];
    const std::string path = "workload[" + std::to_string(index) + "]";
    const bool ideal = s.host.model == host_model::ideal;
    if (w.kind == traffic_kind::allgather && !ideal) check_interface_allgather(result, index);
    if (w.kind == traffic_kind::multicast && ideal) {
        result.fail(path + ".kind", "ideal hosts send no multicasts",
                    "take 'kind: unicast' or 'allgather', or 'host.model: interface'");
    }
    check_broadcast(result, index);
    if (w.kind != traffic_kind::allgather && w.kind != traffic_kind::unicast) return;
    if (w.kind == traffic_kind::unicast &&
        (ideal ? w.pattern == unicast_pattern::permutation : w.pattern > unicast_pattern::each_to_each)) {
        result.fail(path + ".pattern",
                    "'pattern: " + std::string(name_of(w.pattern)) +
                        "' is not for hosts of 'host.model: " + std::string(name_of(s.host.model)) + "'",
                    ideal ? "take uniform, hotspot, each_to_each, transpose, bit_complement or tornado"
                          : "take uniform, permutation, hotspot or each_to_each");
    }
    if (w.most_flits && *w.most_flits < w.flits) {
        result.fail(path + ".most_flits", "'" + path + ".most_flits' of " + std::to_string(*w.most_flits) +
                                              " is less than 'flits' of " + std::to_string(w.flits));
    }
    for (std::size_t i = 0; i < w.inner_groups.size(); ++i) {
        if (w.inner_groups[i] == 0)
            result.fail(path + ".inner_groups[" + std::to_string(i) + "]",
                        "'" + path + ".inner_groups' must hold numbers of nodes", "such as [8, 2]");
    }
}

/// What two keys say together.
void check_together(loaded& result) {
    settings& s = result.values;
    if (s.network.topology.has_routers()) {
        if (s.measurement.duplicates == duplicates_rule::count)
            result.fail("measurement.duplicates", "routers make no duplicates that could be counted", "leave it out");
    } else {
        check_switches(result);
    }
    if (s.host.model == host_model::ideal) check_ideal_hosts(result);
    if (s.measurement.duplicates == duplicates_rule::count && s.chip.rewrite_headers) {
        result.fail(
            "measurement.duplicates",
            "'measurement.duplicates: count' belongs to 'switch.rewrite_headers: false': with rewriting there are none",
            "leave it out");
    }
    if (s.trace.to && *s.trace.to < s.trace.from) result.fail("trace.to", "'trace.to' lies before 'trace.from'");
    std::map<std::string, std::size_t> names;
    for (std::size_t i = 0; i < s.workloads.size(); ++i) {
        workload_settings& w = s.workloads[i];
        const std::string path = "workload[" + std::to_string(i) + "]";
        const auto [first, fresh] = names.emplace(w.name, i);
        if (!fresh)
            result.fail(path + ".name", "'" + path + ".name' is '" + w.name + "', as is that of 'workload[" +
                                            std::to_string(first->second) + "]'");
        check_of_hosts(result, i);
        if (w.kind == traffic_kind::multicast && w.destinations) {
            const std::size_t count = w.destinations->size();
            if (count == 0) result.fail(path + ".destinations", "'" + path + ".destinations' is empty");
            const node& item = result.resolved.find("workload")->items[i];
            // Destinations from the command line win over a degree from the file.
            const bool overridden = item.find("destinations")->at.line == 0 && item.find("degree")->at.line != 0;
            if (result.given.contains(path + ".degree") && !overridden && w.degree != count) {
                result.fail(path + ".degree",
                            "'" + path + ".degree' is " + std::to_string(w.degree) + ", but " + std::to_string(count) +
                                " destinations are given",
                            "leave the degree out");
            }
            w.degree = static_cast<unsigned>(count);
            result.resolved.find("workload")->items[i].find("degree")->text = std::to_string(count);
        }
        if (w.kind == traffic_kind::multicast && w.order == participant_order::listed && !w.destinations &&
            result.given.contains(path + ".order")) {
            result.fail(path + ".order", "'" + path + ".order: listed' needs 'destinations', which are random here",
                        "give them, or take another order");
        }
        if (w.rate && w.source)
            result.fail(path + ".source", "'" + path + ".source' has no meaning with a rate, at which every host sends",
                        "leave it out, or 'rate: single'");
        if (w.rate && result.given.contains(path + ".messages")) {
            result.fail(path + ".messages", "'" + path + ".messages' has no meaning with a rate",
                        "'measurement.window' says how long is counted");
        }
        if (w.rate)
            std::erase_if(result.resolved.find("workload")->items[i].entries,
                          [](const node::entry& e) { return e.key == "messages"; });
        if (w.kind == traffic_kind::unicast && w.pattern == unicast_pattern::hotspot && w.hotspot_hosts.empty()) {
            result.fail(path + ".hotspot.hosts", "'" + path + ".hotspot.hosts' is empty");
        }
    }
}

}  // namespace

void resolve(const node& root, loaded& result) {
    resolver(root, result).run();
    check_together(result);
}

}  // namespace polycast::tlm::scenario
