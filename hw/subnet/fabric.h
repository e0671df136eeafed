// SPDX-License-Identifier: Apache-2.0
/// \file An InfiniBand fabric with its forwarding state: a graph, the LIDs of its ports, and tables.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "hw/input_error.h"
#include "hw/topology/graph.h"

namespace polycast::hw::subnet {

/// Place in one of the files that were read.
struct place {
    std::uint32_t file = 0;
    text_position at;
};

/// Places of rows that have a number, in little memory: rows of a table mostly stand in order.
class row_places {
public:
    void add(std::uint32_t row, const place& where);
    std::optional<place> find(std::uint32_t row) const;

private:
    struct run {
        std::uint32_t row, count;
        place where;
    };
    std::vector<run> runs_;
};

/// A byte for each LID, in pages.
class lid_bytes {
public:
    explicit lid_bytes(std::uint8_t none) : none_(none) {}

    std::uint8_t operator[](unsigned lid) const {
        const unsigned page = lid >> 8;
        return page < pages_.size() && pages_[page] != no_page ? bytes_[(pages_[page] << 8) + (lid & 255)] : none_;
    }
    void set(unsigned lid, std::uint8_t value);
    bool empty() const { return pages_.empty(); }
    /// No LID from here on has a value.
    unsigned end() const { return static_cast<unsigned>(pages_.size() << 8); }

private:
    static constexpr std::uint32_t no_page = 0xffffffff;
    std::uint8_t none_;
    std::vector<std::uint32_t> pages_;
    std::vector<std::uint8_t> bytes_;
};

inline constexpr std::uint8_t no_row = 254;    ///< of a unicast table: the files have none
inline constexpr std::uint8_t no_path = 255;   ///< of a unicast table: the row says that there is none
inline constexpr std::uint8_t not_told = 255;  ///< hops, path SL

struct unicast_table {
    bool told = false;  ///< the files have a table of this switch
    lid_bytes ports{no_row};
    row_places places;
};

/// Row of a multicast table: where a packet goes.
struct multicast_row {
    std::uint64_t ports = 0;  ///< bit p - 1 is port p
    bool self = false;        ///< port 0: the switch itself is a member
    place at;
};

/// VL by SL, four bits for each, SL 0 lowest.
using lane_row = std::uint64_t;

/// Rows (in, out) of a switch; equal ones are stored once.
class lane_table {
public:
    std::optional<lane_row> find(unsigned in, unsigned out) const {
        const std::size_t at = in * stride + out;
        if (at >= index_.size() || index_[at] == 0) return std::nullopt;
        return rows_[index_[at] - 1u];
    }
    /// \returns false if there is another row
    bool set(unsigned in, unsigned out, lane_row row, const place& where);
    std::optional<place> where(unsigned in, unsigned out) const { return places_.find(in * stride + out); }
    bool empty() const { return rows_.empty(); }

private:
    static constexpr std::uint32_t stride = topology::max_switch_ports + 1;
    std::vector<std::uint16_t> index_;  ///< [in, out] of `rows_`, from 1; 0 = none
    std::vector<lane_row> rows_;
    row_places places_;
};

/// Tables of VL arbitration of a port.
struct lane_arbitration {
    struct entry {
        std::uint8_t vl = 0, weight = 0;
        bool operator==(const entry&) const = default;
    };
    std::vector<entry> high, low;
    place at;
    bool same_as(const lane_arbitration& other) const { return high == other.high && low == other.low; }
};

/// A port with LIDs: port 0 of a switch, or a host's.
struct lid_owner {
    std::uint64_t node_guid = 0;
    std::uint64_t port_guid = 0;  ///< 0 = not told
    unsigned lid = 0;             ///< base LID; 0 = none
    unsigned lmc = 0;
    place at;
};

struct switch_state {
    lid_owner self;
    unicast_table fdbs, lfts;  ///< as two kinds of files tell it
    lid_bytes hops{not_told};
    std::map<unsigned, multicast_row> multicast;  ///< by MLID
    lane_table lanes;
    lid_bytes path_sl{not_told};
    std::vector<std::uint8_t> operational_vls;                        ///< [port, from 0]; empty or 0 = not told
    std::map<unsigned, std::optional<lane_arbitration>> arbitration;  ///< by port

    /// The port for a LID, as any file tells it.
    std::uint8_t port_for(unsigned lid) const {
        const std::uint8_t port = fdbs.ports[lid];
        return port < no_row ? port : lfts.ports[lid] < no_row ? lfts.ports[lid] : std::min(port, lfts.ports[lid]);
    }
    std::optional<place> row_place(unsigned lid) const {
        return fdbs.ports[lid] != no_row ? fdbs.places.find(lid) : lfts.places.find(lid);
    }
    bool has_table() const { return fdbs.told || lfts.told; }
};

struct host_state {
    lid_owner self;
    unsigned adapter_port = 1;
    std::optional<lane_row> lanes;
    place lanes_at;
    lid_bytes path_sl{not_told};
    unsigned operational_vls = 0;  ///< 0 = not told
    std::optional<lane_arbitration> arbitration;
};

/// A multicast group as the subnet administration lists it.
struct group_members {
    std::uint16_t service_levels = 0;           ///< bits
    std::map<std::uint32_t, unsigned> receive;  ///< host: state bits, 1 full member, 2 non-member, 4 sends only
    place at;
};

struct fabric {
    topology::graph network;  ///< ports from 0; files and messages count from 1
    std::vector<switch_state> switches;
    std::vector<host_state> hosts;
    std::map<unsigned, group_members> groups;  ///< by MLID
    bool has_lanes = false;                    ///< SL2VL tables were read
    bool has_path_sls = false;
    unsigned lmc = 0;  ///< the largest of a host
    std::vector<std::string> files;
    std::vector<std::string> skipped;   ///< files of a folder that have nothing of a fabric
    std::vector<std::string> warnings;  ///< sentences
};

/// "file:line:column: message; proposal".
std::string located(const fabric& of, const std::optional<place>& where, const std::string& message,
                    const std::string& proposal = {});

}  // namespace polycast::hw::subnet
