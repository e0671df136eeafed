// SPDX-License-Identifier: Apache-2.0
/// \file SL to VL in three forms, VL arbitration, and path SLs in two.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "hw/subnet/reading.h"

namespace polycast::hw::subnet {
namespace {

/// "0xGUID, base LID D, "NAME"" behind the kind of a node. \returns the GUID
std::uint64_t take_record(line_reader& in, text_position& at) {
    in.skip_blanks();
    at = in.position();
    const std::uint64_t guid = in.expect_guid();
    in.expect(",");
    in.expect("base LID");
    in.expect_decimal("LID", 0, 0xffff);
    return guid;  // the rest is a name, if anything
}

/// 16 VLs, each by `one`.
template <typename function>
lane_row take_lanes(const function& one) {
    lane_row row = 0;
    for (unsigned sl = 0; sl < 16; ++sl) row |= static_cast<lane_row>(one()) << (4 * sl);
    return row;
}

/// Whose rows these are: a switch's or a host's, or nobody's that is known.
struct subject {
    std::optional<std::uint32_t> chip;
    std::vector<std::uint32_t> hosts;

    void set(const line_reader& in, reading& to, unsigned from, unsigned out, lane_row row, text_position at) const {
        to.made.has_lanes = true;
        if (chip) to.set_lanes(in, *chip, from, out, row, at);
        for (const std::uint32_t host : hosts) {
            if (from != 0 || out != 0) in.fail_at(at, "adapters have one row, of ports 0 and 0");
            to.set_host_lanes(in, host, row, at);
        }
    }
};

/// A node GUID: a switch, or all hosts of an adapter.
subject subject_of_node(const line_reader& in, reading& to, std::uint64_t guid, text_position at) {
    subject found;
    found.hosts = to.hosts_of_node(guid);
    if (found.hosts.empty() && to.is_switch(guid)) found.chip = to.switch_of(in, guid, at);
    if (found.hosts.empty() && !found.chip) to.skip_unknown(in, guid, "a node", at);
    return found;
}

subject subject_of_lid(const line_reader& in, reading& to, unsigned lid, text_position at) {
    const auto owner = to.owner_of_base(lid);
    if (!owner)
        in.fail_at(at, "no port of the topology has the base LID " + std::to_string(lid),
                   "give files of one and the same sweep");
    subject found;
    if (owner->is_switch)
        found.chip = owner->index;
    else
        found.hosts = {owner->index};
    return found;
}

/// "# SL2VL table: Lid D" up to the LID.
subject take_lid(line_reader& in, reading& to) {
    in.skip_blanks();
    if (in.left().starts_with("DR path"))
        in.fail("a directed route does not say whose table this is", "call smpquery with the LID of the port");
    in.expect("Lid");
    in.skip_blanks();
    const text_position at = in.position();
    return subject_of_lid(in, to, in.expect_decimal("LID", 1, max_lid), at);
}

/// What is in front of rows for adapters' ports, or switches.
bool begins_record(line_reader& in, bool& is_switch) {
    is_switch = in.take("Switch");
    return is_switch || in.take("Channel Adapter") || in.take("Router");
}

/// Whose rows follow, where a record begins.
std::optional<subject> take_subject(line_reader& in, reading& to) {
    bool is_switch = false;
    if (!begins_record(in, is_switch)) return std::nullopt;
    text_position at;
    const std::uint64_t guid = take_record(in, at);
    subject whose;
    if (is_switch)
        whose.chip = to.switch_of(in, guid, at);
    else if (const auto host = to.host_of_port(in, guid, at))
        whose.hosts = {*host};
    return whose;
}

class arbitration_reader {
public:
    arbitration_reader(line_reader& in, reading& to) : in_(in), to_(to) {}

    void read() {
        while (in_.next_line()) {
            in_.skip_blanks();
            if (in_.at_end()) continue;
            if (in_.take("# VLArbitration tables:")) {
                finish();
                read_header();
            } else if (in_.take("# Low priority")) {
                part_ = known_ == nullptr ? nullptr : &table_.low;
            } else if (in_.take("# High priority")) {
                part_ = known_ == nullptr ? nullptr : &table_.high;
            } else if (in_.peek() != '#') {
                read_row();
            }
        }
        finish();
    }

private:
    void read_header() {
        in_.skip_blanks();
        const text_position at = in_.position();
        const subject whose = take_lid(in_, to_);
        in_.expect("port");
        in_.skip_blanks();
        const text_position port_at = in_.position();
        const unsigned port = in_.expect_decimal("port", 0, max_port);
        in_.expect("LowCap");
        in_.expect_decimal("LowCap", 0, 255);
        in_.expect("HighCap");
        in_.expect_decimal("HighCap", 0, 255);
        in_.expect_end();
        if (whose.chip) {
            to_.check_port(in_, *whose.chip, port, port_at);
            known_ = &to_.made.switches[*whose.chip].arbitration[port];
        } else {
            known_ = &to_.made.hosts[whose.hosts.front()].arbitration;
        }
        table_ = {{}, {}, to_.here(at)};
        part_ = nullptr;
    }

    void read_row() {
        if (part_ == nullptr)
            in_.fail("a row outside of a table", "tables begin with '# Low priority' or '# High priority'");
        const bool weights = in_.take("WEIGHT");
        if (!weights) in_.expect("VL");
        if (weights == vls_.empty()) in_.fail("a line VL and a line WEIGHT belong together", "is the file cut?");
        in_.expect(":");
        in_.expect("|");
        std::size_t count = 0;
        for (in_.skip_blanks(); !in_.at_end(); in_.skip_blanks()) {
            const unsigned value = in_.expect_hexadecimal(weights ? "weight" : "VL", 0, weights ? 255 : 15);
            in_.expect("|");
            if (!weights) {
                vls_.push_back(static_cast<std::uint8_t>(value));
            } else if (count < vls_.size()) {
                part_->push_back({vls_[count], static_cast<std::uint8_t>(value)});
            }
            ++count;
        }
        if (count == 0 || (weights && count != vls_.size()) || part_->size() > 64)
            in_.fail("a table has up to 64 pairs of VL and weight", "is the line cut short?");
        if (weights) vls_.clear();
    }

    /// A port may have been asked twice: both have to say the same.
    void finish() {
        if (!vls_.empty()) in_.fail("the weights of the last line are missing", "is the file cut short?");
        if (known_ == nullptr) return;
        if (*known_ && !(*known_)->same_as(table_))
            in_.fail_at(table_.at.at, "this port has other tables at " + to_.place_text((*known_)->at),
                        "give the tables of one sweep");
        if (!*known_) *known_ = std::move(table_);
        known_ = nullptr;
    }

    line_reader& in_;
    reading& to_;
    lane_arbitration table_;
    std::optional<lane_arbitration>* known_ = nullptr;  ///< of the port that is read
    std::vector<lane_arbitration::entry>* part_ = nullptr;
    std::vector<std::uint8_t> vls_;  ///< of the line that waits for its weights
};

}  // namespace

void read_lanes_dump(line_reader& in, reading& to) {
    subject whose;
    bool begun = false;
    while (in.next_line()) {
        in.skip_blanks();
        if (in.at_end() || in.peek() == '#') continue;
        if (std::optional<subject> next = take_subject(in, to)) {
            whose = std::move(*next);
            begun = true;
            continue;
        }
        if (!begun) in.fail("a row outside of a table", "tables begin with 'Switch 0x...' or 'Channel Adapter 0x...'");
        const text_position at = in.position();
        const unsigned from = in.expect_decimal("port", 0, max_port);
        const unsigned out = in.expect_decimal("port", 0, max_port);
        in.expect(":");
        const lane_row row = take_lanes([&] { return in.expect_decimal("VL", 0, 15); });
        in.expect_end();
        whose.set(in, to, from, out, row, at);
    }
}

void read_slvl(line_reader& in, reading& to) {
    while (in.next_line()) {
        in.skip_blanks();
        if (in.at_end() || in.peek() == '#') continue;
        const text_position at = in.position();
        const std::uint64_t guid = in.expect_guid();
        const unsigned from = in.expect_decimal("port", 0, max_port);
        const unsigned out = in.expect_decimal("port", 0, max_port);
        lane_row row = 0;
        for (unsigned pair = 0; pair < 8; ++pair) {
            const unsigned two = in.expect_hexadecimal("byte of two VLs", 0, 255);
            row |= static_cast<lane_row>(two >> 4 | (two & 15) << 4) << (8 * pair);
        }
        in.expect_end();
        subject_of_node(in, to, guid, at).set(in, to, from, out, row, at);
    }
}

void read_smpquery_lanes(line_reader& in, reading& to) {
    subject whose;
    bool begun = false;
    while (in.next_line()) {
        in.skip_blanks();
        if (in.at_end()) continue;
        if (in.peek() == '#') {
            if (!in.take("# SL2VL table:")) continue;
            whose = take_lid(in, to);
            begun = true;
            continue;
        }
        if (!begun) in.fail("a row outside of a table", "tables begin with '# SL2VL table: Lid N'");
        const text_position at = in.position();
        in.expect("ports:");
        in.expect("in");
        const unsigned from = in.expect_decimal("port", 0, max_port);
        in.expect(",");
        in.expect("out");
        const unsigned out = in.expect_decimal("port", 0, max_port);
        in.expect(":");
        in.expect("|");
        const lane_row row = take_lanes([&] {
            const unsigned vl = in.expect_decimal("VL", 0, 15);
            in.expect("|");
            return vl;
        });
        in.expect_end();
        whose.set(in, to, from, out, row, at);
    }
}

void read_arbitration(line_reader& in, reading& to) {
    arbitration_reader(in, to).read();
}

void read_psl(line_reader& in, reading& to) {
    while (in.next_line()) {
        in.skip_blanks();
        if (in.at_end() || in.peek() == '#') continue;
        const text_position at = in.position();
        const std::uint64_t guid = in.expect_guid();
        const unsigned lid = in.expect_decimal("LID", 1, max_lid);
        const unsigned sl = in.expect_decimal("SL", 0, 15);
        in.expect_end();
        to.set_node_path_sl(in, guid, lid, sl, at);
    }
}

void read_path_records(line_reader& in, reading& to) {
    subject whose;
    bool begun = false;
    while (in.next_line()) {
        in.skip_blanks();
        if (in.at_end() || in.peek() == '#') continue;
        if (std::optional<subject> next = take_subject(in, to)) {
            whose = std::move(*next);
            begun = true;
            continue;
        }
        if (!begun) in.fail("a row outside of a table", "tables begin with 'Channel Adapter 0x...'");
        const text_position at = in.position();
        const unsigned lid = in.expect_lid();
        in.expect(":");
        const unsigned sl = in.expect_decimal("SL", 0, 15);
        in.skip_blanks();
        if (in.take(":")) {
            in.expect_decimal("MTU", 0, 255);
            in.expect(":");
            in.expect_decimal("rate", 0, 255);
        }
        in.expect_end();
        if (whose.chip) to.set_path_sl(in, to.made.switches[*whose.chip].path_sl, lid, sl, at);
        for (const std::uint32_t host : whose.hosts) to.set_path_sl(in, to.made.hosts[host].path_sl, lid, sl, at);
    }
}

}  // namespace polycast::hw::subnet
