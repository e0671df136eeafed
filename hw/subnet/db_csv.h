// SPDX-License-Identifier: Apache-2.0
/// \file ibdiagnet 2's database: a topology with LIDs and LMC. Written from descriptions of the format; no file from
/// hardware was at hand.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hw/subnet/line_reader.h"
#include "hw/topology/infiniband_records.h"

namespace polycast::hw::subnet {

class reading;

/// Sections START_X .. END_X, of which NODES, LINKS and PORTS count; columns are found by their names.
class db_csv {
public:
    /// \throws input_error with file, line and column
    void read(line_reader& in);

    /// What was read. \throws input_error where cables are told twice and differently
    topology::infiniband_records finish();

    /// Numbers of operational lanes, once the topology is in place.
    void give_lanes(reading& to) const;

private:
    struct port {
        std::uint64_t node_guid = 0, port_guid = 0;
        unsigned number = 0;
        std::optional<unsigned> lid, lmc;
        unsigned vls = 0;  ///< operational; 0 = not told
        std::uint32_t file = 0;
        text_position at;
    };
    struct link {
        std::uint64_t guids[2] = {};
        unsigned ports[2] = {};
        std::uint32_t file = 0;
        text_position at;
    };
    class row;

    void read_section(line_reader& in, const std::string& name);

    topology::infiniband_records records_;
    std::vector<port> ports_;
    std::vector<link> links_;
};

}  // namespace polycast::hw::subnet
