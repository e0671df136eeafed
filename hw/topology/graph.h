// SPDX-License-Identifier: Apache-2.0
/// \file The network as a graph: switches with numbered ports, hosts, and the cables between them. Everything that
/// reads, draws, generates or routes a network works on this; it knows nothing of flits or cycles.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace polycast::hw::topology {

inline constexpr unsigned max_switch_ports = 64;  ///< port sets are bits of one 64-bit word
inline constexpr unsigned max_hosts = 65536;
inline constexpr unsigned max_switches = 65536;

/// What a port is cabled to.
struct port_end {
    enum class leads_to : std::uint8_t { nowhere, host, chip };
    leads_to kind = leads_to::nowhere;
    std::uint32_t index = 0;  ///< of the host or switch; 0 if the port is open
    std::uint16_t port = 0;   ///< port at the other switch; 0 for hosts, which have one port

    bool operator==(const port_end&) const = default;
};

struct switch_node {
    std::string name;
    std::uint64_t guid = 0;  ///< identity in files that have one, unique; 0 = none
    std::vector<port_end> ports;
    std::string id = {};  ///< in files that have one besides the name

    /// Without ids: files are written with others.
    bool operator==(const switch_node& other) const {
        return name == other.name && guid == other.guid && ports == other.ports;
    }
};

struct host_node {
    std::string name;
    std::uint64_t guid = 0;  ///< identity in files that have one, unique; 0 = none
    std::uint32_t chip = 0;  ///< switch it is cabled to
    std::uint16_t port = 0;  ///< port of that switch

    bool operator==(const host_node&) const = default;
};

/// A cable between two switches; a.chip < b.chip.
struct link {
    struct end {
        std::uint32_t chip = 0;
        std::uint16_t port = 0;

        bool operator==(const end&) const = default;
    };
    end a, b;

    bool operator==(const link&) const = default;
};

/// Why something cannot be done, with a remedy if there is one.
struct problem {
    std::string message;
    std::string proposal;
    std::optional<std::uint32_t> chip = std::nullopt;  ///< switch it is about, so that a reader can tell the line
};

/// A network. Ports count from 0 in here; `first_port` is the number that the user's file gives to the first one, and
/// every text for people uses that (`port_text`). Build it with the functions below: they keep both ends of a cable in
/// step.
struct graph {
    std::vector<switch_node> switches;
    std::vector<host_node> hosts;
    unsigned first_port = 0;

    bool operator==(const graph&) const = default;

    /// \returns the index of the new switch. find_problem() looks whether names and GUIDs are unique.
    /// \throws input_error for more than max_switches switches or ports outside 1..max_switch_ports
    std::uint32_t add_switch(std::string name, unsigned ports, std::uint64_t guid = 0);

    /// Cables two switches. \throws input_error with connect_problem's words
    void connect(std::uint32_t a, unsigned a_port, std::uint32_t b, unsigned b_port);

    /// Adds a host on a switch port. \returns its index. \throws input_error with attach_problem's words
    std::uint32_t attach_host(std::string name, std::uint32_t chip, unsigned port, std::uint64_t guid = 0);

    /// Why connect() would refuse: no such switch or port, a port already cabled, a link from a switch to itself.
    std::optional<problem> connect_problem(std::uint32_t a, unsigned a_port, std::uint32_t b, unsigned b_port) const;
    std::optional<problem> attach_problem(std::uint32_t chip, unsigned port) const;

    /// All cables between switches, ordered by (a.chip, a.port).
    std::vector<link> links() const;

    std::optional<std::uint32_t> find_switch(std::string_view name) const;  ///< the first of that name
    std::optional<std::uint32_t> find_host(std::string_view name) const;

    /// The switch with that name, or else with that id in its file, GUID ("0x1f"), or number.
    std::optional<std::uint32_t> identify_switch(std::string_view text) const;

    /// "did you mean 'x'?" with the nearest name, id or GUID of a switch; empty where none is near.
    std::string propose_switch(std::string_view text) const;

    /// Index of the named switch (host). \throws input_error that proposes the nearest name
    std::uint32_t switch_named(std::string_view name) const;
    std::uint32_t host_named(std::string_view name) const;

    /// "switch3:2", with the port number of the user's file.
    std::string port_text(std::uint32_t chip, unsigned port) const;
};

/// The first reason why `network` cannot be simulated: sizes out of range, ends of a cable that do not match, a link
/// from a switch to itself, fewer than two hosts, not connected (the parts are named).
std::optional<problem> find_problem(const graph& network);

/// \throws input_error with find_problem's words; `file` names the source
void validate(const graph& network, const std::string& file = {});

}  // namespace polycast::hw::topology
