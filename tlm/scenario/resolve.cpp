// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/resolve.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "tlm/scenario/convert.h"
#include "tlm/scenario/key_tables.h"
#include "tlm/scenario/propose.h"
#include "tlm/scenario/rules.h"

namespace polycast::tlm::scenario {

namespace {

class resolver {
public:
    resolver(const node& root, loaded& result) : root_(root), result_(result), converter_(sizes_) {}

    void run() {
        look_ahead();
        result_.resolved = section("", "", &root_, root_.origin);
    }

    measures sizes() {
        look_ahead();
        return sizes_;
    }

private:
    /// Which keys have a meaning, and what units stand for, depends on keys that may come later.
    void look_ahead() {
        for (const key& k : keys()) {
            for (const condition& c : k.only)
                if (c.is_elsewhere()) elsewhere_[c.key] = early(chooser_of(k, c)).text.text;
        }
        const std::string& kind = elsewhere_.at("network.topology.kind");
        if (kind == with_sites.values.front()) {
            sizes_.cycle_ns = exact{1'000'000'000} / early(*find_key("lanes.bandwidth")).held.number;
            return;
        }
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

    /// What a section that is given by name takes from the one around it.
    struct surroundings {
        std::map<std::string_view, std::string> chosen;
        const node* given = nullptr;
    };

    /// \param pattern path in the table ("workload[]"), \param path the same with numbers ("workload[2]")
    node section(const std::string& pattern, const std::string& path, const node* given, const std::string& origin,
                 const surroundings* around = nullptr) {
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
        if (around != nullptr) chosen = around->chosen;
        for (const key* k : known) {
            if (k->type == value_type::sweep) continue;  // sweep_axes.h has taken it out
            const node* part = given == nullptr ? nullptr : given->find(std::string(k->leaf()));
            if (const condition* broken = broken_condition(*k, chosen)) {
                const bool of_other = std::ranges::any_of(known, [&](const key* other) {
                    return other->leaf() == k->leaf() && broken_condition(*other, chosen) == nullptr;
                });
                if (part != nullptr && !of_other)
                    refuse_meaningless(*k, path, *part, *broken, chosen,
                                       {given, around == nullptr ? nullptr : around->given});
                continue;
            }
            const std::string full = path.empty() ? std::string(k->leaf()) : path + "." + std::string(k->leaf());
            if (part == nullptr && k->optional) continue;
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
            } else if (k->type == value_type::named) {
                made.value = named(*k, full, *part, {chosen, given});
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

    node named(const key& k, const std::string& path, const node& given, const surroundings& around) {
        if (!given.is_map())
            given.fail("'" + path + "' must be a section of names, not " + shape_text(given),
                       "such as {\"switch1:3\": {layer: none}}");
        node all = given;
        all.entries.clear();
        for (const node::entry& e : given.entries) {
            value name;
            name.text = e.key;
            k.store(result_.values, name);
            all.entries.push_back(
                {e.key, e.at, e.origin,
                 section(std::string(k.path) + "{}", path + "." + e.key, &e.value, e.origin, &around)});
        }
        return all;
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
                            const std::map<std::string_view, std::string>& chosen,
                            std::initializer_list<const node*> sections) const {
        // The command line, or a sweep, chose another kind: what the file says about its own kind no longer counts.
        const node* chooser = broken.is_elsewhere() ? given_at(broken.key) : nullptr;
        for (const node* section : sections)
            if (!broken.is_elsewhere() && chooser == nullptr && section != nullptr)
                chooser = section->find(std::string(broken.key));
        if (chooser != nullptr && chooser->at.line == 0 && part.at.line != 0) return;
        std::vector<std::string> good;
        for (const key& other : keys())
            for (const condition& c : other.only)
                if (other.path == k.path && c.key == broken.key)
                    good.insert(good.end(), c.values.begin(), c.values.end());
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

}  // namespace

measures measures_of(const loaded& scenario) {
    loaded unused;
    return resolver(scenario.resolved, unused).sizes();
}

void resolve(const node& root, loaded& result) {
    resolver(root, result).run();
    check_together(result);
}

}  // namespace polycast::tlm::scenario
