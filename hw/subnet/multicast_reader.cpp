// SPDX-License-Identifier: Apache-2.0
/// \file Multicast forwarding tables, and the members of groups.
#include <string>

#include "hw/subnet/reading.h"

namespace polycast::hw::subnet {
namespace {

void add_port(const line_reader& in, reading& to, std::optional<std::uint32_t> chip, multicast_row& row, unsigned port,
              text_position at) {
    if (chip) to.check_port(in, *chip, port, at);
    if (port == 0)
        row.self = true;
    else if (port <= topology::max_switch_ports)
        row.ports |= std::uint64_t{1} << (port - 1);
}

std::optional<std::uint32_t> take_switch(line_reader& in, reading& to) {
    in.skip_blanks();
    const text_position at = in.position();
    return to.switch_of(in, in.expect_guid(), at);
}

class mfts_reader {
public:
    mfts_reader(line_reader& in, reading& to) : in_(in), to_(to) {}

    void read() {
        while (in_.next_line()) {
            in_.skip_blanks();
            if (in_.at_end() || in_.peek() == '#' || in_.left().starts_with(script_warning)) continue;
            if (in_.left().starts_with("Multicast mlids")) {
                read_header();
            } else if (!open_) {
                in_.fail("a line outside of a table", "tables begin with 'Multicast mlids'");
            } else if (in_.left().starts_with("0x")) {
                read_row();
            } else if (in_.left().starts_with("Ports:") || in_.left().starts_with("MLid")) {
                titles_ = true;
            } else if (!titles_) {
                // Tens of the port numbers, above the titles.
                if (in_.left().find_first_not_of("0123456789 \t") != std::string_view::npos)
                    in_.fail("unknown line " + topology::excerpt(in_.line()));
            } else {
                read_end();
            }
        }
        if (open_)
            in_.fail("the table of the last switch has no end, 'N valid mlids dumped'", "is the file cut short?");
    }

private:
    void read_header() {
        if (open_) in_.fail("the table before has no end, 'N valid mlids dumped'", "is the file cut short?");
        in_.expect("Multicast mlids");
        in_.expect("[");
        in_.expect_hexadecimal("MLID", 0, 0xffff);
        in_.expect("-");
        in_.expect_hexadecimal("MLID", 0, 0xffff);
        in_.expect("]");
        in_.expect("of switch");
        const std::size_t guid_at = in_.left().find(" guid 0x");
        if (guid_at == std::string_view::npos) in_.fail("expected 'guid 0x...'", "is the line cut short?");
        in_.advance(guid_at + 6);
        chip_ = take_switch(in_, to_);
        open_ = true;
        titles_ = false;
        rows_ = 0;
    }

    void read_row() {
        constexpr std::size_t first_column = 12;
        const text_position at = in_.position();
        const unsigned mlid = in_.expect_mlid();
        multicast_row row;
        const std::string_view line = in_.line();
        for (std::size_t column = in_.position().column - 1; column < line.size(); ++column) {
            if (line[column] == ' ' || line[column] == '\t') continue;
            const text_position here{at.line, static_cast<unsigned>(column + 1)};
            if (line[column] != 'x' || column < first_column || (column - first_column) % 2 != 0)
                in_.fail_at(here, "expected 'x' in a port's column",
                            "port 0 is in column 13, and each of the others two further");
            add_port(in_, to_, chip_, row, static_cast<unsigned>(column - first_column) / 2, here);
        }
        ++rows_;
        if (chip_) to_.set_multicast(in_, *chip_, mlid, row, at);
    }

    void read_end() {
        const text_position at = in_.position();
        const auto count = in_.take_number<unsigned>();
        if (!count) in_.fail_at(at, "unknown line " + topology::excerpt(in_.line()));
        in_.expect("valid mlids dumped");
        in_.expect_end();
        if (*count != rows_)
            in_.fail_at(at, std::to_string(*count) + " rows were dumped, but " + std::to_string(rows_) + " are here",
                        "is the file cut?");
        open_ = false;
    }

    line_reader& in_;
    reading& to_;
    std::optional<std::uint32_t> chip_;
    bool open_ = false, titles_ = false;
    unsigned rows_ = 0;
};

/// The value of "key=0xH" further on in the line.
std::uint64_t value_of(line_reader& in, std::string_view key) {
    const std::size_t found = in.left().find(key);
    if (found == std::string_view::npos) in.fail("expected '" + std::string(key) + "0x...'", "is the line cut short?");
    in.advance(found + key.size());
    const text_position at = in.position();
    if (!in.take("0x")) in.fail_at(at, "expected a hexadecimal number");
    const auto value = in.take_number<std::uint64_t>(16);
    if (!value) in.fail_at(at, "expected a hexadecimal number");
    return *value;
}

}  // namespace

void read_mcfdbs(line_reader& in, reading& to) {
    std::optional<std::uint32_t> chip;
    bool begun = false;
    while (in.next_line()) {
        in.skip_blanks();
        if (in.at_end() || in.peek() == '#' || in.left().starts_with("MC Group")) continue;
        if (in.take("Switch ")) {
            chip = take_switch(in, to);
            in.expect_end();
            begun = true;
        } else if (in.take("LID")) {
            in.expect(":");
            in.expect("Out Port(s)");
            in.expect_end();
        } else {
            const text_position at = in.position();
            const unsigned mlid = in.expect_mlid();
            if (!begun) in.fail_at(at, "a row outside of a table", "tables begin with 'Switch 0x...'");
            in.expect(":");
            multicast_row row;
            for (in.skip_blanks(); !in.at_end(); in.skip_blanks()) {
                const text_position port_at = in.position();
                add_port(in, to, chip, row, in.expect_hexadecimal("port", 0, max_port), port_at);
            }
            if (row.ports == 0 && !row.self) in.fail("a row without ports", "is the line cut short?");
            if (chip) to.set_multicast(in, *chip, mlid, row, at);
        }
    }
}

void read_mfts(line_reader& in, reading& to) {
    mfts_reader(in, to).read();
}

void read_members(line_reader& in, reading& to) {
    group_members* group = nullptr;
    while (in.next_line()) {
        in.skip_blanks();
        if (in.at_end() || in.peek() == '#') continue;
        const text_position at = in.position();
        if (in.take("MC Group")) {
            in.expect_mlid();
            const std::uint64_t mlid = value_of(in, " mlid=");
            if (mlid < min_mlid || mlid > max_mlid)
                in.fail_at(at, "MLID of the group is out of range", "it is 0xc000 to 0xfffe");
            const std::uint64_t flow = value_of(in, " sl_flow_hop=");
            if (flow > 0xffffffff) in.fail("sl_flow_hop has more than 32 bits");
            group = &to.made.groups[static_cast<unsigned>(mlid)];
            if (group->service_levels == 0) group->at = to.here(at);
            group->service_levels = static_cast<std::uint16_t>(group->service_levels | 1u << (flow >> 28));
        } else if (in.take("mcm_port:")) {
            if (group == nullptr) in.fail_at(at, "a member outside of a group", "groups begin with 'MC Group'");
            value_of(in, "port_gid=");
            in.expect(":");
            const text_position guid_at = in.position();
            const std::uint64_t guid = in.expect_guid();
            const std::uint64_t state = value_of(in, " scope_state=") & 15;
            const auto owner = to.owner_of_port(guid);
            if (owner && owner->is_switch) continue;
            if (const auto host = to.host_of_port(in, guid, guid_at))
                group->receive[*host] |= static_cast<unsigned>(state);
        } else if (!in.left().starts_with("InformInfo Record:") && !in.left().starts_with("Service Record:")) {
            in.fail("unknown line " + topology::excerpt(in.line()), "known: MC Group, mcm_port");
        }
    }
}

}  // namespace polycast::hw::subnet
