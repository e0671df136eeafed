// SPDX-License-Identifier: Apache-2.0
/// \file Files of a fabric: what each is, and the fabric that all of them tell of.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hw/names.h"
#include "hw/subnet/fabric.h"
#include "hw/subnet/line_reader.h"

namespace polycast::hw::subnet {

enum class file_kind : std::uint8_t {
    subnet_list,
    db_csv,
    ibnetdiscover,
    ibsim,
    fdbs,
    lfts,
    mcfdbs,
    mfts,
    lanes_dump,
    slvl,
    smpquery_lanes,
    arbitration,
    psl,
    path_records,
    members,
    empty,
    unknown,
};

inline constexpr named<file_kind> file_kinds[] = {
    {file_kind::subnet_list, "subnet_list", "subnet list of OpenSM or ibdiagnet"},
    {file_kind::db_csv, "db_csv", "database of ibdiagnet 2"},
    {file_kind::ibnetdiscover, "ibnetdiscover", "print-out of ibnetdiscover"},
    {file_kind::ibsim, "ibsim", "net file of ibsim"},
    {file_kind::fdbs, "fdbs", "unicast tables, fdbs"},
    {file_kind::lfts, "lfts", "unicast tables of ibroute, dump_lfts or OpenSM's LFT dump"},
    {file_kind::mcfdbs, "mcfdbs", "multicast tables, mcfdbs"},
    {file_kind::mfts, "mfts", "multicast tables of ibroute or dump_mfts"},
    {file_kind::lanes_dump, "sl2vl_dump", "SL to VL, OpenSM's dump"},
    {file_kind::slvl, "slvl", "SL to VL, a line of bytes for each two ports"},
    {file_kind::smpquery_lanes, "smpquery_sl2vl", "SL to VL, captured from smpquery"},
    {file_kind::arbitration, "smpquery_vlarb", "VL arbitration, captured from smpquery"},
    {file_kind::psl, "psl", "path SLs, a line for each pair"},
    {file_kind::path_records, "path_records", "path SLs, OpenSM's dump"},
    {file_kind::members, "members", "members of multicast groups, OpenSM's dump of subnet administration"},
    {file_kind::empty, "empty", "nothing"},
    {file_kind::unknown, "unknown", "something else"}};

/// What a file is, by the beginning of its text.
file_kind recognise(std::string_view head);

struct join_options {
    std::optional<unsigned> lmc;  ///< where no file tells it
    bool partial = false;         ///< unknown GUIDs are warnings
    reading_limits limits = {};
};

/// Reads folders and files into one fabric; what a folder has besides is skipped. Their order does not matter.
/// \throws input_error with file, line and column, and what to do
fabric read_fabric(const std::vector<std::string>& paths, const join_options& options);

/// A file that is open already.
struct dump {
    std::string name;
    std::unique_ptr<byte_source> bytes;  ///< packed by gzip or not
};

/// The same of open files.
fabric read_fabric_dumps(std::vector<dump> dumps, const join_options& options);

/// The same from memory: names and texts.
fabric read_fabric_texts(const std::vector<std::pair<std::string, std::string_view>>& texts,
                         const join_options& options);

}  // namespace polycast::hw::subnet
