// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/fabric_tables.h"

#include <fmt/format.h>

#include "hw/input_error.h"
#include "hw/subnet/dump_writer.h"
#include "hw/subnet/table_maker.h"
#include "tlm/sim/analyse/analyse_command_line.h"
#include "tlm/sim/output_folder.h"
#include "tlm/trace/output_file.h"

namespace polycast::tlm::sim {
namespace {

namespace subnet = hw::subnet;

subnet::table_engine engine_named(const std::string& name) {
    for (const auto& one : subnet::table_engines)
        if (one.name == name) return one.value;
    throw hw::input_error("there is no engine '" + name + "'", "known: updn, dmodk, minhop");
}

}  // namespace

fabric_tables_command::fabric_tables_command(CLI::App& fabric) {
    command_ = fabric.add_subcommand("tables",
                                     "LIDs and forwarding tables for any network of switches, as OpenSM dumps them: "
                                     "opensm-subnet.lst, opensm.fdbs, opensm-lfts.dump.");
    add_network(*command_, where_);
    std::string engines;
    for (const auto& one : subnet::table_engines)
        engines += fmt::format("{}{}: {}", engines.empty() ? "" : "; ", one.name, one.doc);
    command_->add_option("--engine", engine_, engines)->required()->type_name("updn|dmodk|minhop");
    command_->add_option("--lmc", lmc_, "Each host has 2^LMC LIDs; default: 0")->check(CLI::Range(0u, 7u));
    command_
        ->add_option("--root", roots_,
                     "Switch at the root of updn and dmodk: name, id, GUID or number; may be repeated; default: the "
                     "switches farthest from hosts, or the one with the shortest paths")
        ->allow_extra_args(false)
        ->type_name("SWITCH");
    command_->add_option("-o,--out", out_, "Folder for the files")->required()->type_name("DIR");
}

int fabric_tables_command::run() const {
    subnet::table_options options;
    options.engine = engine_named(engine_);
    options.lmc = lmc_;
    if (!roots_.empty() && options.engine == subnet::table_engine::minhop)
        throw hw::input_error("minhop takes no root", "leave --root out, or take updn");
    output_folder out(out_);
    const chosen_network chosen = load_network(where_);
    if (chosen.kind->is().of != topologies::traits::chips::switches)
        throw hw::input_error("tables are made for networks of switches", "take one of another kind");
    for (const std::string& root : roots_) {
        const auto found = chosen.network.identify_switch(root);
        if (!found)
            throw hw::input_error("--root: there is no switch '" + root + "'", chosen.network.propose_switch(root));
        options.roots.push_back(*found);
    }
    const subnet::fabric made = subnet::make_tables(chosen.network, options);
    const auto write = [&](const char* name, const auto& writer) {
        trace::text_file file(out / name);
        writer(made, [&](std::string_view text) { file.append(text); });
        file.commit();
    };
    write("opensm-subnet.lst", subnet::write_subnet_list);
    write("opensm.fdbs", subnet::write_fdbs);
    write("opensm-lfts.dump", subnet::write_lfts);
    out.commit();
    fmt::print("{} switches, {} hosts, LMC {}: tables by {} in {}\n", made.switches.size(), made.hosts.size(), lmc_,
               engine_, out_);
    return 0;
}

}  // namespace polycast::tlm::sim
