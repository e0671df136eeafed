// SPDX-License-Identifier: Apache-2.0
/// \file A fabric in the forms of OpenSM and infiniband-diags, which the readers here and ibdmchk read back. Texts are
/// handed out in pieces: tables of large fabrics have hundreds of megabytes.
#pragma once

#include <functional>
#include <string_view>

#include "hw/subnet/fabric.h"

namespace polycast::hw::subnet {

using text_taker = std::function<void(std::string_view)>;

/// opensm-subnet.lst. \throws input_error for a name that has a line break
void write_subnet_list(const fabric& of, const text_taker& take);
/// opensm.fdbs. Hops that are not told are "HOPS UNKNOWN".
void write_fdbs(const fabric& of, const text_taker& take);
/// opensm-lfts.dump
void write_lfts(const fabric& of, const text_taker& take);
/// opensm.mcfdbs
void write_mcfdbs(const fabric& of, const text_taker& take);
/// As dump_mfts prints it, with the LIDs of the switches in place of directed routes.
void write_mfts(const fabric& of, const text_taker& take);
/// psl: what the tables of path SLs have, by source and LID. A node with several hosts has one row for all of them.
void write_psl(const fabric& of, const text_taker& take);
/// opensm-sl2vl.dump: the rows that are there.
void write_lanes(const fabric& of, const text_taker& take);

}  // namespace polycast::hw::subnet
