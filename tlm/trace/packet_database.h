// SPDX-License-Identifier: Apache-2.0
/// \file A packet log as an SQLite file: `scripts/polycast why` and `scripts/polycast packets` read it, and so can any
/// SQL client. packets.md describes the tables.
#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tlm/trace/hang_log.h"
#include "tlm/trace/packet_log.h"
#include "tlm/trace/replay_log.h"

namespace SQLite {
class Database;
class Statement;
class Transaction;
}  // namespace SQLite

namespace polycast::tlm::trace {

/// A chip and where its ports lead.
struct logged_chip {
    struct cable {
        unsigned port = 0;
        std::uint32_t to_chip = 0;
        unsigned to_port = 0;
        unsigned delay = 1;        ///< cycles
        std::uint32_t buffer = 0;  ///< flits of the buffer at the other end, of each virtual channel
        std::uint32_t room = 1;    ///< flits that must be free there for a packet to begin
    };
    /// The link layer of a cable, in cycles and flits, for the least time that it takes; without one only `wire` is not
    /// 0.
    struct link_layer {
        unsigned wire = 1;     ///< delay between the ends
        unsigned frame = 1;    ///< flits of the longest frame
        unsigned trailer = 0;  ///< symbols of a trailer
        unsigned set = 1;      ///< symbols of an ordered set
    };
    std::string name;
    std::string kind;  ///< "switch", "router", "host", "unit", "cable"
    /// Cycles from the head on an input pin to the head on an output pin without contention, for a header of one flit;
    /// 0 for chips that store packets and forward them later.
    std::uint32_t pipeline = 0;
    std::vector<cable> cables;
    std::optional<link_layer> layer = {};  ///< of a cable
};

/// A fault on the wire of a cable (hw/faults/faults.md).
struct logged_fault {
    std::uint32_t cable = 0;  ///< number of the chip
    unsigned end = 0;         ///< that the wire leads away from
    hw::engine::cycle when = 0;
    std::string what, effect;
    std::uint64_t detail = 0;
};

struct logged_network {
    std::string name;
    std::string workload;
    std::vector<logged_chip> chips;  ///< by number
};

/// Writes to a temporary name until finish(). After a write error it ignores further data, and finish() throws.
class packet_database final : public packet_store, public replay_store, public hang_store {
public:
    /// \throws hw::input_error when the file cannot be made
    packet_database(const std::filesystem::path& file, const logged_network& network);
    ~packet_database() override;

    void add(const logged_packet& packet) override;
    void add(const passage& passage) override;
    void add(const link_replay& replay) override;
    void add(const logged_fault& fault);
    void add(const logged_hang& hang) override;

    /// Completes the file. \param end first cycle that did not happen \throws hw::input_error when it cannot be written
    void finish(hw::engine::cycle end);

private:
    class tables;

    template <typename work>
    void guarded(work&& what);

    std::unique_ptr<tables> tables_;
    std::exception_ptr error_;
};

}  // namespace polycast::tlm::trace
