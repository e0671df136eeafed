// SPDX-License-Identifier: Apache-2.0
/// \file `analyse`: plans of multicasts, forwarding trees, network coding, allocations of rails and broadcasts over
/// lanes, without simulating anything; pipelined broadcasts on tori, simulated in steps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hw/system/plan.h"
#include "hw/system/schemes.h"
#include "tlm/topologies/kinds.h"

namespace polycast::tlm::sim {

/// A network as named on a command line.
struct network_choice {
    std::string file;                    ///< scenario (.yaml), or topology file
    std::vector<std::string> overrides;  ///< of a scenario
    unsigned instance = 1;               ///< which of a scenario's networks, from 1
};

/// What a scenario, or a topology file with the papers' parameters, says about a network before it is planned.
struct chosen_network {
    hw::topology::graph network;
    hw::system::system_params params;
    scenario::loaded scenario;  ///< empty where the network is a topology file
    const topologies::kind* kind = nullptr;
};

/// \throws hw::input_error
chosen_network load_network(const network_choice& choice);

struct plan_options {
    network_choice where;
    std::vector<std::string>
        roots;           ///< switches by name, id, GUID or number, or "best", "lowest"; none: as the file says
    std::string source;  ///< name or number
    std::vector<std::string> destinations;  ///< likewise
    std::uint32_t bytes = 0;                ///< length of the message; 0: one full packet
    unsigned stops = 0;                     ///< longest list of a path worm; 0: as the file says
    std::string order = "chains";           ///< chains, number or listed
    std::string fanout = "best";            ///< best, timing or a number
    std::string scheme;                     ///< only this one; empty: all, and for a picture the first with phases
    std::string phases;                     ///< only greedy or less_greedy; empty: both, and for a picture less_greedy
    bool json = false;
    bool dot = false;
};

/// One way to execute a multicast.
struct planned_scheme {
    hw::system::multicast_choice choice;
    hw::collectives::multicast_plan plan;
    std::uint64_t latency = 0;  ///< predicted, in cycles

    bool in_phases() const;     ///< worms
    bool forwards() const;      ///< along a k-binomial tree
    bool uses_chains() const;   ///< its worms or its tree follow partially ordered chains
    std::string title() const;  ///< "path, less greedy"
    std::string key() const;    ///< "path_less_greedy"
};

/// The plans, for the code that prints or draws them.
struct plan_analysis {
    explicit plan_analysis(hw::system::system_plan plan);
    plan_analysis(const plan_analysis&) = delete;
    plan_analysis& operator=(const plan_analysis&) = delete;

    const hw::system::system_plan system;
    const hw::routing::updown routes;  ///< refers to `system`
    std::uint32_t source = 0;
    std::vector<std::uint32_t> destinations;
    std::uint32_t bytes = 0;
    std::uint32_t packets = 1;
    std::vector<hw::collectives::switch_chain> chains;
    std::vector<planned_scheme> schemes;
};

std::string plan_text(const plan_analysis& what);
std::string plan_json(const plan_analysis& what);

/// Graphviz DOT of one scheme: switches by level, links of the breadth-first tree solid and the others dashed, the
/// participants, and over it all paths of its worms or unicasts, coloured by step.
/// \throws hw::input_error if the picture would be too large
std::string plan_dot(const plan_analysis& what, const planned_scheme& scheme);

/// Prints the plans of one multicast. \returns the exit status: 0; 1 a plan is wrong. \throws hw::input_error
int analyse_plan(const plan_options& options);

struct k_binomial_options {
    std::uint64_t nodes = 0;    ///< source included
    std::uint64_t packets = 0;  ///< of the message
    unsigned k = 0;             ///< of the tree that is shown; 0: the best, of several the largest
    bool json = false;
};

/// Prints the steps of k-binomial trees, and one tree. \throws hw::input_error
int analyse_k_binomial(const k_binomial_options& options);

struct network_coding_options {
    std::uint32_t k = 0;                 ///< nodes along a dimension
    unsigned n = 2;                      ///< dimensions
    std::optional<std::uint32_t> group;  ///< nodes of a group; none: the size with the fewest hops delivered
    std::string base = "tree";           ///< tree or all-at-once
    std::string placement = "inner";     ///< inner or centre
    std::string variant = "coded";       ///< coded or every-node
    bool torus = false;
    std::optional<std::uint64_t> sources;  ///< none: all nodes
    bool recursive = false;
    std::vector<std::uint32_t> inner_groups;  ///< of a recursion; empty: one level, the best size
    bool json = false;
};

/// Prints the unicasts and hops of an all-to-all broadcast with network coding. \throws hw::input_error
int analyse_network_coding(const network_coding_options& options);

struct ibt_options {
    std::uint32_t n = 0;                ///< nodes along a dimension
    unsigned d = 2;                     ///< dimensions
    std::vector<std::uint32_t> bypass;  ///< lengths; none: a torus
    unsigned packets = 32;
    std::vector<std::uint32_t> source;  ///< coordinates; none: all 0
    unsigned dimension = 0;             ///< of the line broadcast
    std::string algorithm = "all";      ///< colours, trees or all
    std::vector<unsigned> patterns;     ///< of colours; one is that of all; none: the best
    std::vector<unsigned> split;        ///< packets of colours or trees; none: the best
    unsigned bytes = 8;                 ///< of a packet; 0: nothing is carried
    std::uint64_t seed = 0;             ///< of the message
    unsigned threads = 1;
    std::uint64_t search = std::uint64_t{1} << 24;  ///< no further run of a search after so many sends
    std::string only;                               ///< diameter, line, rectangular, global or trees; empty: all
    bool history = false;
    bool holdings = false;
    bool json = false;
};

/// Prints distances of an interlaced bypass torus or a torus, and the steps of pipelined broadcasts on it.
/// \returns the exit status: 0; 1 a broadcast did not deliver. \throws hw::input_error
int analyse_ibt(const ibt_options& options);

struct rails_options {
    std::uint32_t nodes = 0;  ///< 0: as many as the matrix of `file` has
    unsigned algorithm = 2;   ///< 1 or 2
    unsigned rails = 0;       ///< 0: as few as possible
    std::string file;         ///< a matrix instead of an algorithm's
    bool json = false;
    bool dot = false;
};

/// Prints an allocation of rails, what it offers each pair of nodes, and how many rails the algorithms need.
/// \returns 0 \throws hw::input_error, also if a pair has no rail
int analyse_rails(const rails_options& options);

struct multilane_options {
    std::uint32_t nodes = 0;                ///< of all sites; 0: as `site_nodes` says
    std::uint32_t sites = 1;                ///< of equal size, as far as possible
    std::vector<std::uint32_t> site_nodes;  ///< nodes of each site instead
    std::uint64_t bytes = std::uint64_t{1} << 25;
    std::uint64_t piece = std::uint64_t{1} << 16;
    unsigned lanes = 2;                    ///< interfaces of a node: 2, or 1 that both queues share
    std::optional<double> bandwidth = {};  ///< bytes/s of all lanes of a node; none: 125 MB/s for each
    double latency = 1.92e-3;              ///< s, within a site
    double wide_latency = 10e-3;           ///< s, between sites
    std::uint64_t window = 0;              ///< bytes of a stream between sites; 0: no limit
    unsigned streams = 1;                  ///< on each lane
    std::string algorithm;                 ///< only this one; empty: all, and for a picture multi_lane
    bool json = false;
    bool dot = false;
};

/// Prints the duration of broadcasts over lanes, by closed forms and piece by piece, and who sends what to whom.
/// \returns the exit status: 0; 1 a plan is wrong. \throws hw::input_error
int analyse_multilane(const multilane_options& options);

}  // namespace polycast::tlm::sim
