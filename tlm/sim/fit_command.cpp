// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/fit_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "hw/collectives/fit.h"
#include "hw/input_error.h"
#include "hw/topology/text_file.h"
#include "tlm/scenario/propose.h"
#include "tlm/scenario/quantity.h"
#include "tlm/sim/analyse/analyse_command_line.h"
#include "tlm/sim/analyse/choice.h"
#include "tlm/sim/json_file.h"

namespace polycast::tlm::sim {

namespace {

using hw::collectives::measured_time;
using json = nlohmann::ordered_json;

/// As nccl-tests write them.
const std::vector<std::string> columns{"size", "count", "type", "redop", "root", "time", "algbw", "busbw", "wrong"};

std::vector<std::string> fields_of(const std::string& line) {
    std::vector<std::string> fields;
    std::istringstream rest(line);
    for (std::string field; std::getline(rest, field, ',');) {
        const std::size_t begin = field.find_first_not_of(" \t\r");
        fields.push_back(begin == std::string::npos ? ""
                                                    : field.substr(begin, field.find_last_not_of(" \t\r") - begin + 1));
    }
    return fields;
}

double number_at(const std::string& file, unsigned line, const char* column, const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value) || value <= 0)
        throw hw::input_error(file, {line, 1}, fmt::format("{}: expected a number above 0, found '{}'", column, text));
    return value;
}

/// Sizes in bytes and times in us, in the order of the file.
std::vector<measured_time> read(const std::string& file) {
    std::istringstream lines(hw::topology::read_text_file(file, "measurements"));
    std::vector<measured_time> found;
    std::string line;
    bool titled = false;
    for (unsigned number = 1; std::getline(lines, line); ++number) {
        const std::vector<std::string> fields = fields_of(line);
        if (fields.empty() || fields.front().empty() || fields.front().front() == '#') continue;
        if (!titled) {
            if (fields != columns)
                throw hw::input_error(file, {number, 1}, "these are not the columns of nccl-tests",
                                      scenario::join(columns, ","));
            titled = true;
            continue;
        }
        if (fields.size() != columns.size())
            throw hw::input_error(file, {number, 1},
                                  fmt::format("expected {} fields, found {}", columns.size(), fields.size()));
        const double size = number_at(file, number, "size", fields[0]);
        if (size != std::floor(size) || size >= 4294967296.0)
            throw hw::input_error(file, {number, 1},
                                  "size: expected whole bytes below 4 GiB, found '" + fields[0] + "'");
        found.push_back({static_cast<std::uint64_t>(size), 1e3 * number_at(file, number, "time", fields[5])});
    }
    if (found.size() < 2) throw hw::input_error(file, {}, "has fewer than two rows");
    return found;
}

const measured_time& row_of(const std::vector<measured_time>& rows, const std::string& text) {
    const auto given = scenario::parse_quantity(text);
    const auto bytes = given && given->unit != "flit" ? scenario::to_base(*given, scenario::dimension::bytes, {})
                                                      : std::optional<scenario::exact>{};
    if (!bytes) throw hw::input_error("--at: expected a size, found '" + text + "'", "'1 KiB,256 MiB'");
    const auto found =
        std::ranges::find_if(rows, [&](const measured_time& row) { return *bytes == scenario::exact(row.bytes); });
    if (found == rows.end()) {
        std::vector<std::string> sizes;
        for (const measured_time& row : rows) sizes.push_back(std::to_string(row.bytes));
        throw hw::input_error("--at: the file has no row of " + text, "it has " + scenario::join(sizes));
    }
    return *found;
}

}  // namespace

int fit_measured(const fit_options& options) {
    hw::collectives::collective made;
    made.kind = choice("--collective", options.collective, hw::programs::collective_kinds);
    made.combined.type = choice("--type", options.type, hw::programs::element_types);
    made.ranks = options.ranks;
    const hw::collectives::algorithm* const by = hw::collectives::find_algorithm(made.kind, options.algorithm);
    if (by == nullptr) {
        std::vector<std::string> names;
        for (const hw::collectives::algorithm* each : hw::collectives::algorithms())
            if (each->of == made.kind) names.emplace_back(each->name);
        throw hw::input_error("--algorithm: '" + options.collective + "' has no '" + options.algorithm + "'",
                              scenario::propose(options.algorithm, names));
    }
    const std::vector<measured_time> rows = read(options.file);
    const std::vector<std::string> at = names_in(options.at);
    if (at.size() != 2) throw hw::input_error("--at takes two sizes", "'1 KiB,256 MiB'");
    measured_time less = row_of(rows, at[0]), more = row_of(rows, at[1]);
    if (less.bytes > more.bytes) std::swap(less, more);
    if (less.bytes == more.bytes) throw hw::input_error("--at names a size twice", "take a short one and a long one");
    std::optional<double> link;
    if (!options.link.empty()) {
        const auto given = scenario::parse_quantity(options.link);
        const auto rate = given ? scenario::to_base(*given, scenario::dimension::line_rate, {}) : std::nullopt;
        if (!rate || *rate <= 0)
            throw hw::input_error("--link: expected bytes or bits per second, found '" + options.link + "'",
                                  "246 GB/s");
        if (!hw::programs::reduces(made.kind))
            throw hw::input_error(
                "--link: '" + options.collective + "' reduces nothing that could be fitted in its place",
                "leave it out");
        link = boost::rational_cast<double>(*rate) * 1e-9;
    }
    const hw::collectives::fitted_machine found = fit(*by, made, less, more, link);
    json errors = json::array();
    double worst = 0;
    for (const measured_time& row : rows) {
        const double took = nanoseconds_of(*by, made, row.bytes, found);
        const bool used = row.bytes == less.bytes || row.bytes == more.bytes;
        const double error = took / row.nanoseconds - 1;
        if (!used) worst = std::max(worst, std::abs(error));
        errors.push_back({{"size", row.bytes},
                          {"measured_us", row.nanoseconds / 1e3},
                          {"fitted_us", took / 1e3},
                          {"error", error},
                          {"used", used}});
    }
    if (!options.json.empty())
        write_json(options.json, {{"collective", options.collective},
                                  {"algorithm", options.algorithm},
                                  {"ranks", options.ranks},
                                  {"overhead_ns", found.overhead},
                                  {"link_bytes_per_s", found.link * 1e9},
                                  {"reduce_bytes_per_s", found.reduce == 0 ? json("free") : json(found.reduce * 1e9)},
                                  {"worst_error", worst},
                                  {"sizes", errors}});
    if (options.json == "-") return 0;
    fmt::print("{}: {} by {}, {} ranks\n", options.file, options.collective, options.algorithm, options.ranks);
    fmt::print("t_hs = t_hr = {} ns, link {:.4g} GB/s, reduce {}\n", found.overhead, found.link,
               found.reduce == 0 ? "free" : fmt::format("{:.4g} GB/s", found.reduce));
    for (const json& row : errors)
        fmt::print(
            "{:>12} B  measured {:>9.2f} us  fitted {:>9.2f} us  {}\n", row["size"].get<std::uint64_t>(),
            row["measured_us"].get<double>(), row["fitted_us"].get<double>(),
            row["used"].get<bool>() ? "fitted to it" : fmt::format("{:+.1f} %", 100 * row["error"].get<double>()));
    fmt::print("worst error at the other sizes: {:.1f} %\n", 100 * worst);
    return 0;
}

}  // namespace polycast::tlm::sim
