// SPDX-License-Identifier: Apache-2.0
/// \file Unicast forwarding tables: OpenSM's and ibdiagnet's fdbs, and the forms of ibroute, dump_lfts and OpenSM's LFT
/// dump.
#include <algorithm>
#include <string>

#include "hw/subnet/reading.h"

namespace polycast::hw::subnet {
namespace {

/// "Switch 0xH" of fdbs has been taken up to the GUID.
std::optional<std::uint32_t> take_switch(line_reader& in, reading& to) {
    in.skip_blanks();
    const text_position at = in.position();
    const std::uint64_t guid = in.expect_guid();
    in.expect_end();
    return to.switch_of(in, guid, at);
}

void read_fdbs_row(line_reader& in, reading& to, std::optional<std::uint32_t> chip) {
    const unsigned lid = in.expect_lid();
    in.expect(":");
    in.skip_blanks();
    const text_position at = in.position();
    std::uint8_t port = no_path;
    std::uint8_t hops = not_told;
    if (!in.take("UNREACHABLE")) {
        port = static_cast<std::uint8_t>(in.expect_decimal("port", 0, max_port));
        in.expect(":");
        in.skip_blanks();
        if (!in.take("HOPS UNKNOWN")) {
            hops = static_cast<std::uint8_t>(in.expect_decimal("number of hops", 0, 254));
            in.expect(":");
            in.skip_blanks();
            if (!in.take("yes")) {
                in.take(":");  // OpenSM writes it twice
                in.expect("No");
                in.expect_decimal("number of hops", 0, 255);
                in.expect("hop path possible via port");
                in.expect_decimal("port", 0, 255);
                in.expect("!");
            }
        }
    }
    in.expect_end();
    if (!chip) return;
    switch_state& state = to.made.switches[*chip];
    to.set_unicast(in, state.fdbs, *chip, lid, port, at);
    if (hops != not_told) state.hops.set(lid, hops);
}

/// What follows "of switch " in a header: the place, the GUID and the name.
std::optional<std::uint32_t> take_header(line_reader& in, reading& to) {
    in.expect("of switch");
    in.skip_blanks();
    // A name may hold anything, but comes last.
    const std::size_t guid_at = in.left().find(" guid 0x");
    if (guid_at == std::string_view::npos || !(in.left().starts_with("Lid ") || in.left().starts_with("DR path ")))
        in.fail("expected 'Lid N' or 'DR path ...', then 'guid 0x...'", "is the line cut short?");
    in.advance(guid_at + 6);
    const text_position at = in.position();
    const std::uint64_t guid = in.expect_guid();
    in.expect("(");
    const std::string_view name = in.left().substr(0, in.left().find_last_not_of(" \t") + 1);
    if (!name.ends_with("):")) in.fail("expected the switch's name and '):' at the end", "is the line cut short?");
    return to.switch_of(in, guid, at);
}

/// "portguid 0xH: 'NAME'", or "portguid 0xH" alone; then what `end` says.
std::uint64_t take_port_guid(line_reader& in, bool named) {
    in.expect("portguid");
    const std::uint64_t guid = in.expect_guid();
    if (named) {
        in.expect(":");
        in.expect("'");
        const std::size_t quote = in.left().rfind('\'');
        if (quote == std::string_view::npos) in.fail("the closing ' of a name is missing", "is the line cut short?");
        in.advance(quote + 1);
    }
    return guid;
}

std::string take_type(line_reader& in) {
    in.skip_blanks();
    for (const char* type : {"Channel Adapter", "Switch", "Router"})
        if (in.take(type)) return type;
    in.fail("unknown type of node " + topology::excerpt(in.left()), "known: Channel Adapter, Switch, Router");
}

class lfts_reader {
public:
    lfts_reader(line_reader& in, reading& to) : in_(in), to_(to) {}

    void read() {
        while (in_.next_line()) {
            in_.skip_blanks();
            if (in_.at_end() || in_.peek() == '#' || in_.left().starts_with(script_warning)) continue;
            if (in_.left().starts_with("Unicast lids")) {
                read_header();
            } else if (in_.left().starts_with("0x")) {
                if (!open_) in_.fail("a row outside of a table", "tables begin with 'Unicast lids'");
                read_row();
            } else if (in_.left().starts_with("Lid") || in_.left().starts_with("Port")) {
                read_titles();
            } else {
                read_end();
            }
        }
        if (open_) in_.fail("the table of the last switch has no end, 'N lids dumped'", "is the file cut short?");
    }

private:
    void read_header() {
        if (open_) in_.fail("the table before has no end, 'N lids dumped'", "is the file cut short?");
        in_.expect("Unicast lids");
        in_.expect("[");
        const bool hexadecimal = in_.left().starts_with("0x");
        const auto bound = [&] {
            return hexadecimal ? in_.expect_hexadecimal("LID", 0, 0xffff) : in_.expect_decimal("LID", 0, 0xffff);
        };
        bound();
        in_.expect("-");
        bound();
        in_.expect("]");
        chip_ = take_header(in_, to_);
        if (chip_) to_.made.switches[*chip_].lfts.told = true;
        open_ = true;
        rows_ = last_ = 0;
    }

    void read_titles() {
        for (const std::string_view word : {"Lid", "Out", "Destination", "Port", "Info"}) {
            in_.skip_blanks();
            in_.take(word);
        }
        in_.expect_end();
    }

    void read_row() {
        const text_position lid_at = in_.position();
        const unsigned lid = in_.expect_lid();
        in_.skip_blanks();
        const text_position at = in_.position();
        const auto port = static_cast<std::uint8_t>(in_.expect_decimal("port", 0, 255));
        in_.skip_blanks();
        if (in_.take("#")) {
            in_.skip_blanks();
            if (!in_.take("unknown node and type")) {
                const std::string type = take_type(in_);
                to_.note_owner(in_, take_port_guid(in_, true), type, lid, lid_at);
            }
        } else {
            in_.expect(":");
            in_.expect("(");
            in_.skip_blanks();
            if (in_.take("path #")) {
                in_.expect_decimal("number of a path", 1, 128);
                in_.expect("out of");
                in_.expect_decimal("number of paths", 1, 128);
                in_.expect(":");
                to_.note_owner(in_, take_port_guid(in_, false), {}, lid, lid_at);
            } else if (!in_.take("unknown node and type")) {
                const std::string type = take_type(in_);
                to_.note_owner(in_, take_port_guid(in_, true), type, lid, lid_at);
            }
            in_.expect(")");
        }
        in_.expect_end();
        if (port == 254) in_.fail_at(at, "port 254 is out of range", "it is 0 to 253, or 255 for none");
        ++rows_;
        last_ = std::max(last_, lid);
        if (chip_) to_.set_unicast(in_, to_.made.switches[*chip_].lfts, *chip_, lid, port, at);
    }

    void read_end() {
        const text_position at = in_.position();
        const auto count = in_.take_number<unsigned>();
        if (!count || !open_) in_.fail_at(at, "unknown line " + topology::excerpt(in_.line()));
        in_.skip_blanks();
        const bool valid = in_.take("valid");
        in_.expect("lids dumped");
        in_.expect_end();
        if (valid && *count != rows_)
            in_.fail_at(at, std::to_string(*count) + " rows were dumped, but " + std::to_string(rows_) + " are here",
                        "is the file cut?");
        if (!valid && *count < last_)
            in_.fail_at(at,
                        "LIDs to " + std::to_string(*count) + " were dumped, but a row has " + std::to_string(last_),
                        "is the file cut?");
        open_ = false;
    }

    line_reader& in_;
    reading& to_;
    std::optional<std::uint32_t> chip_;
    bool open_ = false;
    unsigned rows_ = 0, last_ = 0;
};

}  // namespace

void read_fdbs(line_reader& in, reading& to) {
    std::optional<std::uint32_t> chip;
    bool begun = false;
    while (in.next_line()) {
        in.skip_blanks();
        if (in.left().starts_with("0x")) {
            if (!begun) in.fail("a row outside of a table", "tables begin with 'dump_ucast_routes: Switch 0x...'");
            read_fdbs_row(in, to, chip);
            continue;
        }
        if (in.at_end() || in.peek() == '#') continue;
        in.take("osm_ucast_mgr_");
        if (in.take("dump_ucast_routes:")) {
            in.expect("Switch");
            chip = take_switch(in, to);
            if (chip) to.made.switches[*chip].fdbs.told = true;
            begun = true;
        } else if (in.take("PLFT_NUM:")) {
            in.skip_blanks();
            const text_position at = in.position();
            if (in.expect_decimal("number of a table", 0, 255) != 0)
                in.fail_at(at, "private LFTs are not read", "only table 0 is: leave the others out");
        } else {
            for (const std::string_view word : {"LID", ":", "Port", ":", "Hops", ":", "Optimal"}) in.expect(word);
            in.expect_end();
        }
    }
}

void read_lfts(line_reader& in, reading& to) {
    lfts_reader(in, to).read();
}

}  // namespace polycast::hw::subnet
