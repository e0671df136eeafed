// SPDX-License-Identifier: Apache-2.0
/// \file Builds a graph from a file in which ports, port counts and hosts may be left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hw/input_error.h"
#include "hw/topology/graph.h"

namespace polycast::hw::topology {

/// Collects the statements of a file with their places, and fills in the rest when all statements are known:
/// - a cable end without a port takes the lowest port that nothing else in the file names, links before hosts, in
///   order;
/// - a switch without a port count has `default_ports`, or else as many as the file uses, at least 2;
/// - `hosts_per_switch` hosts are added to every switch, named host0.. in order; one if the file has no host and
///   does not give the number.
class network_builder {
public:
    struct end {
        std::uint32_t chip = 0;
        std::optional<std::uint64_t> port;  ///< as in the file, where ports count from first_port
        text_position at;
    };

    explicit network_builder(std::string file) : file_(std::move(file)) {}

    unsigned first_port = 0;
    std::optional<unsigned> default_ports;
    std::optional<unsigned> hosts_per_switch;

    /// \returns the number of the switch
    std::uint32_t add_switch(std::string name, std::optional<std::uint64_t> ports, std::uint64_t guid, text_position at,
                             std::string id = {});

    void add_host(std::string name, std::uint64_t guid, end at);
    void add_link(end a, end b);

    const std::vector<switch_node>& switches() const { return switches_; }

    /// The validated network. \throws input_error with file, line and column
    graph finish();

private:
    struct host {
        std::string name;
        std::uint64_t guid;
        end at;
    };
    struct cable {
        end a, b;
    };

    void count_ports();
    void reserve(end& one);
    void assign(end& one);
    void refuse_repetitions() const;
    void add_missing_hosts();
    [[noreturn]] void fail(text_position at, const std::string& message, const std::string& proposal = {}) const;

    std::string file_;
    std::vector<switch_node> switches_;  ///< without ports until finish()
    std::vector<std::optional<std::uint64_t>> ports_;
    std::vector<text_position> places_;
    std::vector<host> hosts_;
    std::vector<cable> cables_;
    std::vector<std::uint64_t> used_;  ///< [switch] ports taken
};

}  // namespace polycast::hw::topology
