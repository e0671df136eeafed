// SPDX-License-Identifier: Apache-2.0
/// \file Topologies with LIDs: the subnet list of OpenSM and ibdiagnet.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "hw/subnet/line_reader.h"
#include "hw/topology/infiniband_records.h"

namespace polycast::hw::subnet {

/// Nodes and their cables from subnet lists, one cable end a line; several lists are one.
class subnet_list {
public:
    /// \throws input_error with file, line and column
    void read(line_reader& in);

    /// What was read. \throws input_error where the ends of a cable are told differently
    topology::infiniband_records finish();

private:
    struct end {
        std::size_t node = 0;
        unsigned port = 0;
        std::uint64_t port_guid = 0;
        unsigned lid = 0;
    };
    struct head;

    head read_head(line_reader& in);
    end add(line_reader& in, const head& told, std::string_view description, unsigned lid, unsigned port);
    void read_line(line_reader& in);
    void connect(const line_reader& in, const end& from, const end& to);

    topology::infiniband_records records_;
    std::unordered_map<std::string, std::size_t> numbers_;  ///< by id
};

}  // namespace polycast::hw::subnet
