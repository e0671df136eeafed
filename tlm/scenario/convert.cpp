// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/convert.h"

#include <algorithm>
#include <optional>

#include "tlm/scenario/propose.h"

namespace polycast::tlm::scenario {

namespace {

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

bool is_whole(const std::string& text) {
    return !text.empty() && text.size() <= 9 && text.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

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

converted converter::convert(const key& k, const std::string& path, const node& given) const {
    converted result;
    result.text = given;
    result.text.quoted = false;
    if (given.form == node::shape::null) given.fail("'" + path + "' has no value", "leave the key out for its default");
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
        case value_type::sections:
        case value_type::named:
        case value_type::sweep: break;
    }
    return result;
}

void converter::number(const key& k, const std::string& path, const node& given, converted& result) const {
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

unsigned converter::one_of(const key& k, const std::string& path, const node& given) {
    const std::vector<std::string> known = names_of(k.choices);
    if (given.form == node::shape::null) given.fail("'" + path + "' has no value", "known: " + join(known));
    if (!given.is_scalar()) given.fail("'" + path + "' must be one of " + join(known) + ", not " + shape_text(given));
    const auto found = std::find(known.begin(), known.end(), given.text);
    if (found == known.end()) given.fail("'" + path + "' cannot be " + shape_text(given), propose(given.text, known));
    return static_cast<unsigned>(found - known.begin());
}

void converter::names(const key& k, const std::string& path, const node& given, converted& result) {
    const bool numbers = k.type == value_type::numbers;
    std::string word;
    for (const std::string_view one : k.words) word += " or '" + std::string(one) + "'";
    if (k.one && given.is_scalar() && !given.text.empty()) {
        result.held.names = {given.text};
        return;
    }
    if (k.one && given.is_list() && given.items.empty()) given.fail("'" + path + "' is empty", "name at least one");
    if (!given.is_list())
        given.fail(
            "'" + path + "' must be a list of " + (numbers ? "numbers" : "names") + word + ", not " + shape_text(given),
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

}  // namespace polycast::tlm::scenario
