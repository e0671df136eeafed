// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/sweep_axes.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <unordered_set>

#include "tlm/scenario/convert.h"
#include "tlm/scenario/override.h"
#include "tlm/scenario/propose.h"

namespace polycast::tlm::scenario {

namespace {

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(' ');
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// "a, b" as "a" and "b".
std::vector<std::string> paths_of(const std::string& text) {
    std::vector<std::string> paths;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        paths.push_back(trimmed(text.substr(begin, end - begin)));
        begin = end + 1;
    }
    return paths;
}

bool is_range(const node& n) {
    return n.is_scalar() && n.text.find("..") != std::string::npos;
}

/// The values of "1..10", "64..256 B step 64". \throws hw::input_error; std::overflow_error where numbers are too large
std::vector<node> range_values(const std::string& path, const node& given) {
    const auto bad = [&](const std::string& why) {
        given.fail("'" + path + "' cannot sweep over " + shape_text(given) + ": " + why,
                   "a range is FIRST..LAST, with a unit and a step if you like: 64..256 B step 64");
    };
    const std::size_t dots = given.text.find("..");
    const std::size_t word = std::min(given.text.find(" step "), given.text.size());
    const std::optional<exact> first = parse_number(trimmed(given.text.substr(0, dots)));
    if (!first) bad("no number in front of '..'");
    const std::optional<quantity> last = parse_quantity(trimmed(given.text.substr(dots + 2, word - dots - 2)));
    if (!last) bad("no number behind '..'");
    const std::optional<exact> step =
        word == given.text.size() ? exact{1} : parse_number(trimmed(given.text.substr(word + 6)));
    if (!step || *step <= exact{0}) bad("the step is no number above 0");
    if (*first > last->number) bad("its end lies before its begin");
    std::vector<node> values;
    for (exact at = *first; at <= last->number; at += *step) {
        if (values.size() == most_runs) bad("more than " + std::to_string(most_runs) + " values");
        node& value = values.emplace_back(given);
        value.text = to_text(at) + (last->unit.empty() ? "" : " " + last->unit);
        value.quoted = false;
    }
    return values;
}

/// The same for equal values only.
void describe(const node& n, std::string& text) {
    text += n.is_scalar() ? (n.quoted ? '"' : '\'') : n.is_list() ? '[' : '{';
    text += std::to_string(n.text.size()) + ":" + n.text;
    for (const node& item : n.items) describe(item, text);
    for (const node::entry& e : n.entries) {
        text += std::to_string(e.key.size()) + ":" + e.key;
        describe(e.value, text);
    }
    text += '.';
}

std::string description_of(const std::vector<node>& point) {
    std::string text;
    for (const node& value : point) describe(value, text);
    return text;
}

class axes_reader {
public:
    axes_reader(node& root, const std::vector<std::string>& overrides) : root_(root), overrides_(overrides) {}

    std::vector<axis> read() {
        // An override of `sweep` as a whole takes the place of all that the file sweeps.
        std::vector<override_option> others;
        for (const std::string& text : overrides_) {
            const override_option option = parse_override(text);
            if (option.path == "sweep") {
                put(root_, option.path, option.value, option.value.origin);
            } else {
                others.push_back(option);
            }
        }
        if (const node* swept = root_.find("sweep")) {
            section("", *swept);
            std::erase_if(root_.entries, [](const node::entry& e) { return e.key == "sweep"; });
        }
        for (const override_option& option : others) one(option);
        return std::move(axes_);
    }

private:
    void section(const std::string& above, const node& given) {
        if (given.form == node::shape::null) return;
        if (!given.is_map())
            given.fail(
                "'sweep" + (above.empty() ? "" : "." + above) + "' must be a section of keys, not " + shape_text(given),
                "such as 'seed: 1..10'");
        for (const node::entry& e : given.entries) {
            std::vector<std::string> paths = paths_of(e.key);
            for (std::string& path : paths) path = (above.empty() ? "" : above + ".") + path;
            if (e.value.is_map()) {
                if (paths.size() > 1) e.value.fail("'" + e.key + "' must have a list of lists, not a section");
                section(paths.front(), e.value);
            } else {
                add(axis{paths, {}, e.origin, e.at}, e.value);
            }
        }
    }

    void one(const override_option& option) {
        const std::string below_sweep = "sweep.";
        const bool said = option.path.starts_with(below_sweep);
        const std::vector<std::string> paths = paths_of(said ? option.path.substr(below_sweep.size()) : option.path);
        const node& value = option.value;
        const bool lists = value.is_list() && !value.items.empty() &&
                           std::ranges::all_of(value.items, [](const node& n) { return n.is_list(); });
        const key* k = key_at(root_, paths.front());
        const bool takes_lists = k != nullptr && (k->many || k->type == value_type::names ||
                                                  k->type == value_type::numbers || k->type == value_type::sections);
        const bool number = k != nullptr && k->type == value_type::number;
        const std::size_t place = replace(paths, value);
        if (said || paths.size() > 1 || (value.is_list() && (!takes_lists || lists)) || (number && is_range(value))) {
            add(axis{paths, {}, value.origin, value.at}, value);
            std::rotate(axes_.begin() + static_cast<std::ptrdiff_t>(place), axes_.end() - 1, axes_.end());
        } else {
            put(root_, option.path, value, value.origin);
        }
    }

    void add(axis made, const node& given) {
        std::size_t keys = made.paths.size();
        for (const axis& a : axes_) keys += a.paths.size();
        if (keys > most_swept_keys)
            throw hw::input_error(made.origin, made.at,
                                  "the sweep has more than " + std::to_string(most_swept_keys) + " keys");
        for (const std::string& path : made.paths) check_levels(path, made.origin, made.at);
        for (std::size_t i = 0; i < made.paths.size(); ++i) {
            const std::vector<std::string>& paths = made.paths;
            const bool twice = std::find(paths.begin(), paths.begin() + static_cast<std::ptrdiff_t>(i), paths[i]) !=
                               paths.begin() + static_cast<std::ptrdiff_t>(i);
            if (twice || std::ranges::any_of(axes_, [&](const axis& a) { return has(a, paths[i]); }))
                throw hw::input_error(made.origin, made.at, "'" + paths[i] + "' is swept twice");
        }
        std::vector<node> items;
        const key* k = key_at(root_, made.paths.front());
        if (is_range(given) && made.paths.size() == 1 && (k == nullptr || k->type == value_type::number)) {
            try {
                items = range_values(made.paths.front(), given);
            } catch (const std::overflow_error&) {
                given.fail("'" + made.paths.front() + "' is too large: " + shape_text(given));
            }
        } else if (given.is_list()) {
            items = given.items;
        } else {
            given.fail(
                "'" + join(made.paths, ",") + "' must have a list of values to sweep over, not " + shape_text(given),
                "such as [1, 2, 3], or 1..3 for numbers");
        }
        if (items.empty()) given.fail("'" + join(made.paths, ",") + "' is empty", "give at least one value");
        std::unordered_set<std::string> seen;
        for (const node& item : items) {
            std::vector<node> point{item};
            if (made.paths.size() > 1) {
                if (!item.is_list() || item.items.size() != made.paths.size())
                    item.fail("'" + join(made.paths, ",") + "' must have a list of " +
                                  std::to_string(made.paths.size()) + " values for each run, not " + shape_text(item),
                              "in the order of the keys");
                point = item.items;
            }
            if (!seen.insert(description_of(point)).second)
                item.fail("'" + join(made.paths, ",") + "' has this value twice");
            made.points.push_back(std::move(point));
        }
        axes_.push_back(std::move(made));
    }

    /// What is given later takes the place of these keys' sweep, which is returned; else that behind all others.
    std::size_t replace(const std::vector<std::string>& paths, const node& value) {
        std::size_t place = axes_.size();
        for (std::size_t n = axes_.size(); n-- > 0;) {
            axis& a = axes_[n];
            for (std::size_t i = a.paths.size(); i-- > 0;) {
                const auto overlapping =
                    std::ranges::find_if(paths, [&](const auto& p) { return overlap(p, a.paths[i]); });
                if (overlapping == paths.end()) continue;
                if (!covers(*overlapping, a.paths[i]))
                    value.fail("'" + a.paths[i] + "' is swept, of which '" + *overlapping + "' is a part",
                               "give '" + a.paths[i] + "', or leave out the whole sweep with sweep={}");
                place = n;
                a.paths.erase(a.paths.begin() + static_cast<std::ptrdiff_t>(i));
                for (std::vector<node>& point : a.points) point.erase(point.begin() + static_cast<std::ptrdiff_t>(i));
            }
            std::unordered_set<std::string> seen;
            std::erase_if(a.points, [&](const std::vector<node>& p) { return !seen.insert(description_of(p)).second; });
        }
        std::erase_if(axes_, [](const axis& a) { return a.paths.empty(); });
        return std::min(place, axes_.size());
    }

    bool has(const axis& a, const std::string& path) const {
        return std::ranges::any_of(a.paths, [&](const std::string& p) { return overlap(p, path); });
    }

    /// Whether two paths lead to the same key, of some entry of a list at least.
    bool overlap(const std::string& a, const std::string& b) const {
        return std::ranges::equal(
            plain_steps(root_, a), plain_steps(root_, b),
            [](const std::string& x, const std::string& y) { return x == y || x == "*" || y == "*"; });
    }

    /// Whether all that `part` leads to is what `whole` leads to.
    bool covers(const std::string& whole, const std::string& part) const {
        return std::ranges::equal(plain_steps(root_, whole), plain_steps(root_, part),
                                  [](const std::string& x, const std::string& y) { return x == y || x == "*"; });
    }

    node& root_;
    const std::vector<std::string>& overrides_;
    std::vector<axis> axes_;
};

/// Of several keys with the path of `k`, which stands at `steps`, the one that belongs to the kind that the scenario
/// names.
const key& meant(const node& root, const key& k, std::vector<std::string> steps) {
    steps.back() = "kind";
    const node* const kind = node_at(root, steps);
    if (kind == nullptr) return k;
    for (const key* one : keys_in(k.parent())) {
        if (one->path != k.path || one->only.empty() || one->only.front().key != "kind") continue;
        const std::vector<std::string_view>& kinds = one->only.front().values;
        if (std::ranges::find(kinds, kind->text) != kinds.end()) return *one;
    }
    return k;
}

}  // namespace

const key* key_at(const node& root, const std::string& path) {
    std::string pattern;
    const key* k = nullptr;
    const std::vector<std::string> steps = plain_steps(root, path);
    for (const std::string& step : steps) {
        if (k != nullptr && k->type == value_type::choice_map) return k;
        if (k != nullptr && k->type == value_type::sections) {
            pattern += "[]";
            k = nullptr;
            continue;
        }
        if (k != nullptr && k->type == value_type::named) {
            pattern += "{}";
            k = nullptr;
            continue;
        }
        pattern += (pattern.empty() ? "" : ".") + step;
        k = find_key(pattern);
        if (k == nullptr) return nullptr;
    }
    return k == nullptr ? nullptr : &meant(root, *k, steps);
}

std::vector<axis> take_axes(node& root, const std::vector<std::string>& overrides) {
    return axes_reader(root, overrides).read();
}

}  // namespace polycast::tlm::scenario
