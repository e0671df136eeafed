// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/topology_command.h"

#include <fmt/format.h>

#include <filesystem>

#include "hw/input_error.h"
#include "hw/topology/folded_clos.h"
#include "hw/topology/topology_file.h"
#include "tlm/sim/analyse/analyse_command_line.h"
#include "tlm/topologies/kinds.h"
#include "tlm/trace/output_file.h"

namespace polycast::tlm::sim {
namespace {

using hw::topology::file_format;

/// By the ending of the file's name.
file_format format_of(const std::string& path) {
    const std::string ending = std::filesystem::path(path).extension().string();
    if (ending == ".graphml") return file_format::graphml;
    if (ending == ".txt") return file_format::edge_list;
    if (ending == ".net") return file_format::ibsim;
    if (ending == ".ibnetdiscover") return file_format::ibnetdiscover;
    throw hw::input_error("--save " + path + ": the ending tells the format",
                          "known: .graphml, .txt (edge list), .net (ibsim), .ibnetdiscover");
}

}  // namespace

topology_command::topology_command(CLI::App& app) {
    CLI::App* command =
        app.add_subcommand("topology", "Describe the network of a scenario (.yaml), or of a topology file.");
    add_network(*command, where_);
    command->get_option("file")->required(false);
    CLI::Option* json = command->add_flag("--json", json_, "Print it as JSON");
    command->add_flag("--dot", dot_, "Print it for Graphviz")->excludes(json);
    CLI::Option* generate =
        command
            ->add_option("--generate", generate_,
                         "In place of a file: folded_clos, switches of p ports in n levels with 2 (p/2)^n hosts")
            ->type_name("folded_clos")
            ->check(CLI::IsMember({"folded_clos"}));
    command->add_option("--ports", ports_, "Ports of every switch, 4 to 64; default: 36")->needs(generate);
    command->add_option("--levels", levels_, "Levels of switches; default: 2")->needs(generate);
    command->add_option("--save", save_, "Write the network as a topology file: .graphml, .txt, .net or .ibnetdiscover")
        ->type_name("FILE");
}

chosen_network topology_command::network() const {
    if (generate_.empty() == where_.file.empty())
        throw hw::input_error(generate_.empty() ? "a file is missing" : "--generate takes no file",
                              "topology FILE, or topology --generate folded_clos");
    if (generate_.empty()) return load_network(where_);
    return {hw::topology::make_folded_clos({ports_, levels_}), {}, {}, &topologies::file()};
}

int topology_command::run() const {
    const chosen_network chosen = network();
    if (!save_.empty()) {
        const std::string text = hw::topology::write_topology_text(chosen.network, format_of(save_));
        trace::text_file file(save_);
        file.append(text);
        file.commit();
    }
    const topologies::shown shown{chosen.scenario, chosen.network, chosen.params};
    if (json_) {
        chosen.kind->draw(shown, [](std::string_view text) { fmt::print("{}", text); });
    } else {
        fmt::print("{}", dot_ ? chosen.kind->dot(shown) : chosen.kind->text(shown));
    }
    return 0;
}

}  // namespace polycast::tlm::sim
