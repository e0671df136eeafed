// SPDX-License-Identifier: Apache-2.0
/// \file Flits and packets of every link of a fabric.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hw/chips/router/router_rules.h"
#include "hw/fabric/fabric_config.h"

namespace polycast::hw::fabric {

/// What came over each link: into the ports of routers, and into terminals. A fabric's terminals count with it where
/// that is wanted (enter() of router_fabric.h, and arrive()); others pay nothing.
class link_counts {
public:
    struct count {
        std::uint64_t flits = 0;
        std::uint64_t packets = 0;  ///< their heads

        void add(std::uint16_t info) {
            ++flits;
            packets += (info & chips::flit_info::head) != 0 ? 1 : 0;
        }
        bool operator==(const count&) const = default;
    };

    explicit link_counts(const fabric_params& params)
        : ports_(params.router.ports), routers_(params.router.nodes() * ports_), terminals_(params.terminals()) {}

    /// `info`: flit_info of a flit; the ends count.
    void into_router(std::uint32_t node, unsigned port, std::uint16_t info) {
        routers_[node * ports_ + port].add(info);
    }
    void into_terminal(std::uint32_t terminal, std::uint16_t info) { terminals_[terminal].add(info); }

    const count& of_router(std::uint32_t node, unsigned port) const { return routers_[node * ports_ + port]; }
    const count& of_terminal(std::uint32_t terminal) const { return terminals_[terminal]; }

    /// Of a range of nodes, as flat memory.
    std::vector<std::span<count>> of_nodes(std::uint32_t first, std::uint32_t nodes) {
        const std::size_t all = routers_.size() / ports_;
        std::vector<std::span<count>> found{std::span(routers_).subspan(first * ports_, nodes * ports_)};
        for (std::size_t port = 0; port < terminals_.size() / all; ++port)
            found.push_back(std::span(terminals_).subspan(port * all + first, nodes));
        return found;
    }

    /// Those of another partition as well.
    link_counts& operator+=(const link_counts& others) {
        add(routers_, others.routers_);
        add(terminals_, others.terminals_);
        return *this;
    }

private:
    static void add(std::vector<count>& to, const std::vector<count>& from) {
        for (std::size_t index = 0; index < to.size(); ++index) {
            to[index].flits += from[index].flits;
            to[index].packets += from[index].packets;
        }
    }

    std::size_t ports_;           ///< of a router
    std::vector<count> routers_;  ///< [node][port]
    std::vector<count> terminals_;
};

}  // namespace polycast::hw::fabric
