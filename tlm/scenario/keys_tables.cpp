// SPDX-License-Identifier: Apache-2.0
// Forwarding tables in place of routes that the program finds.
#include "tlm/scenario/key_tables.h"

namespace polycast::tlm::scenario {

namespace {

using v = value_type;
using N = network_settings;
using R = table_routing;
constexpr auto net = &settings::network;
constexpr auto tables = &N::tables;

const std::vector<condition> by_tables{{"kind", {"tables"}}};

/// Whether the second of two choices is taken.
template <bool R::*member>
void second(settings& s, const value& given) {
    s.network.tables.*member = given.choice == 1;
}

key files(std::string_view path, std::string_view doc, std::vector<std::string> R::*member) {
    return {.path = path,
            .type = v::names,
            .fallback = "none",
            .words = {"none"},
            .one = true,
            .file = true,
            .only = by_tables,
            .doc = doc,
            .store = [member](settings& s, const value& given) {
                if (!given.word) s.network.tables.*member = given.names;
            }};
}

}  // namespace

std::vector<key> table_keys() {
    return {
        {.path = "network.routing.kind",
         .type = v::choice,
         .fallback = "updown",
         .choices = {{"updown", "up*/down*, on replicating switches"},
                     {"tables",
                      "the forwarding tables of an InfiniBand fabric, on VL switches; with topologies from a file"}},
         .doc = "How packets find their way.",
         .store = second<&R::on>},
        files("network.routing.lft",
              "Unicast tables: dumps of OpenSM, ibdiagnet or infiniband-diags, one file or several "
              "(hw/subnet/subnet.md). "
              "Relative to the scenario, or on the command line to the current folder, as all that follow.",
              &R::lft),
        files("network.routing.mft", "Multicast tables.", &R::mft),
        files("network.routing.sl2vl", "Tables of virtual lanes by service level; without, all packets have VL 0.",
              &R::sl2vl),
        files("network.routing.path_sl", "Service levels of paths; without, all unicasts have SL 0.", &R::path_sl),
        files("network.routing.members", "Members of multicast groups, with service levels.", &R::members),
        files("network.routing.vl_arbitration", "Tables of VL arbitration, for `switch.vl_policy: weighted`.",
              &R::arbitration),
        {.path = "network.routing.lmc",
         .type = v::number,
         .fallback = "auto",
         .least = "0",
         .most = "7",
         .words = {"auto"},
         .only = by_tables,
         .doc = "LID mask control: a host has 2^lmc LIDs. `auto`: as the files tell it, or 0.",
         .store = into<net, tables, &R::lmc>},
        {.path = "network.routing.vls",
         .type = v::number,
         .fallback = "auto",
         .least = "1",
         .most = "15",
         .words = {"auto"},
         .only = by_tables,
         .doc = "Virtual lanes of every link. `auto`: the highest that a service level in use has, + 1.",
         .store = into<net, tables, &R::vls>},
        {.path = "network.routing.path",
         .type = v::choice,
         .fallback = "base",
         .choices = {{"base", "its base LID"}, {"spread", "base LID + (source + destination) mod 2^lmc"}},
         .only = by_tables,
         .doc = "Which LID of a destination a packet has.",
         .store = second<&R::spread>},
        {.path = "network.routing.group_sl",
         .type = v::choice_map,
         .fallback = "{}",
         .choices = {{"0", ""},
                     {"1", ""},
                     {"2", ""},
                     {"3", ""},
                     {"4", ""},
                     {"5", ""},
                     {"6", ""},
                     {"7", ""},
                     {"8", ""},
                     {"9", ""},
                     {"10", ""},
                     {"11", ""},
                     {"12", ""},
                     {"13", ""},
                     {"14", ""},
                     {"15", ""}},
         .only = by_tables,
         .doc = "Service levels of multicast groups, by MLID (`{0xC001: 2}`); of others that of `members`, or 0.",
         .store = into<net, tables, &R::group_sl>},
        {.path = "network.routing.on_problem",
         .type = v::choice,
         .fallback = "refuse",
         .choices = {{"refuse", "nothing is run"}, {"run", "all that the tables lead to"}},
         .only = by_tables,
         .doc = "What happens if the check of the tables (`fabric check`) finds problems, such as a possible credit "
                "loop.",
         .store = second<&R::run_problems>},
    };
}

}  // namespace polycast::tlm::scenario
