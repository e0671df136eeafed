// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/schema.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "tlm/scenario/keys.h"
#include "tlm/scenario/propose.h"

namespace polycast::tlm::scenario {

namespace {

using json = nlohmann::ordered_json;

/// A number as parse_quantity reads it.
constexpr const char* number_pattern = "[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][+-]?[0-9]+)?(/[0-9]+)?";

std::string escaped(const std::string& text) {
    std::string pattern;
    for (const char c : text) {
        if (std::string_view("/.%").find(c) != std::string_view::npos) pattern += '\\';
        pattern += c;
    }
    return pattern;
}

/// The decimal value of a bound; bounds like "1/1000" are rounded, the loader knows them exactly.
json bound(std::string_view text) {
    const exact number = *parse_number(text);
    if (number.denominator() == 1) return number.numerator().convert_to<std::int64_t>();
    return number.numerator().convert_to<double>() / number.denominator().convert_to<double>();
}

json number_schema(const key& k) {
    json plain{{"type", k.whole ? "integer" : "number"}};
    if (!k.least.empty()) plain["minimum"] = bound(k.least);
    if (!k.most.empty()) plain["maximum"] = bound(k.most);
    json any = json::array({plain});
    const std::vector<std::string> units = accepted_units(k.unit);
    if (!units.empty()) {
        std::vector<std::string> patterns;
        // Plurals and "byte" are accepted, too.
        for (const std::string& unit : units)
            patterns.push_back(unit == "B" ? "B|byte"
                                           : escaped(unit) +
                                                 (unit == "flit" || unit == "chunk" || unit == "cycle" ? "s?" : ""));
        if (k.unit == dimension::load) patterns.emplace_back("flits\\/host\\/cycle");
        any.push_back({{"type", "string"},
                       {"pattern", std::string("^") + number_pattern + " *(" + join(patterns, "|") + ")? *$"}});
    } else {
        // YAML readers take "1e3" and "800/3" for text; the loader takes them for numbers.
        any.push_back({{"type", "string"}, {"pattern", std::string("^") + number_pattern + " *$"}});
    }
    for (const std::string_view word : k.words) any.push_back({{"const", word}});
    return {{"anyOf", any}};
}

json choice_schema(const key& k) {
    json names = json::array();
    for (const choice& c : k.choices) names.push_back(c.name);
    return {{"enum", names}};
}

json section_schema(std::string_view parent);

json value_schema(const key& k) {
    switch (k.type) {
        case value_type::section: return section_schema(k.path);
        case value_type::sections:
            return {{"type", "array"}, {"minItems", 1}, {"items", section_schema(std::string(k.path) + "[]")}};
        case value_type::named:
            return {{"type", {"object", "null"}}, {"additionalProperties", section_schema(std::string(k.path) + "{}")}};
        case value_type::number: return number_schema(k);
        case value_type::boolean: return {{"type", "boolean"}};
        case value_type::choice: return choice_schema(k);
        case value_type::name:
            return {{"type", {"string", "integer"}}, {"pattern", "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$"}};
        case value_type::text: return {{"type", {"string", "integer"}}, {"minLength", 1}};
        case value_type::names: {
            json list{{"type", "array"}, {"uniqueItems", true}, {"items", {{"type", {"string", "integer"}}}}};
            if (k.one) list["minItems"] = 1;
            if (k.words.empty()) return list;
            json any = json::array({list});
            if (k.one) any.push_back({{"type", {"string", "integer"}}, {"minLength", 1}});
            for (const std::string_view word : k.words) any.push_back({{"const", word}});
            return {{"anyOf", any}};
        }
        case value_type::numbers: {
            const json list{{"type", "array"}, {"items", {{"type", "integer"}, {"minimum", 0}}}};
            if (k.words.empty()) return list;
            return {{"anyOf", {list, {{"const", k.words.front()}}}}};
        }
        case value_type::choice_map: return {{"type", "object"}, {"additionalProperties", choice_schema(k)}};
        case value_type::sweep: {
            const json values{{"anyOf",
                               {{{"type", "array"}, {"minItems", 1}},
                                {{"type", "string"}, {"pattern", "\\.\\."}},
                                {{"type", "object"}}}}};
            return {{"type", {"object", "null"}}, {"additionalProperties", values}};
        }
    }
    return {};
}

/// A value, or a list where values stand for as many sections.
json entry_schema(const key& k) {
    json one = value_schema(k);
    if (k.many) one = {{"anyOf", {one, {{"type", "array"}, {"minItems", 1}, {"items", one}}}}};
    return one;
}

json default_value(const key& k) {
    if (k.type == value_type::boolean) return k.fallback == "true";
    if (k.type == value_type::number) {
        const std::optional<exact> number = parse_number(k.fallback);
        if (number && number->denominator() == 1) return number->numerator().convert_to<std::int64_t>();
    }
    if (k.fallback.starts_with('[')) return json::parse(k.fallback);
    if (k.type == value_type::choice_map) return json::object();
    return k.fallback;
}

/// `inner` at a path of properties; `required`: all of them must be there.
json wrapped(std::string_view path, json inner, bool required) {
    const std::size_t end = path.find('.');
    std::string name(path.substr(0, end));
    if (end != std::string_view::npos) inner = wrapped(path.substr(end + 1), std::move(inner), required);
    const bool list = name.ends_with("[]");
    if (list) {
        name.resize(name.size() - 2);
        inner = {{"items", std::move(inner)}};
    }
    if (name.ends_with("{}")) {
        name.resize(name.size() - 2);
        inner = {{"additionalProperties", std::move(inner)}};
    }
    json made{{"properties", {{name, std::move(inner)}}}};
    if (required) made["required"] = json::array({name});
    return made;
}

/// "With a neighbour outside these values, the key must not be there", or must be `otherwise`.
json exclusion(const key& k, const condition& c, const key& neighbour, const json& otherwise = false) {
    json values = json::array();
    bool by_default = false;
    for (const std::string_view name : c.values) {
        values.push_back(name);
        by_default = by_default || name == neighbour.fallback;
    }
    const std::string name(c.key);
    json inside{{"enum", values}};
    if (neighbour.many) inside = {{"anyOf", {inside, {{"type", "array"}, {"items", inside}}}}};
    json outside{{"properties", {{name, {{"not", inside}}}}}};
    // An absent neighbour has its default, or that of the section around.
    if (by_default || neighbour.required || neighbour.optional) outside["required"] = json::array({name});
    return {{"if", outside}, {"then", {{"properties", {{std::string(k.leaf()), otherwise}}}}}};
}

/// "With neighbours that have these values, all of them, the key must be there."
json requirement(const key& k) {
    json inside{{"properties", json::object()}, {"required", json::array()}};
    for (const condition& c : k.only) {
        json values = json::array();
        for (const std::string_view value : c.values) values.push_back(value);
        inside["properties"][std::string(c.key)] = {{"enum", values}};
        inside["required"].push_back(c.key);
    }
    return {{"if", inside}, {"then", {{"required", {k.leaf()}}}}};
}

/// The other keys of that name, which belong to other choices.
std::vector<const key*> others_of(const key& k) {
    std::vector<const key*> others;
    for (const key* one : keys_in(k.parent()))
        if (one->leaf() == k.leaf() && one != &k) others.push_back(one);
    return others;
}

/// `c` with the values of all other keys of the name of `k`; nothing where one of them does not ask for that neighbour,
/// and so may be there with any of its values.
std::optional<condition> any_of(const key& k, const condition& c) {
    condition any = c;
    for (const key* other : others_of(k)) {
        const auto same = std::ranges::find(other->only, c.key, &condition::key);
        if (same == other->only.end()) return std::nullopt;
        any.values.insert(any.values.end(), same->values.begin(), same->values.end());
    }
    return any;
}

/// What the name of `k` may hold where it has another meaning; nothing, where it has none.
json other_values(const key& k) {
    json others = json::array();
    for (const key* one : others_of(k)) others.push_back(entry_schema(*one));
    return others.empty() ? json(false) : json{{"anyOf", others}};
}

/// "With a choice of another section outside these values, the key must not be there", or have another meaning.
json exclusion_elsewhere(const key& k, const condition& c, const key& chooser) {
    json values = json::array();
    bool by_default = false;
    for (const std::string_view name : c.values) {
        values.push_back(name);
        by_default = by_default || name == chooser.fallback;
    }
    json rule;
    if (by_default) {
        rule["if"] = wrapped(c.key, {{"not", {{"enum", values}}}}, true);
        rule["then"] = wrapped(k.path, other_values(k), false);
    } else {
        rule["if"] = wrapped(c.key, {{"enum", values}}, true);
        rule["else"] = wrapped(k.path, other_values(k), false);
    }
    return rule;
}

json rules_elsewhere() {
    json rules = json::array();
    for (const key& k : keys()) {
        for (const condition& c : k.only)
            if (c.is_elsewhere()) rules.push_back(exclusion_elsewhere(k, c, chooser_of(k, c)));
    }
    return rules;
}

json section_schema(std::string_view parent) {
    json properties = json::object();
    json required = json::array();
    json rules = json::array();
    for (const key* k : keys_in(parent)) {
        const std::string name(k->leaf());
        json one = entry_schema(*k);
        std::string doc(k->doc);
        for (const choice& c : k->choices) doc += "\n- " + std::string(c.name) + ": " + std::string(c.doc);
        if (!k->source.empty()) doc += "\nSource: " + std::string(k->source);
        one["description"] = doc;
        if (!k->fallback.empty()) one["default"] = default_value(*k);
        if (others_of(*k).empty()) {
            properties[name] = one;
        } else {
            json& all = properties[name];
            if (!all.is_null()) doc = all["description"].get<std::string>() + "\n" + doc;
            all["description"] = doc;
            all["anyOf"].push_back(one);
        }
        if (k->required && k->only.empty()) required.push_back(name);
        for (const condition& c : k->only) {
            if (c.is_elsewhere()) continue;
            rules.push_back(exclusion(*k, c, chooser_of(*k, c), other_values(*k)));
            const std::optional<condition> any = any_of(*k, c);
            if (any && !others_of(*k).empty()) rules.push_back(exclusion(*k, *any, chooser_of(*k, c)));
        }
        if (k->required && !k->only.empty() && std::ranges::none_of(k->only, &condition::is_elsewhere))
            rules.push_back(requirement(*k));
    }
    json schema{{"type", {"object", "null"}}, {"additionalProperties", false}, {"properties", properties}};
    if (!required.empty()) schema["required"] = required;
    if (!required.empty()) schema["type"] = "object";
    if (!rules.empty()) schema["allOf"] = rules;
    return schema;
}

std::string cell(std::string_view text) {
    std::string escaped_text;
    for (const char c : text) escaped_text += c == '|' ? "\\|" : std::string(1, c);
    return escaped_text;
}

std::string choice_names(const key& k) {
    std::string text;
    for (const choice& c : k.choices) text += (text.empty() ? "`" : ", `") + std::string(c.name) + "`";
    return text;
}

std::string type_text(const key& k) {
    std::string text;
    switch (k.type) {
        case value_type::section: return "section";
        case value_type::sections: return "list of sections";
        case value_type::named: return "names, each with a section";
        case value_type::number: {
            const std::vector<std::string> units = accepted_units(k.unit);
            text = units.empty() ? (k.whole ? "whole number" : "number") : "number in " + join(units);
            if (const std::string range = range_text(k); !range.empty()) text += "; " + range;
            break;
        }
        case value_type::boolean: return "true, false";
        case value_type::choice: {
            for (const choice& c : k.choices)
                text += (text.empty() ? "`" : "; `") + std::string(c.name) + "`: " + std::string(c.doc);
            break;
        }
        case value_type::name: return "name";
        case value_type::text: return "text";
        case value_type::names: text = k.one ? "name, or list of names" : "list of names"; break;
        case value_type::numbers: text = "list of whole numbers"; break;
        case value_type::choice_map: text = "names, each with one of " + choice_names(k); break;
        case value_type::sweep: return "paths of keys, each with a list of values or a range";
    }
    for (const std::string_view word : k.words) text += "; or `" + std::string(word) + "`";
    if (k.many) text += "; or a list, for an entry each";
    return text;
}

}  // namespace

nlohmann::ordered_json json_schema() {
    json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                {"title", "polycast scenario"},
                {"description",
                 "A network, its workloads and what is measured. Numbers carry units in strings (\"640 flit\"); plain "
                 "numbers are in the first unit named."}};
    schema.update(section_schema(""));
    schema["allOf"] = rules_elsewhere();
    return schema;
}

std::string markdown_reference() {
    std::string page =
        "<!-- SPDX-License-Identifier: Apache-2.0 -->\n<!-- Printed by `polycast-sim schema --markdown`; do not edit. "
        "-->\n"
        "# Scenario keys\n\nA plain number is in the first unit named. Dots stand for nesting; `workload[]` is a "
        "list, `cables{}` stands for names.\n";
    page += "\n| key | value | default | meaning |\n|---|---|---|---|\n";
    for (const key& k : keys()) {
        std::string doc(k.doc);
        if (!k.only.empty()) {
            doc += " Only with";
            for (const condition& c : k.only)
                doc += (&c == &k.only.front() ? " `" : ", `") + std::string(c.key) + ": " +
                       join({c.values.begin(), c.values.end()}, " \\| ") + "`";
            doc += ".";
        }
        if (!k.source.empty()) doc += " (" + std::string(k.source) + ")";
        const std::string fallback = k.required           ? "required"
                                     : k.fallback.empty() ? ""
                                                          : "`" + std::string(k.fallback) + "`";
        page +=
            "| `" + std::string(k.path) + "` | " + cell(type_text(k)) + " | " + cell(fallback) + " | " + doc + " |\n";
    }
    return page;
}

}  // namespace polycast::tlm::scenario
