// SPDX-License-Identifier: Apache-2.0
#include "hw/subnet/fabric_files.h"

#include <algorithm>
#include <filesystem>

#include "hw/subnet/db_csv.h"
#include "hw/subnet/reading.h"
#include "hw/subnet/subnet_list.h"
#include "hw/topology/topology_file.h"

namespace polycast::hw::subnet {
namespace {

bool is_blank(char letter) {
    return letter == ' ' || letter == '\t';
}

std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    for (std::size_t at = 0; at < line.size() && words.size() < 16;) {
        while (at < line.size() && is_blank(line[at])) ++at;
        std::size_t end = at;
        while (end < line.size() && !is_blank(line[end])) ++end;
        if (end > at) words.push_back(line.substr(at, end - at));
        at = end;
    }
    return words;
}

bool is_number(std::string_view word, int base) {
    if (base == 16) {
        if (!word.starts_with("0x")) return false;
        word.remove_prefix(2);
    }
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
    return error == std::errc{} && end == word.data() + word.size();
}

/// What a file that begins with a record "Switch 0xH, base LID D" or "Channel Adapter ..." goes on with.
file_kind kind_of_rows(std::string_view text) {
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (line.starts_with("#in out")) return file_kind::lanes_dump;
        const auto words = words_of(line);
        if (words.empty() || words[0].starts_with('#')) continue;
        if (is_number(words[0], 16)) return file_kind::path_records;
        if (is_number(words[0], 10)) return file_kind::lanes_dump;
    }
    return file_kind::lanes_dump;
}

/// The kind of a file with this line; nothing if others must decide.
std::optional<file_kind> kind_of_line(std::string_view line, std::string_view behind) {
    const auto words = words_of(line);
    if (words.empty()) return std::nullopt;
    const auto begins = [&](std::string_view text) { return line.starts_with(text); };
    if (begins("{ SW") || begins("{ CA") || begins("{ Rt") || begins("{ **")) return file_kind::subnet_list;
    if (begins("dump_ucast_routes:") || begins("osm_ucast_mgr_dump_ucast_routes:")) return file_kind::fdbs;
    if (begins("Unicast lids")) return file_kind::lfts;
    if (begins("Multicast mlids")) return file_kind::mfts;
    if (begins("# SL2VL table:")) return file_kind::smpquery_lanes;
    if (begins("# VLArbitration tables:")) return file_kind::arbitration;
    if (begins("START_")) return file_kind::db_csv;
    if (begins("MC Group") && line.find("mlid=") != std::string_view::npos) return file_kind::members;
    if (begins("InformInfo Record:") || begins("Service Record:")) return file_kind::members;
    const bool based = line.find(", base LID ") != std::string_view::npos;
    if (based && (begins("Switch 0x") || begins("Channel Adapter 0x") || begins("Router 0x")))
        return kind_of_rows(behind);
    if (begins("Switch 0x") && words.size() == 2) return file_kind::mcfdbs;
    if (begins("# Topology file:")) return file_kind::ibnetdiscover;
    if (begins("#") || begins("MC Group")) return std::nullopt;
    if (is_number(words[0], 16) && words.size() == 11 && is_number(words[3], 16)) return file_kind::slvl;
    if (is_number(words[0], 16) && words.size() == 3 && is_number(words[1], 10) && is_number(words[2], 10))
        return file_kind::psl;
    const bool record = begins("Switch") || begins("Ca") || begins("Hca") || begins("Rt") || begins("vendid=") ||
                        begins("sysimgguid=") || begins("switchguid=") || begins("caguid=");
    if (record) {
        const auto format = topology::detect_format(std::string(line) + "\n" + std::string(behind));
        if (format == topology::file_format::ibnetdiscover) return file_kind::ibnetdiscover;
        if (format == topology::file_format::ibsim) return file_kind::ibsim;
    }
    return file_kind::unknown;
}

struct input {
    line_reader lines;
    file_kind kind = file_kind::unknown;
    bool named = true;  ///< by the user, not found in a folder
};

/// Where two topologies differ, in the words of an error at a place of the second.
void compare(const topology::infiniband_records& first, const topology::infiniband_records& second) {
    std::unordered_map<std::string, const topology::infiniband_node*> known;
    for (const topology::infiniband_node& one : first.nodes) known.emplace(one.id, &one);
    const char* proposal = "give topologies of one and the same sweep";
    for (const topology::infiniband_node& one : second.nodes) {
        const auto found = known.find(one.id);
        const auto differ = [&](std::uint32_t file, text_position at, const std::string& what) {
            second.fail(file, at, what + " than in " + first.files.front(), proposal);
        };
        if (found == known.end())
            second.fail(one.file, one.at, "'" + one.id + "' is not in " + first.files.front(), proposal);
        const topology::infiniband_node& other = *found->second;
        if (one.ports != other.ports) differ(one.file, one.at, "'" + one.id + "' has another number of ports");
        if (one.lid && other.lid && *one.lid != *other.lid)
            differ(one.file, one.at, "'" + one.id + "' has another LID");
        for (const auto& [port, cable] : one.cables) {
            const auto there = other.cables.find(port);
            const std::string name = "port " + std::to_string(port) + " of '" + one.id + "'";
            if (there == other.cables.end() || !there->second.same_as(cable))
                differ(cable.file, cable.at, name + " is cabled otherwise");
            if (cable.lid && there->second.lid && *cable.lid != *there->second.lid)
                differ(cable.file, cable.at, name + " has another LID");
        }
        if (one.cables.size() < other.cables.size()) differ(one.file, one.at, "'" + one.id + "' has fewer cables");
    }
    if (second.nodes.size() == first.nodes.size()) return;
    std::unordered_map<std::string, bool> seen;
    for (const topology::infiniband_node& one : second.nodes) seen.emplace(one.id, true);
    for (const topology::infiniband_node& one : first.nodes)
        if (!seen.contains(one.id))
            first.fail(one.file, one.at, "'" + one.id + "' is not in " + second.files.front(), proposal);
}

/// What the first topology does not tell, and the second does.
void complete(topology::infiniband_records& first, const topology::infiniband_records& second) {
    std::unordered_map<std::string, const topology::infiniband_node*> known;
    for (const topology::infiniband_node& one : second.nodes) known.emplace(one.id, &one);
    for (topology::infiniband_node& one : first.nodes) {
        const topology::infiniband_node& other = *known.at(one.id);
        if (!one.lid) one.lid = other.lid;
        if (!one.lmc) one.lmc = other.lmc;
        if (one.port_guid == 0) one.port_guid = other.port_guid;
        for (auto& [port, cable] : one.cables) {
            const topology::infiniband_cable& there = other.cables.at(port);
            if (!cable.lid) cable.lid = there.lid;
            if (!cable.lmc) cable.lmc = there.lmc;
            if (cable.port_guid == 0) cable.port_guid = there.port_guid;
        }
    }
}

/// What reads a file may fail at a line because the file is damaged: then that is said.
template <typename reader>
void read_whole(line_reader& in, const reader& read) {
    try {
        read(in);
    } catch (const input_error&) {
        in.check_rest();
        throw;
    }
}

void drop_uncabled(topology::infiniband_records& records) {
    std::erase_if(records.nodes,
                  [](const topology::infiniband_node& one) { return !one.is_switch && one.cables.empty(); });
}

using table_reader = void (*)(line_reader&, reading&);

/// Null for topologies.
table_reader reader_of(file_kind kind) {
    switch (kind) {
        case file_kind::fdbs: return read_fdbs;
        case file_kind::lfts: return read_lfts;
        case file_kind::mcfdbs: return read_mcfdbs;
        case file_kind::mfts: return read_mfts;
        case file_kind::lanes_dump: return read_lanes_dump;
        case file_kind::slvl: return read_slvl;
        case file_kind::smpquery_lanes: return read_smpquery_lanes;
        case file_kind::arbitration: return read_arbitration;
        case file_kind::psl: return read_psl;
        case file_kind::path_records: return read_path_records;
        case file_kind::members: return read_members;
        default: return nullptr;
    }
}

fabric join(std::vector<input>& inputs, const join_options& options) {
    fabric made;
    // Subnet lists first, then the others in the order of their kinds and names: the result does not depend on the
    // order in which they were given.
    std::stable_sort(inputs.begin(), inputs.end(), [](const input& a, const input& b) {
        return std::pair(a.kind, a.lines.file()) < std::pair(b.kind, b.lines.file());
    });
    subnet_list list;
    db_csv database;
    std::vector<topology::infiniband_records> topologies;
    bool has_list = false, has_database = false;
    for (input& one : inputs) {
        if (one.kind == file_kind::subnet_list) {
            read_whole(one.lines, [&](line_reader& in) { list.read(in); });
            has_list = true;
        } else if (one.kind == file_kind::db_csv) {
            read_whole(one.lines, [&](line_reader& in) { database.read(in); });
            has_database = true;
        } else if (one.kind == file_kind::ibnetdiscover) {
            topologies.push_back(topology::read_infiniband_records(one.lines.file(), one.lines.whole(), true));
            drop_uncabled(topologies.back());
        } else if (one.kind == file_kind::ibsim) {
            throw input_error(one.lines.file(), {}, "a net file of ibsim has no LIDs, which tables need",
                              "give the subnet list (opensm-subnet.lst) or a print-out of ibnetdiscover");
        } else if (one.kind == file_kind::unknown) {
            throw input_error(one.lines.file(), {}, "is no file of a fabric that is known here",
                              one.lines.file().ends_with(".vl") ? "VL arbitration is read as smpquery vlarb prints it"
                                                                : "hw/subnet/subnet.md lists the formats");
        }
    }
    if (has_database) topologies.insert(topologies.begin(), database.finish());
    if (has_list) topologies.insert(topologies.begin(), list.finish());
    if (topologies.empty())
        throw input_error("there is no topology among the files",
                          "give the subnet list (opensm-subnet.lst), or a print-out of ibnetdiscover");
    for (std::size_t i = 1; i < topologies.size(); ++i) {
        compare(topologies[0], topologies[i]);
        complete(topologies[0], topologies[i]);
    }
    reading to(made, options.partial);
    to.take_topology(topologies[0]);
    database.give_lanes(to);
    topologies.clear();
    bool has_tables = false;
    for (input& one : inputs) {
        to.add_file(one.lines.file());
        if (const auto read = reader_of(one.kind)) read_whole(one.lines, [&](line_reader& in) { read(in, to); });
        if (one.kind == file_kind::fdbs || one.kind == file_kind::lfts) has_tables = true;
    }
    if (!has_tables)
        throw input_error("there are no unicast tables among the files",
                          "give opensm.fdbs, or what dump_lfts or ibroute print");
    to.finish(options.lmc);
    return made;
}

fabric join_recognised(std::vector<input> inputs, const join_options& options) {
    for (input& one : inputs) one.kind = recognise(one.lines.head());
    std::erase_if(inputs, [](const input& one) { return one.kind == file_kind::empty; });
    return join(inputs, options);
}

}  // namespace

file_kind recognise(std::string_view head) {
    bool nothing = true;
    while (!head.empty()) {
        std::string_view line = head.substr(0, head.find('\n'));
        head.remove_prefix(std::min(head.size(), line.size() + 1));
        while (!line.empty() && (is_blank(line.back()) || line.back() == '\r')) line.remove_suffix(1);
        while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
        if (line.empty()) continue;
        nothing = false;
        if (const auto kind = kind_of_line(line, head)) return *kind;
    }
    return nothing ? file_kind::empty : file_kind::unknown;
}

fabric read_fabric(const std::vector<std::string>& paths, const join_options& options) {
    std::vector<input> inputs;
    std::vector<std::string> skipped, warnings;
    const auto add = [&](const std::string& path, bool named) {
        input one{line_reader(path, options.limits), file_kind::unknown, named};
        one.kind = recognise(one.lines.head());
        if (one.kind == file_kind::unknown && !named) {
            skipped.push_back(path);
            return;
        }
        if (one.kind == file_kind::empty && named) warnings.push_back(input_error(path, {}, "is empty").what());
        if (one.kind == file_kind::empty) return;
        inputs.push_back(std::move(one));
    };
    for (const std::string& path : paths) {
        std::error_code ignored;
        if (!std::filesystem::is_directory(path, ignored)) {
            add(path, true);
            continue;
        }
        std::vector<std::string> found;
        for (const auto& one : std::filesystem::directory_iterator(path, ignored))
            if (one.is_regular_file(ignored)) found.push_back(one.path().string());
        if (ignored) throw input_error(path, {}, "cannot be read: " + ignored.message());
        std::sort(found.begin(), found.end());
        for (const std::string& one : found) add(one, false);
    }
    fabric made = join(inputs, options);
    made.skipped = std::move(skipped);
    made.warnings.insert(made.warnings.begin(), warnings.begin(), warnings.end());
    return made;
}

fabric read_fabric_dumps(std::vector<dump> dumps, const join_options& options) {
    std::vector<input> inputs;
    for (dump& each : dumps) inputs.push_back({line_reader(each.name, std::move(each.bytes), options.limits)});
    return join_recognised(std::move(inputs), options);
}

fabric read_fabric_texts(const std::vector<std::pair<std::string, std::string_view>>& texts,
                         const join_options& options) {
    std::vector<input> inputs;
    for (const auto& [name, text] : texts) inputs.push_back({line_reader(name, text)});
    return join_recognised(std::move(inputs), options);
}

}  // namespace polycast::hw::subnet
