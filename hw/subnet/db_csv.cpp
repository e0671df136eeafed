// SPDX-License-Identifier: Apache-2.0
#include "hw/subnet/db_csv.h"

#include <algorithm>
#include <unordered_map>

#include "hw/subnet/reading.h"
#include "hw/topology/guid.h"
#include "hw/topology/nearest_name.h"

namespace polycast::hw::subnet {
namespace {

using topology::infiniband_cable;
using topology::infiniband_node;

struct field {
    std::string text;
    text_position at;
};

/// Fields between commas, with blanks around them or not; quotes protect commas, and a quote inside is doubled or not.
std::vector<field> fields_of(line_reader& in) {
    std::vector<field> fields;
    const std::string_view line = in.line();
    const auto behind_blanks = [line](std::size_t at) {
        return std::min(line.find_first_not_of(" \t", at), line.size());
    };
    std::size_t at = 0;
    while (true) {
        at = behind_blanks(at);
        field one;
        one.at = {in.position().line, static_cast<unsigned>(at + 1)};
        std::size_t end = at;
        if (at < line.size() && line[at] == '"') {
            // The closing quote is one in front of a comma or the end of the line.
            std::size_t quote = at;
            do {
                quote = line.find('"', quote + 1);
                if (quote == std::string_view::npos)
                    in.fail_at(one.at, "the closing \" is missing", "is the line cut short?");
                end = behind_blanks(quote + 1);
            } while (end < line.size() && line[end] != ',');
            one.text = line.substr(at + 1, quote - at - 1);
        } else {
            end = std::min(line.find(',', at), line.size());
            std::string_view text = line.substr(at, end - at);
            text.remove_suffix(text.size() - (text.find_last_not_of(" \t") + 1));
            one.text = text;
        }
        fields.push_back(std::move(one));
        if (end >= line.size()) return fields;
        at = end + 1;
    }
}

std::string id_of(const infiniband_node& one) {
    std::string digits = topology::guid_text(one.guid).substr(2);
    digits.insert(0, 16 - digits.size(), '0');
    return (one.is_switch ? "S-" : one.is_router ? "R-" : "H-") + digits;
}

/// Lanes by the code of OpVLs.
unsigned lanes_of(unsigned code) {
    constexpr unsigned lanes[] = {0, 1, 2, 4, 8, 15};
    return code < std::size(lanes) ? lanes[code] : 0;
}

}  // namespace

/// One line of a section, with its columns by name.
class db_csv::row {
public:
    row(const line_reader& in, const std::vector<std::string>& columns, const std::vector<field>& fields,
        text_position end)
        : in_(in), columns_(columns), fields_(fields), end_(end) {}

    const field* find(const std::string& column) const {
        const auto found = std::find(columns_.begin(), columns_.end(), column);
        const auto index = static_cast<std::size_t>(found - columns_.begin());
        if (index >= fields_.size() || fields_[index].text.empty() || fields_[index].text == "N/A") return nullptr;
        return &fields_[index];
    }

    std::optional<unsigned> number(const std::string& column, unsigned least, unsigned most) const {
        const field* one = find(column);
        if (one == nullptr) return std::nullopt;
        const auto value = parse(*one);
        if (!value || *value < least || *value > most)
            in_.fail_at(one->at, column + " " + topology::excerpt(one->text) + " is no number from " +
                                     std::to_string(least) + " to " + std::to_string(most));
        return static_cast<unsigned>(*value);
    }

    unsigned needed(const std::string& column, unsigned least, unsigned most) const {
        const auto value = number(column, least, most);
        if (!value) in_.fail_at(end_, "the line has no " + column, "is it cut short?");
        return *value;
    }

    std::uint64_t guid(const std::string& column, bool needed) const {
        const field* one = find(column);
        if (one == nullptr && needed) in_.fail_at(end_, "the line has no " + column, "is it cut short?");
        if (one == nullptr) return 0;
        const auto value = parse(*one, 16);
        if (!value || (*value == 0 && needed))
            in_.fail_at(one->at, column + " " + topology::excerpt(one->text) + " is no GUID like 0x200005");
        return *value;
    }

private:
    static std::optional<std::uint64_t> parse(const field& one, int base = 10) {
        std::string_view text = one.text;
        if (text.starts_with("0x")) {
            base = 16;
            text.remove_prefix(2);
        }
        if (text.size() > 20) return std::nullopt;
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
        if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
        return value;
    }

    const line_reader& in_;
    const std::vector<std::string>& columns_;
    const std::vector<field>& fields_;
    text_position end_;
};

void db_csv::read_section(line_reader& in, const std::string& name) {
    const text_position begun = in.position();
    const bool counts = name == "NODES" || name == "LINKS" || name == "PORTS";
    const auto file = static_cast<std::uint32_t>(records_.files.size() - 1);
    std::vector<std::string> columns;
    while (in.next_line()) {
        const std::string_view line = in.line();
        if (line.starts_with("END_")) {
            if (line.substr(4, line.find_last_not_of(" \t") - 3) != name)
                in.fail("expected END_" + name + ", the section began in line " + std::to_string(begun.line),
                        "is the file cut?");
            return;
        }
        if (line.starts_with("START_")) in.fail("section " + name + " has no END_" + name, "is the file cut?");
        if (!counts || line.find_first_not_of(" \t") == std::string_view::npos || line.starts_with('#')) continue;
        const std::vector<field> fields = fields_of(in);
        if (columns.empty()) {
            for (const field& one : fields) columns.push_back(one.text);
            const auto need = [&](std::initializer_list<const char*> names) {
                for (const char* one : names)
                    if (std::find(columns.begin(), columns.end(), one) == columns.end())
                        in.fail("section " + name + " has no column " + one, topology::propose_name(one, columns));
            };
            if (name == "NODES") need({"NodeDesc", "NumPorts", "NodeType", "NodeGUID"});
            if (name == "LINKS") need({"NodeGuid1", "PortNum1", "NodeGuid2", "PortNum2"});
            if (name == "PORTS") need({"NodeGuid", "PortGuid", "PortNum", "LID"});
            continue;
        }
        const text_position at{in.position().line, 1};
        const row told(in, columns, fields, {at.line, static_cast<unsigned>(line.size() + 1)});
        if (name == "NODES") {
            infiniband_node one;
            const unsigned type = told.needed("NodeType", 1, 3);
            one.is_switch = type == 2;
            one.is_router = type == 3;
            one.ports = told.needed("NumPorts", 1, one.is_switch ? topology::max_switch_ports : 255);
            one.guid = told.guid("NodeGUID", true);
            one.port_guid = told.guid("PortGUID", false);
            if (const field* words = told.find("NodeDesc")) one.description = words->text;
            one.id = id_of(one);
            one.at = at;
            one.file = file;
            records_.nodes.push_back(std::move(one));
        } else if (name == "LINKS") {
            link one;
            one.guids[0] = told.guid("NodeGuid1", true);
            one.ports[0] = told.needed("PortNum1", 1, max_port);
            one.guids[1] = told.guid("NodeGuid2", true);
            one.ports[1] = told.needed("PortNum2", 1, max_port);
            one.file = file;
            one.at = at;
            links_.push_back(one);
        } else {
            port one;
            one.node_guid = told.guid("NodeGuid", true);
            one.port_guid = told.guid("PortGuid", false);
            one.number = told.needed("PortNum", 0, max_port);
            one.lid = told.number("LID", 0, 0xffff);
            one.lmc = told.number("LMC", 0, 7);
            one.vls = lanes_of(told.number("OpVLs", 0, 15).value_or(0));
            one.file = file;
            one.at = at;
            ports_.push_back(one);
        }
    }
    in.fail_at(begun, "section " + name + " has no END_" + name, "is the file cut short?");
}

void db_csv::read(line_reader& in) {
    records_.files.push_back(in.file());
    while (in.next_line()) {
        in.skip_blanks();
        if (in.at_end() || in.peek() == '#') continue;
        if (!in.take("START_")) in.fail("expected a section, START_...");
        const std::string name(in.take_until(" \t"));
        in.expect_end();
        read_section(in, name);
    }
}

topology::infiniband_records db_csv::finish() {
    std::unordered_map<std::uint64_t, std::size_t> numbers;
    for (std::size_t n = 0; n < records_.nodes.size(); ++n) {
        const infiniband_node& one = records_.nodes[n];
        if (!numbers.emplace(one.guid, n).second)
            records_.fail(one.file, one.at, "there is already a node " + topology::guid_text(one.guid));
    }
    const auto node_of = [&](std::uint64_t guid, std::uint32_t file, text_position at) -> infiniband_node& {
        const auto found = numbers.find(guid);
        if (found == numbers.end())
            records_.fail(file, at, "section NODES has no node " + topology::guid_text(guid), "is the file cut?");
        return records_.nodes[found->second];
    };
    for (const link& one : links_)
        for (const int end : {0, 1}) {
            infiniband_node& node = node_of(one.guids[end], one.file, one.at);
            infiniband_cable cable;
            cable.remote = node_of(one.guids[1 - end], one.file, one.at).id;
            cable.remote_port = one.ports[1 - end];
            cable.at = one.at;
            cable.file = one.file;
            if (one.ports[end] > node.ports)
                records_.fail(one.file, one.at, "'" + node.id + "' has no port " + std::to_string(one.ports[end]),
                              "its ports are 1 to " + std::to_string(node.ports));
            const auto [known, is_new] = node.cables.try_emplace(one.ports[end], cable);
            if (!is_new && !known->second.same_as(cable))
                records_.fail(one.file, one.at,
                              "port " + std::to_string(one.ports[end]) + " of '" + node.id +
                                  "' is cabled twice (line " + std::to_string(known->second.at.line) + ")");
        }
    for (const port& one : ports_) {
        infiniband_node& node = node_of(one.node_guid, one.file, one.at);
        if (node.is_switch && one.number == 0) {
            node.port_guid = one.port_guid;
            node.lid = one.lid;
            node.lmc = one.lmc;
        }
        const auto cable = node.cables.find(one.number);
        if (node.is_switch || cable == node.cables.end()) continue;
        cable->second.port_guid = one.port_guid;
        cable->second.lid = one.lid;
        cable->second.lmc = one.lmc;
    }
    std::erase_if(records_.nodes, [](const infiniband_node& one) { return !one.is_switch && one.cables.empty(); });
    topology::check_cables(records_);
    return std::move(records_);
}

void db_csv::give_lanes(reading& to) const {
    for (const port& one : ports_)
        if (one.vls != 0) to.set_operational_vls(one.node_guid, one.number, one.vls);
}

}  // namespace polycast::hw::subnet
