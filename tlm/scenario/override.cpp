// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/override.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "tlm/scenario/keys.h"
#include "tlm/scenario/propose.h"

namespace polycast::tlm::scenario {

namespace {

/// "workload[0].degree" is how messages write it.
std::vector<std::string> split(std::string path) {
    for (std::size_t at = path.find('['); at != std::string::npos; at = path.find('[')) {
        path[at] = '.';
        if (const std::size_t end = path.find(']', at); end != std::string::npos) path.erase(end, 1);
    }
    std::vector<std::string> steps(1);
    for (const char c : path) {
        if (c == '.') {
            steps.emplace_back();
        } else {
            steps.back() += c;
        }
    }
    return steps;
}

std::optional<std::size_t> index_of(const std::string& step) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
    if (step.empty() || error != std::errc{} || end != step.data() + step.size()) return std::nullopt;
    return index;
}

struct override_writer {
    std::string origin;
    hw::text_position place;
    const node& value;

    [[noreturn]] void fail(const std::string& message, const std::string& proposal = {}) const {
        throw hw::input_error(origin, place, message, proposal);
    }

    void write(node& at, const std::vector<std::string>& steps, std::size_t step, const std::string& so_far) const {
        if (step == steps.size()) {
            at = value;
            return;
        }
        const std::string& name = steps[step];
        if (name.empty()) fail("'" + join(steps, ".") + "' is no path of a key", "write key.path=value");
        if (at.is_list()) {
            write_item(at, steps, step, so_far);
            return;
        }
        if (at.form == node::shape::null) {
            at.form = node::shape::map;
            at.origin = origin;
        }
        if (!at.is_map()) fail("'" + so_far + "' has no keys below it");
        if (at.find(name) == nullptr) {
            node empty;
            empty.origin = origin;
            at.entries.push_back({name, place, origin, empty});
        }
        write(*at.find(name), steps, step + 1, so_far.empty() ? name : so_far + "." + name);
    }

    void write_item(node& list, const std::vector<std::string>& steps, std::size_t step,
                    const std::string& so_far) const {
        const std::string& name = steps[step];
        if (name == "*") {
            for (node& item : list.items) write(item, steps, step + 1, so_far + ".*");
            return;
        }
        if (const auto index = index_of(name)) {
            if (*index >= list.items.size())
                fail("'" + so_far + "' has " + std::to_string(list.items.size()) + " entries, counted from 0");
            write(list.items[*index], steps, step + 1, so_far + "." + name);
            return;
        }
        std::vector<std::string> known;
        for (node& item : list.items) {
            const node* given = item.find("name");
            if (given == nullptr || !given->is_scalar()) continue;
            if (given->text == name) {
                write(item, steps, step + 1, so_far + "." + name);
                return;
            }
            known.push_back(given->text);
        }
        fail("'" + so_far + "' has no entry '" + name + "'", propose(name, known));
    }
};

}  // namespace

override_option parse_override(const std::string& text) {
    const std::string option = "-s " + text;
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos) throw hw::input_error(option, {}, "no '='", "write key.path=value");
    return {text.substr(0, sign), parse_document(text.substr(sign + 1), option, false)};
}

void check_levels(const std::string& path, const std::string& origin, hw::text_position place) {
    const std::size_t levels = split(path).size();
    if (levels > most_levels)
        throw hw::input_error(origin, place,
                              "'" + path + "' goes down " + std::to_string(levels) + " levels, and no key lies below " +
                                  std::to_string(most_levels));
}

void put(node& root, const std::string& path, const node& value, const std::string& origin, hw::text_position place) {
    check_levels(path, origin, place);
    override_writer{origin, place, value}.write(root, split(path), 0, {});
}

std::vector<std::string> plain_steps(const node& root, const std::string& path) {
    std::vector<std::string> steps = split(path);
    const node* at = &root;
    for (std::string& step : steps) {
        if (at == nullptr) break;
        if (!at->is_list()) {
            at = at->find(step);
            continue;
        }
        for (std::size_t i = 0; i < at->items.size(); ++i) {
            const node* name = at->items[i].find("name");
            if (!index_of(step) && name != nullptr && name->is_scalar() && name->text == step) step = std::to_string(i);
        }
        const std::optional<std::size_t> index = step == "*" ? 0 : index_of(step);
        at = index && *index < at->items.size() ? &at->items[*index] : nullptr;
    }
    return steps;
}

const node* node_at(const node& root, const std::vector<std::string>& steps) {
    const node* at = &root;
    for (const std::string& step : steps) {
        if (!at->is_list()) {
            at = at->find(step);
        } else {
            const std::optional<std::size_t> index = step == "*" ? 0 : index_of(step);
            at = index && *index < at->items.size() ? &at->items[*index] : nullptr;
        }
        if (at == nullptr) return nullptr;
    }
    return at;
}

}  // namespace polycast::tlm::scenario
