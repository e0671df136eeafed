// SPDX-License-Identifier: Apache-2.0
/// \file What the readers of tables share: which switch or host a GUID or LID is, and where rows go.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "hw/subnet/fabric.h"
#include "hw/subnet/line_reader.h"
#include "hw/topology/infiniband_records.h"

namespace polycast::hw::subnet {

/// What the scripts dump_lfts and dump_mfts print among the tables, since others took their places.
inline constexpr std::string_view script_warning = "*** WARNING ***";

/// A fabric whose topology is known, and whose tables are being read. All functions throw input_error at `in`'s place,
/// or at `at`.
class reading {
public:
    reading(fabric& into, bool partial) : made(into), partial_(partial) {}

    fabric& made;

    /// Puts the topology in place: graph, GUIDs, LIDs.
    void take_topology(const topology::infiniband_records& records);

    /// Registers a file. \returns its number
    std::uint32_t add_file(const std::string& name);
    place here(text_position at) const { return {file_, at}; }
    /// "line 3", with the file if it is another one than that which is read.
    std::string place_text(const std::optional<place>& where) const;

    /// The switch of a node GUID. Nothing if there is none and the files are partial: then a warning is kept.
    std::optional<std::uint32_t> switch_of(const line_reader& in, std::uint64_t guid, text_position at);
    /// Hosts of an adapter's node GUID.
    std::vector<std::uint32_t> hosts_of_node(std::uint64_t guid) const;
    std::optional<std::uint32_t> host_of_port(const line_reader& in, std::uint64_t guid, text_position at);
    bool is_switch(std::uint64_t node_guid) const { return switches_.contains(node_guid); }
    [[noreturn]] void unknown(const line_reader& in, std::uint64_t guid, const char* kind, text_position at) const;
    /// False if the GUID is unknown and the files are partial.
    bool skip_unknown(const line_reader& in, std::uint64_t guid, const char* kind, text_position at);

    /// The port whose base LID it is: a switch's index, or a host's.
    struct owner {
        bool is_switch = false;
        std::uint32_t index = 0;
    };
    std::optional<owner> owner_of_base(unsigned lid) const;
    /// By port GUID, also port 0 of switches.
    std::optional<owner> owner_of_port(std::uint64_t guid) const;

    /// A port number of a switch, 0 included. \throws input_error if the switch has no such port
    void check_port(const line_reader& in, std::uint32_t chip, unsigned port, text_position at) const;

    void set_unicast(const line_reader& in, unicast_table& table, std::uint32_t chip, unsigned lid, std::uint8_t port,
                     text_position at);
    void set_multicast(const line_reader& in, std::uint32_t chip, unsigned mlid, multicast_row row, text_position at);
    void set_lanes(const line_reader& in, std::uint32_t chip, unsigned from, unsigned to, lane_row row,
                   text_position at);
    void set_host_lanes(const line_reader& in, std::uint32_t host, lane_row row, text_position at);
    void set_path_sl(const line_reader& in, lid_bytes& table, unsigned lid, unsigned sl, text_position at);

    /// Of all ports of a node.
    void set_node_path_sl(const line_reader& in, std::uint64_t guid, unsigned lid, unsigned sl, text_position at);
    void set_operational_vls(std::uint64_t node_guid, unsigned port, unsigned vls);

    /// A row says that a LID is of a port: the rows of one port give its LMC.
    void note_owner(const line_reader& in, std::uint64_t port_guid, const std::string& kind, unsigned lid,
                    text_position at);

    /// LMC, LIDs owned twice, tables that name different ports. \param lmc of the user, if any
    void finish(std::optional<unsigned> lmc);

private:
    struct lid_range {
        unsigned least, most;
        place at;
    };

    void find_lmc(std::optional<unsigned> told);
    void check_owners() const;
    void compare_unicast() const;

    bool partial_;
    bool lmc_told_ = false;
    std::uint32_t file_ = 0;
    std::unordered_map<std::uint64_t, std::uint32_t> switches_;                    ///< by node GUID
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> hosts_of_node_;  ///< by node GUID
    std::unordered_map<std::uint64_t, owner> ports_;                               ///< by port GUID
    std::unordered_map<unsigned, owner> bases_;                                    ///< by base LID
    std::unordered_set<std::uint64_t> others_;                                     ///< adapters without a cable
    std::unordered_map<std::uint64_t, lid_range> lids_;                            ///< that rows give a port GUID
    std::vector<std::uint64_t> last_owner_;                                        ///< [LID] that note_owner saw
};

// One function for each kind of file; all \throws input_error with file, line and column.
void read_fdbs(line_reader& in, reading& to);
void read_lfts(line_reader& in, reading& to);
void read_mcfdbs(line_reader& in, reading& to);
void read_mfts(line_reader& in, reading& to);
void read_lanes_dump(line_reader& in, reading& to);
void read_slvl(line_reader& in, reading& to);
void read_smpquery_lanes(line_reader& in, reading& to);
void read_arbitration(line_reader& in, reading& to);
void read_psl(line_reader& in, reading& to);
void read_path_records(line_reader& in, reading& to);
void read_members(line_reader& in, reading& to);

}  // namespace polycast::hw::subnet
