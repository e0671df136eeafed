// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/load.h"

#include <yaml-cpp/emitter.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tlm/scenario/expand.h"
#include "tlm/scenario/propose.h"
#include "tlm/scenario/resolve.h"
#include "tlm/scenario/sweep_axes.h"
#include "tlm/scenario/tree.h"

namespace polycast::tlm::scenario {

namespace {

/// "a.b[2].c" as steps a, b, 2, c.
std::vector<std::string> steps_of(const std::string& path) {
    std::vector<std::string> steps;
    std::string step;
    for (const char c : path + ".") {
        if (c == '.' || c == '[' || c == ']') {
            if (!step.empty()) steps.push_back(step);
            step.clear();
        } else {
            step += c;
        }
    }
    return steps;
}

void write(YAML::Emitter& out, const node& part, const std::string& path,
           const std::map<std::string, std::string>& replaced) {
    switch (part.form) {
        case node::shape::null: out << YAML::Null; break;
        case node::shape::scalar:
            if (const auto found = replaced.find(path); found != replaced.end()) {
                out << found->second;
            } else {
                out << part.text;
            }
            break;
        case node::shape::list: {
            const bool plain =
                std::all_of(part.items.begin(), part.items.end(), [](const node& n) { return n.is_scalar(); });
            if (plain) out << YAML::Flow;
            out << YAML::BeginSeq;
            for (std::size_t i = 0; i < part.items.size(); ++i)
                write(out, part.items[i], path + "[" + std::to_string(i) + "]", replaced);
            out << YAML::EndSeq;
            break;
        }
        case node::shape::map: {
            if (part.entries.empty()) out << YAML::Flow;
            out << YAML::BeginMap;
            for (const node::entry& e : part.entries) {
                out << YAML::Key << e.key << YAML::Value;
                write(out, e.value, path.empty() ? e.key : path + "." + e.key, replaced);
            }
            out << YAML::EndMap;
            break;
        }
    }
}

}  // namespace

std::string workload_path(std::size_t index, std::string_view key) {
    const std::string path = "workload[" + std::to_string(index) + "]";
    return key.empty() ? path : path + "." + std::string(key);
}

void loaded::fail(const std::string& path, const std::string& message, const std::string& proposal) const {
    const node* best = &resolved;
    const node* at = &resolved;
    for (const std::string& step : steps_of(path)) {
        if (at->is_list()) {
            const std::size_t index = std::stoul(step);
            if (index >= at->items.size()) break;
            at = &at->items[index];
        } else {
            at = at->find(step);
            if (at == nullptr) break;
        }
        if (at->at.line != 0 || at->origin != file) best = at;
    }
    best->fail(message, proposal);
}

std::string loaded::first_given(std::initializer_list<const char*> paths) const {
    for (const char* path : paths)
        if (given.contains(path)) return path;
    return *(paths.end() - 1);
}

namespace {

/// A path as seen from the current folder; `given_at`: null for a default.
std::string from_here(const loaded& scenario, const std::filesystem::path& written, const node* given_at) {
    const bool on_command_line = given_at != nullptr && given_at->origin != scenario.file;
    const bool here = written.is_absolute() || scenario.folder.empty() || on_command_line;
    return (here ? written : std::filesystem::path(scenario.folder) / written).string();
}

}  // namespace

std::string loaded::topology_path() const {
    return from_here(*this, values.network.topology.path, resolved.find("network")->find("topology")->find("path"));
}

std::optional<std::string> loaded::own_rtl_path() const {
    if (!values.network.own_rtl) return std::nullopt;
    return from_here(*this, *values.network.own_rtl, resolved.find("network")->find("own_rtl"));
}

std::optional<std::string> loaded::partition_path() const {
    if (!values.network.partition) return std::nullopt;
    return from_here(*this, *values.network.partition, resolved.find("network")->find("partition"));
}

std::vector<std::string> loaded::table_paths(const std::string& key, const std::vector<std::string>& names) const {
    const node* const at = resolved.find("network")->find("routing")->find(key);
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < names.size(); ++i)
        paths.push_back(from_here(*this, names[i], at->is_list() ? &at->items[i] : at));
    return paths;
}

std::optional<std::string> loaded::firmware_path() const {
    if (!values.ni.firmware) return std::nullopt;
    return from_here(*this, *values.ni.firmware, resolved.find("ni")->find("firmware"));
}

std::optional<std::string> loaded::rail_matrix_path() const {
    const std::string& written = values.rails.matrix;
    if (written.empty() || written == "1" || written == "2") return std::nullopt;
    return from_here(*this, written, resolved.find("rails")->find("matrix"));
}

std::optional<std::string> loaded::program_path(std::size_t workload) const {
    const std::string& written = values.workloads[workload].program.path;
    if (written.empty()) return std::nullopt;
    return from_here(*this, written, resolved.find("workload")->items[workload].find("path"));
}

std::optional<std::string> loaded::advice_path(std::size_t workload) const {
    const std::string& written = values.workloads[workload].program.table;
    if (written.empty()) return std::nullopt;
    return from_here(*this, written, resolved.find("workload")->items[workload].find("table"));
}

std::vector<std::string> loaded::program_files(std::size_t workload) const {
    const std::optional<std::string> path = program_path(workload);
    return path ? hw::programs::program_files(*path) : std::vector<std::string>{};
}

std::optional<std::string> loaded::groups_path(std::size_t workload) const {
    const std::string& written = values.workloads[workload].program.groups;
    if (written.empty()) return std::nullopt;
    return from_here(*this, written, resolved.find("workload")->items[workload].find("groups"));
}

std::optional<std::string> loaded::placement_path(std::size_t workload) const {
    const workload_settings& w = values.workloads[workload];
    const std::string& written = w.program.placement;
    if (written.empty() || written == "linear" || written == "random") return std::nullopt;
    return from_here(*this, written, resolved.find("workload")->items[workload].find("placement"));
}

std::string loaded::yaml(const std::map<std::string, std::string>& replaced) const {
    YAML::Emitter out;
    write(out, resolved, {}, replaced);
    return std::string(out.c_str()) + "\n";
}

node read_tree(const std::string& text, const std::string& file, bool positions) {
    node root = parse_document(text, file, positions);
    if (root.form == node::shape::null) {
        root.form = node::shape::map;
        root.origin = file;
    }
    if (!root.is_map()) root.fail("a scenario is a list of keys with values, such as 'workload: ...'");
    return root;
}

loaded load_tree(node root, const std::string& file, const std::string& folder) {
    expand_lists(root);
    loaded result;
    result.file = file;
    result.folder = folder;
    resolve(root, result);
    return result;
}

namespace {

loaded load_one(node root, const std::string& file, const std::string& folder,
                const std::vector<std::string>& overrides) {
    const std::vector<axis> axes = take_axes(root, overrides);
    if (!axes.empty())
        throw hw::input_error(axes.front().origin, axes.front().at,
                              "'" + join(axes.front().paths, ",") + "' is swept: this stands for several runs",
                              "`scripts/polycast run` runs them all, `polycast-sim sweep` lists them");
    return load_tree(std::move(root), file, folder);
}

}  // namespace

loaded load_text(const std::string& text, const std::string& file, const std::string& folder,
                 const std::vector<std::string>& overrides) {
    return load_one(read_tree(text, file), file, folder, overrides);
}

std::string read_text(const std::string& path) {
    std::error_code failed;
    if (std::filesystem::is_directory(path, failed))
        throw hw::input_error(path, {}, "is a folder, not a scenario file");
    std::ifstream in(path, std::ios::binary);
    if (!in)
        throw hw::input_error(path, {}, "cannot be read",
                              std::filesystem::exists(path, failed) ? "" : "there is no such file");
    std::string text;
    std::vector<char> block(1u << 16);
    // One byte more than is accepted is enough to see that it is too much, also of a device without end.
    while (text.size() <= most_bytes &&
           (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0)) {
        text.append(block.data(), static_cast<std::size_t>(in.gcount()));
    }
    if (in.bad()) throw hw::input_error(path, {}, "cannot be read to its end");
    return text;
}

std::string folder_of(const std::string& path) {
    return std::filesystem::path(path).parent_path().string();
}

node read_tree_of(const std::string& path, const std::string& writer) {
    return read_tree(read_text(path), writer.empty() ? path : writer, writer.empty());
}

loaded load_file(const std::string& path, const std::vector<std::string>& overrides, const std::string& writer) {
    const bool by_user = writer.empty();
    return load_one(read_tree_of(path, writer), by_user ? path : writer, by_user ? folder_of(path) : "", overrides);
}

}  // namespace polycast::tlm::scenario
