// SPDX-License-Identifier: Apache-2.0
/// \file Descriptions of chip parameters, as in chip_params.h, and functions on them for any chip.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hw/input_error.h"

namespace polycast::hw::chips {

/// Values of a parameter, inclusive, and as scenario keys quote them.
struct range {
    unsigned least;
    unsigned most;
    std::string_view least_text;
    std::string_view most_text;
};

/// A parameter of a chip whose parameters are `Params`; flags are 0 or 1.
template <class Params>
struct parameter {
    std::string_view name;     ///< in C++
    std::string_view verilog;  ///< in the RTL
    unsigned (*get)(const Params&);
    void (*set)(Params&, unsigned);
};

/// Names of a chip and its `parameters`; chip_params.h has one for each chip.
template <class Params>
struct chip_facts;

constexpr std::uint64_t power(std::uint64_t base, unsigned exponent) {
    std::uint64_t product = 1;
    for (unsigned factor = 0; factor < exponent; ++factor) product *= base;
    return product;
}

/// Refuses out-of-range values on behalf of a chip.
class limits {
public:
    constexpr limits(const char* what, const char* page) : what_(what), page_(page) {}

    void that(bool good, const std::string& message) const {
        if (!good) throw input_error(std::string(what_) + ": " + message, std::string(page_) + " lists the ranges");
    }
    void within(std::uint64_t value, std::uint64_t least, std::uint64_t most, const char* what) const {
        if (value >= least && value <= most) return;
        that(false, std::string(what) + " must be " + std::to_string(least) + ".." + std::to_string(most) + ", not " +
                        std::to_string(value));
    }
    void within(std::uint64_t value, const range& allowed, const char* what) const {
        within(value, allowed.least, allowed.most, what);
    }

private:
    const char* what_;
    const char* page_;
};

/// The parameter that a pattern of names calls `name`; there is one.
template <class Params>
const parameter<Params>& named_parameter(std::string_view name) {
    for (const parameter<Params>& p : chip_facts<Params>::parameters)
        if (p.name == name) return p;
    __builtin_unreachable();  // the patterns are made with the parameters
}

/// Walks the pattern of a chip's model names: `literal(text)` for what is in all of them, `number(parameter)` and
/// `flag(parameter, yes, no)` for the others. Where `yes` ends with #, the number stands in its place.
template <class Params, class Visitor>
void walk_model_name(Visitor&& visitor) {
    std::string_view pattern = chip_facts<Params>::model;
    while (!pattern.empty()) {
        const std::size_t open = pattern.find('{');
        if (open != 0) visitor.literal(pattern.substr(0, open));
        if (open == std::string_view::npos) return;
        const std::string_view field = pattern.substr(open + 1, pattern.find('}') - open - 1);
        pattern.remove_prefix(pattern.find('}') + 1);
        const std::size_t choice = field.find('?');
        const parameter<Params>& p = named_parameter<Params>(field.substr(0, choice));
        if (choice == std::string_view::npos) {
            visitor.number(p);
            continue;
        }
        const std::size_t bar = field.find('|');
        visitor.flag(p, field.substr(choice + 1, bar - choice - 1), field.substr(bar + 1));
    }
}

/// Name of a parameter set in the cache of models, such as switch_p8_f1_c80x8_h32_r8_x0_s32_l8x8_inline.
template <class Params>
std::string model_name(const Params& params) {
    struct {
        const Params& params;
        std::string text;

        void literal(std::string_view part) { text += part; }
        void number(const parameter<Params>& p) { text += std::to_string(p.get(params)); }
        void flag(const parameter<Params>& p, std::string_view yes, std::string_view no) {
            text += p.get(params) != 0 ? yes : no;
            if (!text.ends_with('#')) return;
            text.pop_back();
            number(p);
        }
    } writer{params, {}};
    walk_model_name<Params>(writer);
    return writer.text;
}

/// The parameter set of a model's name; none if it is no name of such a chip.
template <class Params>
std::optional<Params> params_of_name(const std::string& name) {
    struct {
        Params params;
        std::string_view rest;

        bool literal(std::string_view part) {
            const bool here = rest.starts_with(part);
            if (here) rest.remove_prefix(part.size());
            return here;
        }
        void number(const parameter<Params>& p) {
            unsigned value = 0;
            const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
            rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
            p.set(params, value);
        }
        void flag(const parameter<Params>& p, std::string_view yes, std::string_view no) {
            const bool counts = yes.ends_with('#');
            const bool is_set = literal(yes.substr(0, yes.size() - (counts ? 1 : 0)));
            p.set(params, is_set ? 1 : 0);
            if (!is_set) literal(no);
            if (is_set && counts) number(p);
        }
    } reader{{}, name};
    walk_model_name<Params>(reader);
    // What was not read as it is written shows in the name of what was read.
    if (model_name(reader.params) != name) return std::nullopt;
    return reader.params;
}

/// \throws input_error if it is none
template <class Params>
Params params_of_model(const std::string& name) {
    if (const std::optional<Params> params = params_of_name<Params>(name)) return *params;
    throw input_error("\"" + name + "\" is no name of a " + std::string(chip_facts<Params>::what) + "'s model",
                      "for example " + model_name(Params{}));
}

/// True if names of such models begin as `name` does.
template <class Params>
bool names_model_of(std::string_view name) {
    constexpr std::string_view model = chip_facts<Params>::model;
    return name.starts_with(model.substr(0, model.find('_') + 1));
}

/// The parameters as the RTL spells them: "NumPorts=8,FlitBytes=1".
template <class Params>
std::string verilog_parameters(const Params& params) {
    std::string text;
    for (const parameter<Params>& p : chip_facts<Params>::parameters)
        text.append(text.empty() ? "" : ",").append(p.verilog).append("=").append(std::to_string(p.get(params)));
    return text;
}

}  // namespace polycast::hw::chips
