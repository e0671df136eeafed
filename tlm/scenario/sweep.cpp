// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/sweep.h"

#include <yaml-cpp/emitter.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>

#include "tlm/scenario/expand.h"
#include "tlm/scenario/override.h"
#include "tlm/scenario/tree.h"

namespace polycast::tlm::scenario {

namespace {

void write(YAML::Emitter& out, const node& part) {
    switch (part.form) {
        case node::shape::null: out << YAML::Null; break;
        case node::shape::scalar:
            if (part.quoted) out << YAML::DoubleQuoted;
            out << part.text;
            break;
        case node::shape::list:
            out << YAML::Flow << YAML::BeginSeq;
            for (const node& item : part.items) write(out, item);
            out << YAML::EndSeq;
            break;
        case node::shape::map:
            out << YAML::Flow << YAML::BeginMap;
            for (const node::entry& e : part.entries) {
                out << YAML::Key << e.key << YAML::Value;
                write(out, e.value);
            }
            out << YAML::EndMap;
            break;
    }
}

/// On one line.
std::string flow_text(const node& part) {
    YAML::Emitter out;
    write(out, part);
    return out.c_str();
}

/// The value as one of an override, which takes the place of what the file says; messages still name its place.
node overriding(node value) {
    if (value.at.line != 0) value.origin += ":" + std::to_string(value.at.line) + ":" + std::to_string(value.at.column);
    value.at = {};
    for (node& item : value.items) item = overriding(std::move(item));
    for (node::entry& e : value.entries) e.value = overriding(std::move(e.value));
    return value;
}

/// Whether the value of a key, which may be unknown, is a path.
bool is_path(const key* k, const node& value) {
    if (k == nullptr || !k->file || !value.is_scalar() || value.text.empty()) return false;
    const auto is = [&](const std::vector<std::string_view>& words) {
        return std::ranges::find(words, value.text) != words.end();
    };
    return !is(k->words) && !is(k->no_files);
}

/// What makes runs of a sweep.
class sweeper {
public:
    sweeper(node root, std::vector<axis> axes, std::string file, std::string folder)
        : root_(std::move(root)), axes_(std::move(axes)), file_(std::move(file)), folder_(std::move(folder)) {
        std::size_t runs = 1;
        for (const axis& a : axes_) {
            runs *= a.points.size();
            if (runs > most_runs)
                throw hw::input_error(a.origin, a.at,
                                      "the sweep makes more than " + std::to_string(most_runs) + " runs");
            for (const std::string& path : a.paths) keys_.push_back({path, key_at(root_, path)});
        }
        count_ = axes_.empty() ? 0 : runs;
        name_keys();
    }

    /// \param given the overrides that do not sweep
    void each(const std::vector<std::string>& given, const std::function<void(const sweep_run&)>& use) {
        for (std::size_t i = 0; i < count_; ++i) {
            sweep_run run = make(i);
            run.overrides.insert(run.overrides.begin(), given.begin(), given.end());
            use(run);
        }
    }

    std::vector<swept_key> keys() const { return keys_; }

private:
    /// Short names where they are unique.
    void name_keys() {
        for (const swept_key& k : keys_) {
            const auto leaf = [](const std::string& path) { return path.substr(path.rfind('.') + 1); };
            const bool unique =
                std::ranges::count_if(keys_, [&](const swept_key& o) { return leaf(o.path) == leaf(k.path); }) == 1;
            labels_.push_back(unique ? leaf(k.path) : k.path);
        }
    }

    sweep_run make(std::size_t number) {
        sweep_run run;
        node root = root_;
        std::vector<std::size_t> at(axes_.size());
        for (std::size_t i = axes_.size(), rest = number; i-- > 0; rest /= axes_[i].points.size())
            at[i] = rest % axes_[i].points.size();
        for (std::size_t i = 0; i < axes_.size(); ++i) {
            const axis& a = axes_[i];
            for (std::size_t k = 0; k < a.paths.size(); ++k) {
                const node& value = a.points[at[i]][k];
                const std::string& label = labels_[run.values.size()];
                // A list has no short text, but a number in the sweep.
                run.name += (run.name.empty() ? "" : ",") + label + "=" +
                            (value.is_scalar() ? name_part(value.text) : std::to_string(at[i] + 1));
                node given = overriding(value);
                const bool path = is_path(keys_[run.values.size()].what, value);
                // One in the file starts at the file, one of an override at the current folder.
                if (path && a.origin == file_) given.text = (std::filesystem::path(folder_) / value.text).string();
                put(root, a.paths[k], given, a.origin, a.at);
                run.values.emplace_back(a.paths[k], value);
                run.overrides.push_back(a.paths[k] + "=" + (path ? given.text : flow_text(value)));
            }
        }
        run.name = file_name(run.name, number);
        try {
            run.scenario = load_tree(std::move(root), file_, folder_);
        } catch (const hw::input_error& bad) {
            if (count_ == 1) throw;
            throw hw::input_error(std::string(bad.what()) + " (in the run " + run.name + ")");
        }
        return run;
    }

    /// Of what every file system takes, and of no other run.
    std::string file_name(std::string name, std::size_t number) {
        std::ranges::replace_if(
            name,
            [](char c) {
                return !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
                       std::string_view(".,=_-+").find(c) == std::string_view::npos;
            },
            '_');
        constexpr std::size_t longest = 120;
        if (name.size() > longest || !names_.emplace(name, number).second) {
            name = "run" + std::to_string(number + 1);
            names_.emplace(name, number);
        }
        return name;
    }

    node root_;
    std::vector<axis> axes_;
    std::string file_, folder_;
    std::vector<swept_key> keys_;
    std::vector<std::string> labels_;
    std::size_t count_ = 0;
    std::map<std::string, std::size_t> names_;
};

/// The overrides that each run has in common: those that do not sweep.
std::vector<std::string> common_overrides(const std::vector<axis>& axes, const std::vector<std::string>& overrides) {
    std::vector<std::string> common;
    for (const std::string& text : overrides) {
        const std::string path = parse_override(text).path;
        const std::string origin = "-s " + text;
        const bool sweeps = std::ranges::any_of(axes, [&](const axis& a) { return a.origin == origin; });
        if (path == "sweep") {
            common.emplace_back("sweep={}");  // what the file sweeps is left out of each run, too
        } else if (!sweeps) {
            common.push_back(text);
        }
    }
    return common;
}

std::vector<swept_key> each_run(node root, const std::string& file, const std::string& folder,
                                const std::vector<std::string>& overrides,
                                const std::function<void(const sweep_run&)>& use) {
    std::vector<axis> axes = take_axes(root, overrides);
    const std::vector<std::string> given = common_overrides(axes, overrides);
    if (axes.empty()) load_tree(root, file, folder);
    sweeper all(std::move(root), std::move(axes), file, folder);
    all.each(given, use);
    return all.keys();
}

}  // namespace

std::vector<swept_key> for_each_run(const std::string& text, const std::string& file, const std::string& folder,
                                    const std::vector<std::string>& overrides,
                                    const std::function<void(const sweep_run&)>& use) {
    return each_run(read_tree(text, file), file, folder, overrides, use);
}

std::vector<swept_key> for_each_run(const std::string& path, const std::vector<std::string>& overrides,
                                    const std::function<void(const sweep_run&)>& use, const std::string& writer) {
    const bool by_user = writer.empty();
    return each_run(read_tree_of(path, writer), by_user ? path : writer, by_user ? folder_of(path) : "", overrides,
                    use);
}

}  // namespace polycast::tlm::scenario
