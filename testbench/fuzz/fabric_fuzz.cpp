// SPDX-License-Identifier: Apache-2.0
/// \file Fuzzes one reader of hw/subnet, or all of them and what joins them. The command line ends in
/// `-ignore_remaining_args=1 READER`. Whatever the bytes are, a reader takes them or throws input_error with the file's
/// name, in at most 64 bytes of memory for each of the input and 64 MiB; what is taken is checked, and tables that were
/// written are read as they were. `join`: byte 0xff parts two files; what they tell is checked and repaired. `packed`:
/// a file of any kind, packed by gzip or not.
#include <sanitizer/allocator_interface.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string_view>

#include "hw/subnet/check.h"
#include "hw/subnet/dump_writer.h"
#include "hw/subnet/fabric_files.h"
#include "hw/subnet/kept_bytes.h"
#include "hw/subnet/reading.h"
#include "hw/subnet/repair.h"
#include "hw/subnet/subnet_list.h"
#include "testbench/fuzz/require.h"

namespace {

using namespace polycast::hw;
using namespace polycast::hw::subnet;
using polycast::testbench::fuzz::parts_of;
using polycast::testbench::fuzz::require;

constexpr std::size_t memory_factor = 64, memory_base = std::size_t{64} << 20;

// Bytes that are allocated now, and the most since the input began.
std::atomic<std::size_t> allocated{0}, most{0};

void note_malloc(const volatile void*, std::size_t size) {
    most = std::max<std::size_t>(most, allocated += size);
}

void note_free(const volatile void* block) {
    if (block != nullptr) allocated -= __sanitizer_get_allocated_size(const_cast<const void*>(block));
}

using table_reader = void (*)(line_reader&, reading&);
using table_writer = void (*)(const fabric&, const text_taker&);

/// A reader of tables, the sample whose topology it gets, and what writes its form.
struct reader {
    table_reader read = nullptr;
    const char* sample = "ring6.dfsssp";
    table_writer write = nullptr;
};

const std::map<std::string, reader> readers{
    {"fdbs", {read_fdbs, "ring6.dfsssp", write_fdbs}},
    {"lfts", {read_lfts, "ring6.dfsssp", nullptr}},
    {"mcfdbs", {read_mcfdbs, "irr8s3.updn.mcast", write_mcfdbs}},
    {"mfts", {read_mfts, "irr8s3.updn.mcast", write_mfts}},
    {"sl2vl_dump", {read_lanes_dump, "ring6.dfsssp", write_lanes}},
    {"slvl", {read_slvl, "ring6.dfsssp", nullptr}},
    {"smpquery_sl2vl", {read_smpquery_lanes, "ring6.dfsssp", nullptr}},
    {"smpquery_vlarb", {read_arbitration, "ring6.dfsssp", nullptr}},
    {"psl", {read_psl, "ring6.dfsssp", write_psl}},
    {"path_records", {read_path_records, "ring6.dfsssp", nullptr}},
    {"members", {read_members, "irr8s3.updn.mcast", nullptr}},
    {"subnet_list", {}},
    {"db_csv", {}},
    {"ibnetdiscover", {}},
    {"join", {}},
    {"packed", {}},
};

std::string name;
reader chosen;
topology::infiniband_records topology_of_sample;
/// One table, so that topologies alone are accepted.
const std::string one_table = "dump_ucast_routes: Switch 0x0000000000200000\n";

std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path);
    require(file.good(), "there is " + path.string());
    return {std::istreambuf_iterator<char>(file), {}};
}

fabric read_tables(std::string_view text, bool partial) {
    fabric made;
    reading to(made, partial);
    to.take_topology(topology_of_sample);
    line_reader in("fuzz", text);
    to.add_file("fuzz");
    chosen.read(in, to);
    to.finish(std::nullopt);
    return made;
}

std::string written(const fabric& of) {
    std::string text;
    chosen.write(of, [&](std::string_view part) { text += part; });
    return text;
}

void visit_tables(std::string_view text) {
    const fabric made = read_tables(text, text.size() % 8 == 0);
    if (text.size() % 4 == 0) check(made, {});
    if (chosen.write == nullptr) return;
    const std::string once = written(made);
    require(written(read_tables(once, false)) == once, "what was written is read as it was");
}

void visit_topology(const std::string& text) {
    const fabric made = read_fabric_texts({{"fuzz", text}, {"fuzz-table", one_table}}, {});
    require(made.switches.size() == made.network.switches.size() && made.hosts.size() == made.network.hosts.size(),
            "a state for each switch and host");
    require(!topology::find_problem(made.network), "an accepted network is sound");
}

void visit_packed(const std::string& bytes) {
    join_options options;
    options.limits.unpacked = std::size_t{1} << 20;  // texts of this length must fit into the memory
    std::vector<dump> dumps;
    dumps.push_back({"fuzz", bytes_in_memory(bytes)});
    dumps.push_back({"fuzz-table", bytes_in_memory(one_table)});
    const kept_bytes kept(*bytes_in_memory(bytes), bytes.size() / 2);
    std::string again(bytes.size() + 1, '\0');
    again.resize(kept.source()->read(again));
    require(again == bytes, "what is kept is given as it was");
    read_fabric_dumps(std::move(dumps), options);
}

void visit_join(const std::uint8_t* data, std::size_t size) {
    const std::vector<std::string> parts = parts_of(data, size);
    std::vector<std::pair<std::string, std::string_view>> texts;
    for (std::size_t i = 0; i < parts.size() && i < 4; ++i) texts.emplace_back("fuzz" + std::to_string(i), parts[i]);
    join_options options;
    options.partial = size % 2 == 0;
    const fabric made = read_fabric_texts(texts, options);
    std::reverse(texts.begin(), texts.end());
    const fabric again = read_fabric_texts(texts, options);
    require(made.network == again.network, "the order of files does not matter");
    if (made.switches.size() > 40 || made.hosts.size() > 80) return;
    const check_result found = check(made, {.vls = std::nullopt, .all = size % 3 == 0});
    require(found.reached <= found.pairs, "not more pairs are reached than there are");
    const repair_result repaired = repair(made, {});
    if (repaired.kind == repair_kind::none) return;
    require(repaired.after.all.shortest.empty(), "what is repaired has no circle");
    require(repaired.after.reached == repaired.after.pairs, "what is repaired reaches all pairs");
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
    name = (*arguments)[*count - 1];
    const auto found = readers.find(name);
    require(found != readers.end(), "the last word of the command line is a reader");
    chosen = found->second;
    if (chosen.read != nullptr) {
        const std::string list =
            text_of(std::filesystem::path(POLYCAST_FUZZ_DATA) / chosen.sample / "opensm-subnet.lst");
        line_reader in("list", list);
        subnet_list reads;
        reads.read(in);
        topology_of_sample = reads.finish();
    }
    __sanitizer_install_malloc_and_free_hooks(note_malloc, note_free);
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::size_t before = allocated;
    most = before;
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        recognise(text);
        if (chosen.read != nullptr) {
            visit_tables(text);
        } else if (name == "join") {
            visit_join(data, size);
        } else if (name == "packed") {
            visit_packed(text);
        } else {
            visit_topology(text);
        }
    } catch (const input_error& refused) {
        const std::string what = refused.what();
        require(what.starts_with("fuzz") || what.starts_with("there ") || what.starts_with("list"),
                "it names the file: " + what);
    }
    require(most - std::min<std::size_t>(before, most) <= memory_factor * size + memory_base, "memory is bounded");
    return 0;
}
