// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/fabric_repair.h"

#include <fmt/format.h>

#include <bit>
#include <set>

#include "hw/input_error.h"
#include "hw/subnet/dump_writer.h"
#include "hw/subnet/fabric_files.h"
#include "hw/subnet/line_reader.h"
#include "hw/subnet/repair.h"
#include "tlm/sim/output_folder.h"
#include "tlm/trace/output_file.h"

namespace polycast::tlm::sim {
namespace {

namespace subnet = hw::subnet;
using hw::topology::port_end;
using subnet::file_kind;
using subnet::repair_kind;

constexpr std::size_t most_tree_rows = 1000;  ///< cables on the page, of all groups

/// Whether the repaired files stand for one of this kind.
bool replaced(file_kind kind, bool lanes) {
    switch (kind) {
        case file_kind::mcfdbs:
        case file_kind::mfts: return true;
        case file_kind::lanes_dump:
        case file_kind::slvl:
        case file_kind::smpquery_lanes:
        case file_kind::psl:
        case file_kind::path_records: return lanes;
        default: return false;
    }
}

std::string loop_text(const subnet::fabric& fabric, const subnet::check_result& result) {
    const auto& cycle = result.all.shortest;
    if (cycle.empty()) return "none";
    const bool with_vl = result.channels_by_vl.size() > 1;
    std::string text;
    for (const subnet::channel& one : cycle) text += subnet::channel_text(fabric, one, with_vl) + " > ";
    return text + subnet::channel_text(fabric, cycle.front(), with_vl);
}

/// What was done, in a sentence.
std::string sentence(const subnet::fabric& fabric, const subnet::repair_result& result) {
    const std::string root = result.root ? fabric.network.switches[*result.root].name : "";
    switch (result.kind) {
        case repair_kind::unchanged: return "no problem was found, and nothing was changed";
        case repair_kind::trees:
            return fmt::format("{} group{} other trees, in the order of root {}, the {} that was tried",
                               result.groups.size(), result.groups.size() == 1 ? " has" : "s have", root,
                               result.orders == 1 ? "first" : fmt::format("{}th", result.orders));
        case repair_kind::grown:
            return fmt::format("no order of {} held, and {} group{} other trees, grown cable by cable", result.orders,
                               result.groups.size(), result.groups.size() == 1 ? " has" : "s have");
        case repair_kind::lanes:
            return fmt::format("unicasts have path SLs on lanes of their own, {} lanes in all{}", result.lanes,
                               result.root ? "; groups have trees in the order of root " + root : "");
        case repair_kind::none: break;
    }
    return "not repaired: " + result.why_not;
}

std::string trees_text(const subnet::fabric& fabric, unsigned mlid, std::size_t& left) {
    std::string text;
    for (std::uint32_t s = 0; s < fabric.switches.size() && left > 0; ++s) {
        const auto row = fabric.switches[s].multicast.find(mlid);
        if (row == fabric.switches[s].multicast.end()) continue;
        for (std::uint64_t ports = row->second.ports; ports != 0 && left > 0; ports &= ports - 1) {
            const auto p = static_cast<unsigned>(std::countr_zero(ports));
            const port_end& end = fabric.network.switches[s].ports[p];
            if (end.kind != port_end::leads_to::chip || end.index < s) continue;
            text += fmt::format("{}`{}` - `{}`", text.empty() ? "" : ", ", fabric.network.port_text(s, p),
                                fabric.network.port_text(end.index, end.port));
            --left;
        }
    }
    return text;
}

/// The page, in Markdown.
std::string page(const subnet::fabric& before, const subnet::repair_result& result) {
    const subnet::fabric& after = result.repaired;
    std::string text =
        "# Repaired fabric\n\n" + sentence(before, result) + ".\n\n| | before | after |\n|---|---|---|\n";
    const auto row = [&](const char* what, const auto& old, const auto& fresh) {
        text += fmt::format("| {} | {} | {} |\n", what, old, fresh);
    };
    row("pairs reached", fmt::format("{} of {}", result.before.reached, result.before.pairs),
        fmt::format("{} of {}", result.after.reached, result.after.pairs));
    row("dependencies of unicasts", result.before.unicast_dependencies, result.after.unicast_dependencies);
    row("added by groups", result.before.added, result.after.added);
    row("possible credit loop", loop_text(before, result.before), loop_text(after, result.after));
    row("trees on the cable with most", result.load_before, result.load_after);
    if (!result.groups.empty()) {
        text +=
            "\n## Trees\nDepth: the most cables between two switches of the tree.\n\n"
            "| group | switches | cables | depth | switches after | cables after | depth after |\n"
            "|---|---|---|---|---|---|---|\n";
        for (const auto& one : result.groups)
            text +=
                fmt::format("| {:#x} | {} | {} | {} | {} | {} | {} |\n", one.mlid, one.before.switches,
                            one.before.cables, one.before.depth, one.after.switches, one.after.cables, one.after.depth);
        std::size_t left = most_tree_rows;
        for (const auto& one : result.groups) {
            text += fmt::format("\n### Group {:#x}\n- before: {}\n", one.mlid, trees_text(before, one.mlid, left));
            text += fmt::format("- after: {}\n", trees_text(after, one.mlid, left));
        }
        if (left == 0) text += fmt::format("\nFurther cables are left out: these are {}.\n", most_tree_rows);
    }
    if (result.kind == repair_kind::lanes) {
        text += "\n## Lanes\n| VL | channels before | channels after |\n|---|---|---|\n";
        for (unsigned vl = 0; vl < subnet::max_vls; ++vl) {
            const auto old = result.before.channels_by_vl.find(vl);
            const auto fresh = result.after.channels_by_vl.find(vl);
            if (old == result.before.channels_by_vl.end() && fresh == result.after.channels_by_vl.end()) continue;
            text += fmt::format("| {} | {} | {} |\n", vl, old == result.before.channels_by_vl.end() ? 0 : old->second,
                                fresh == result.after.channels_by_vl.end() ? 0 : fresh->second);
        }
    }
    return text;
}

}  // namespace

fabric_repair_command::fabric_repair_command(CLI::App& fabric) {
    command_ = fabric.add_subcommand(
        "repair",
        "Give multicast groups other trees, or unicasts lanes, so that no packets can wait for each other in a circle. "
        "Ports of unicasts stay. Exit status: 0 repaired, 1 not repaired, 2 refused.");
    command_->add_option("paths", paths_, "Folder of dumps, or files")->required()->type_name("DIR|FILE");
    lmc_option_ =
        command_->add_option("--lmc", lmc_, "LMC, where no file tells it; default: 0")->check(CLI::Range(0u, 7u));
    vls_option_ = command_
                      ->add_option("--vls", vls_,
                                   "Data lanes that may be used; default: as many as all ports have by the files, else "
                                   "8")
                      ->check(CLI::Range(1u, 15u));
    command_->add_flag("--partial", partial_, "Unknown GUIDs are warnings: the files are of a part of the fabric");
    command_->add_option("--root", root_, "Switch at the root of the first order of trees: name, id, GUID or number")
        ->type_name("SWITCH");
    command_->add_option("-o,--out", out_, "Folder for the repaired fabric")->required()->type_name("DIR");
}

int fabric_repair_command::run() const {
    output_folder out(out_);
    subnet::join_options join;
    if (*lmc_option_) join.lmc = lmc_;
    join.partial = partial_;
    const subnet::fabric fabric = subnet::read_fabric(paths_, join);
    subnet::repair_options options;
    if (*vls_option_) options.vls = vls_;
    if (!root_.empty()) {
        options.root = fabric.network.identify_switch(root_);
        if (!options.root)
            throw hw::input_error("--root: there is no switch '" + root_ + "'", fabric.network.propose_switch(root_));
    }
    const subnet::repair_result result = subnet::repair(fabric, options);
    fmt::print("{}\n", sentence(fabric, result));
    if (result.kind == repair_kind::none) return 1;
    const auto write = [&](const char* name, const auto& writer) {
        trace::text_file file(out / name);
        writer(result.repaired, [&](std::string_view text) { file.append(text); });
        file.commit();
    };
    const bool lanes = result.kind == repair_kind::lanes;
    // The folder is complete: what was not repaired is as it was.
    for (const std::string& file : std::set(fabric.files.begin(), fabric.files.end()))
        if (!replaced(subnet::recognise(subnet::line_reader(file).head()), lanes)) out.copy(file);
    if (!result.groups.empty()) {
        write("opensm.mcfdbs", subnet::write_mcfdbs);
        write("dump_mfts.txt", subnet::write_mfts);
    }
    if (lanes) {
        write("psl", subnet::write_psl);
        write("opensm-sl2vl.dump", subnet::write_lanes);
    }
    trace::text_file file(out / "repair.md");
    file.append(page(fabric, result));
    file.commit();
    out.commit();
    for (const auto& one : result.groups)
        fmt::print("group {:#x}: {} cables between {} switches, before {} between {}\n", one.mlid, one.after.cables,
                   one.after.switches, one.before.cables, one.before.switches);
    for (const std::string& problem : result.after.problems) fmt::print("still: {}\n", problem);
    fmt::print("{} of {} pairs reached; written to {}\n", result.after.reached, result.after.pairs, out_);
    return result.after.good() ? 0 : 1;
}

}  // namespace polycast::tlm::sim
