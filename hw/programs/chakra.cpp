// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/chakra.h"

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <deque>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hw/input_error.h"
#include "hw/programs/chakra_groups.h"
#include "hw/programs/chakra_trace.h"
#include "hw/programs/collective.h"
#include "hw/programs/program_builder.h"
#include "hw/topology/nearest_name.h"

namespace polycast::hw::programs {
namespace {

using chakra::node;
using chakra::node_kind;

constexpr std::uint64_t unit_picoseconds = 1000;  // times are kept in nanoseconds
constexpr std::uint64_t nanoseconds_of_micro = 1000;
constexpr std::uint64_t nanoseconds_of_second = 1'000'000'000;
constexpr std::uint8_t cpu_processor = 0, gpu_processor = 1;
/// Members of all groups together, so that many groups of all ranks take no endless memory.
constexpr std::uint64_t most_members = std::uint64_t{1} << 24;

/// [CollectiveCommType of the schema]
constexpr std::array comm_types{collective_kind::allreduce,      collective_kind::reduce,
                                collective_kind::allgather,      collective_kind::gather,
                                collective_kind::scatter,        collective_kind::broadcast,
                                collective_kind::all_to_all,     collective_kind::reduce_scatter,
                                collective_kind::reduce_scatter, collective_kind::barrier};

/// Node `waiting` depends on node `on`: places in the order of ids.
struct edge {
    std::uint32_t on = 0, waiting = 0;
};

/// What a file becomes for a rank that executes it.
struct parsed_trace {
    std::vector<operation> operations;
    std::deque<edge> edges;  ///< in the order of what waits; a deque, as a dependency may have one byte in the file
    std::deque<edge> order;  ///< by `streams`, likewise
    std::optional<std::uint32_t> last_collective;
    std::unordered_map<std::int64_t, std::optional<std::uint32_t>> last_of_tid;
    std::vector<std::uint32_t> label_ends;
    std::string labels;
    repair_counts faults;
    std::array<std::uint64_t, std::size(chakra::node_kinds)> kinds{};
    std::optional<std::uint32_t> first_message;  ///< a send or receive, which files of one rank alone may have
};

class maker {
public:
    maker(std::span<const program_bytes> files, const read_options& options)
        : files_(files), options_(options), ranks_(count_ranks()), made_(ranks_, options.names) {}

    program make();

private:
    std::uint32_t count_ranks() const;
    parsed_trace parse(chakra::trace& from);
    operation made_of(const chakra::trace& from, const node& of);
    std::uint64_t time_of(const chakra::trace& from, const node& of) const;
    std::uint64_t transfer_time(const chakra::trace& from, const node& of) const;
    void set_message(const chakra::trace& from, const node& of, operation& made) const;
    void set_collective(const chakra::trace& from, const node& of, operation& made);
    std::uint16_t group_of(const chakra::trace& from, const node& of);
    void collect_groups();
    void keep_groups(chakra::group_table found, const std::string& name);
    void keep_order(const node& of, std::uint32_t index, parsed_trace& to) const;
    void repair(chakra::trace& from, parsed_trace& of);
    static std::string cycle_text(chakra::trace& from, const std::vector<std::uint32_t>& cycle);
    [[noreturn]] void refuse(chakra::trace& from, const parsed_trace& of, std::uint64_t behind) const;
    void emit(std::uint32_t rank, parsed_trace& from, bool last, chakra::trace& of);

    std::span<const program_bytes> files_;
    const read_options& options_;
    std::uint32_t ranks_;
    program_builder made_;
    chakra::group_table groups_;
    std::map<std::string, std::string, std::less<>> group_files_;  ///< which file a group comes from
    std::map<std::string, std::uint16_t, std::less<>> communicators_;
    std::uint64_t members_ = 0;
    repair_counts repaired_;
};

std::uint32_t maker::count_ranks() const {
    const std::optional<std::uint32_t> told = options_.chakra.ranks;
    const auto files = static_cast<std::uint32_t>(files_.size());
    if (files == 1) {
        if (!told)
            throw input_error(files_.front().name, {}, "a trace of one file does not say how many ranks execute it",
                              "`ranks` does; of a trace of several files give the part of their names before the "
                              "rank: P for P.0.et, P.1.et, ..");
        if (*told == 0 || *told > most_ranks)
            throw input_error(files_.front().name, {},
                              std::to_string(*told) + " ranks; a program has 1 to " + std::to_string(most_ranks));
        return *told;
    }
    if (told && *told != files)
        throw input_error(files_.front().name, {},
                          "`ranks` is " + std::to_string(*told) + ", and the trace has " + std::to_string(files) +
                              " files, one for each rank",
                          "leave `ranks` out");
    return files;
}

program maker::make() {
    made_.set_unit(options_.unit.value_or(unit_picoseconds));
    collect_groups();
    std::uint32_t rank = 0;
    for (const program_bytes& file : files_) {
        chakra::trace from(file.name, file.bytes);
        parsed_trace parsed = parse(from);
        repair(from, parsed);
        const std::uint32_t end = files_.size() == 1 ? ranks_ : rank + 1;
        if (files_.size() == 1 && parsed.first_message) {
            node found;
            from.read(*parsed.first_message, found);
            from.fail(found, "a send or receive in a trace that all ranks execute", "a file for each rank has them");
        }
        for (; rank < end; ++rank) emit(rank, parsed, rank + 1 == end, from);
    }
    made_.set_repaired(repaired_);
    return made_.finish();
}

/// Groups are known before collectives name them: those of later ranks' traces, too.
void maker::collect_groups() {
    if (options_.chakra.groups) {
        const named_text& file = *options_.chakra.groups;
        return keep_groups(chakra::read_groups_file(file.name, file.text, ranks_), file.name);
    }
    for (const program_bytes& file : files_) {
        if (!chakra::holds_groups(file.bytes)) continue;
        chakra::trace from(file.name, file.bytes);
        node found;
        for (std::uint32_t i = 0; i < from.nodes(); ++i) {
            from.read(i, found);
            if (found.kind != node_kind::metadata || !chakra::holds_groups(found.inputs)) continue;
            keep_groups(chakra::read_groups_inputs(found.inputs, ranks_,
                                                   [&](const std::string& problem) { from.fail(found, problem); }),
                        file.name);
        }
    }
}

void maker::keep_groups(chakra::group_table found, const std::string& file) {
    for (auto& [name, members] : found) {
        const auto known = groups_.find(name);
        if (known == groups_.end()) {
            group_files_[name] = file;
            groups_[name] = std::move(members);
        } else if (known->second != members) {
            throw input_error(file, {},
                              "group '" + name + "' has other ranks here than in " + group_files_.find(name)->second,
                              "`groups` names a file of groups that holds for all ranks");
        }
    }
}

std::uint16_t maker::group_of(const chakra::trace& from, const node& of) {
    if (!of.pg_name) return 0;
    const auto known = communicators_.find(*of.pg_name);
    if (known != communicators_.end()) return known->second;
    const auto found = groups_.find(*of.pg_name);
    if (found == groups_.end()) {
        std::vector<std::string> names;
        for (const auto& [name, members] : groups_) names.push_back(name);
        from.fail(of, "there is no group '" + *of.pg_name + "'",
                  names.empty() ? "the trace has no METADATA node that lists groups; `groups` names a file with them"
                                : topology::propose_name(*of.pg_name, names));
    }
    std::vector<std::uint32_t> members = found->second;
    if (members.empty()) {
        members.resize(ranks_);
        std::iota(members.begin(), members.end(), 0u);
    }
    members_ += members.size();
    if (members_ > most_members)
        from.fail(of, "groups have more than " + std::to_string(most_members) + " members together");
    return communicators_[*of.pg_name] = made_.add_group(std::move(members), *of.pg_name);
}

parsed_trace maker::parse(chakra::trace& from) {
    parsed_trace made;
    made.operations.reserve(from.nodes());
    if (options_.names) made.label_ends.reserve(from.nodes());
    node of;
    for (std::uint32_t i = 0; i < from.nodes(); ++i) {
        from.read(i, of);
        ++made.kinds[static_cast<std::size_t>(of.kind)];
        if (!made.first_message && (of.kind == node_kind::comm_send || of.kind == node_kind::comm_recv))
            made.first_message = i;
        made.operations.push_back(made_of(from, of));
        keep_order(of, i, made);
        if (options_.names) {
            made.labels += node_text(of);
            made.label_ends.push_back(static_cast<std::uint32_t>(made.labels.size()));
        }
        for (const std::uint64_t id : of.depends_on) {
            if (id == of.id) {
                ++made.faults.self;
            } else if (const std::optional<std::uint32_t> on = from.find(id)) {
                made.faults.later += *on > i;
                made.edges.push_back({*on, i});
            } else {
                ++made.faults.absent;
            }
        }
    }
    return made;
}

operation maker::made_of(const chakra::trace& from, const node& of) {
    operation made;
    made.cpu = of.is_cpu_op.value_or(false) ? cpu_processor : gpu_processor;
    switch (of.kind) {
        case node_kind::invalid:
        case node_kind::metadata: made.cpu = cpu_processor; return made;
        case node_kind::comm_send:
        case node_kind::comm_recv: set_message(from, of, made); return made;
        case node_kind::comm_coll:
            // What PyTorch does on the CPU to launch a collective is recorded as one, too.
            if (!of.comm_type && of.is_cpu_op.value_or(false)) break;
            set_collective(from, of, made);
            return made;
        case node_kind::mem_load:
        case node_kind::mem_store:
        case node_kind::comp: break;
    }
    made.kind = operation_kind::calc;
    made.length = time_of(from, of);
    if (made.length > most_time)
        from.fail(of, std::to_string(made.length) + " ns; the longest calculation has " + std::to_string(most_time));
    return made;
}

/// ceil(amount / rate), in nanoseconds; too long ones become longer than any calculation may be.
std::uint64_t nanoseconds(std::int64_t amount, std::uint64_t rate) {
    using wide = boost::multiprecision::uint128_t;
    const wide time = (wide(static_cast<std::uint64_t>(amount)) * nanoseconds_of_second + rate - 1) / rate;
    return time > most_time ? most_time + 1 : static_cast<std::uint64_t>(time);
}

std::uint64_t maker::transfer_time(const chakra::trace& from, const node& of) const {
    if (!of.tensor_size || *of.tensor_size < 0) from.fail(of, "it has no 'tensor_size', or a negative one");
    if (options_.chakra.memory == 0) from.fail(of, "how fast the memory is, no file says", "`memory` does");
    return nanoseconds(*of.tensor_size, options_.chakra.memory);
}

std::uint64_t maker::time_of(const chakra::trace& from, const node& of) const {
    if (of.kind == node_kind::mem_load || of.kind == node_kind::mem_store) return transfer_time(from, of);
    const bool roofline = options_.chakra.compute == compute_time::roofline && of.kind == node_kind::comp;
    if (!roofline || (!of.num_ops && !of.tensor_size))
        return of.duration_micros > most_time / nanoseconds_of_micro ? most_time + 1
                                                                     : of.duration_micros * nanoseconds_of_micro;
    std::uint64_t time = 0;
    if (of.num_ops) {
        if (*of.num_ops < 0) from.fail(of, "'num_ops' is negative");
        if (options_.chakra.peak == 0)
            from.fail(of, "how many operations a second it does, no file says", "`peak` does");
        time = nanoseconds(*of.num_ops, options_.chakra.peak);
    }
    return of.tensor_size ? std::max(time, transfer_time(from, of)) : time;
}

void maker::set_message(const chakra::trace& from, const node& of, operation& made) const {
    const bool sends = of.kind == node_kind::comm_send;
    const char* const peer_name = sends ? "comm_dst" : "comm_src";
    const std::optional<std::int64_t> peer = sends ? of.comm_dst : of.comm_src;
    const auto missing = [&](const std::string& what) { from.fail(of, "it has no '" + what + "'"); };
    if (!peer) missing(peer_name);
    if (!of.comm_size) missing("comm_size");
    if (*peer < 0 || *peer >= ranks_)
        from.fail(of, "'" + std::string(peer_name) + "' is " + std::to_string(*peer) + "; ranks are 0 to " +
                          std::to_string(ranks_ - 1));
    if (*of.comm_size < 0 || static_cast<std::uint64_t>(*of.comm_size) > most_bytes)
        from.fail(of, "'comm_size' is " + std::to_string(*of.comm_size) + "; a message has 0 to " +
                          std::to_string(most_bytes) + " bytes");
    constexpr std::int64_t most_tag = 0xfffffffe;
    const std::int64_t tag = of.comm_tag.value_or(0);
    if (tag < 0 || tag > most_tag)
        from.fail(of, "'comm_tag' is " + std::to_string(tag) + "; it is 0 to " + std::to_string(most_tag));
    made.kind = sends ? operation_kind::send : operation_kind::receive;
    made.peer = static_cast<std::uint16_t>(*peer);
    made.tag = static_cast<std::uint32_t>(tag);
    made.length = static_cast<std::uint64_t>(*of.comm_size);
}

void maker::set_collective(const chakra::trace& from, const node& of, operation& made) {
    if (!of.comm_type) from.fail(of, "it has no 'comm_type'");
    if (*of.comm_type < 0 || *of.comm_type >= static_cast<std::int64_t>(comm_types.size()))
        from.fail(of, "'comm_type' is " + std::to_string(*of.comm_type) + "; known: 0 ALL_REDUCE to 9 BARRIER");
    const collective_kind kind = comm_types[static_cast<std::size_t>(*of.comm_type)];
    made.kind = operation_kind::collective;
    made.tag = collective_tag(kind);
    made.communicator = group_of(from, of);
    const std::uint64_t members = made.communicator == 0 ? ranks_ : made_.group(made.communicator).size();
    if (has_root(kind)) {
        const std::int64_t lowest = made.communicator == 0 ? 0 : made_.group(made.communicator).front();
        const std::int64_t root = of.comm_src.value_or(lowest);
        if (root < 0 || root >= ranks_)
            from.fail(of, "'comm_src', its root, is " + std::to_string(root) + "; ranks are 0 to " +
                              std::to_string(ranks_ - 1));
        if (made.communicator != 0 && !std::ranges::binary_search(made_.group(made.communicator), root))
            from.fail(of, "its root, rank " + std::to_string(root) + ", is no member of group '" + *of.pg_name + "'");
        made.peer = static_cast<std::uint16_t>(root);
    }
    if (kind == collective_kind::barrier) return;
    if (!of.comm_size) from.fail(of, "it has no 'comm_size'");
    // What each rank gives or gets is a block of the larger buffer.
    const bool of_block =
        kind == collective_kind::allgather || kind == collective_kind::gather || kind == collective_kind::scatter;
    const std::uint64_t blocks = of_block ? members : 1;
    if (*of.comm_size < 0 || static_cast<std::uint64_t>(*of.comm_size) > most_bytes / blocks)
        from.fail(of, "'comm_size' is " + std::to_string(*of.comm_size) + "; a buffer has 0 to " +
                          std::to_string(most_bytes) + " bytes" +
                          (of_block ? ", and this is one of " + std::to_string(members) + " blocks of it" : ""));
    made.length = static_cast<std::uint64_t>(*of.comm_size) * blocks;
}

/// What `streams` adds to the dependencies. GPU compute has one processor, which does one after the other anyway.
void maker::keep_order(const node& of, std::uint32_t index, parsed_trace& to) const {
    std::optional<std::uint32_t>* before = nullptr;
    const operation& made = to.operations[index];
    if (options_.chakra.streams == stream_order::serial && made.kind == operation_kind::collective)
        before = &to.last_collective;
    if (options_.chakra.streams == stream_order::tid && made.cpu == gpu_processor && of.tid)
        before = &to.last_of_tid[*of.tid];
    if (before == nullptr) return;
    if (*before) to.order.push_back({**before, index});
    *before = index;
}

/// How many nodes are in cycles or wait for one that is.
std::uint64_t nodes_behind_cycles(std::size_t nodes, const std::deque<edge>& edges) {
    std::vector<std::uint32_t> begins(nodes + 1), waits(nodes), waiting(edges.size()), taken;
    for (const edge& one : edges) {
        ++begins[one.on + 1];
        ++waits[one.waiting];
    }
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    std::vector<std::uint32_t> next(begins.begin(), begins.end() - 1);
    for (const edge& one : edges) waiting[next[one.on]++] = one.waiting;
    for (std::uint32_t i = 0; i < nodes; ++i)
        if (waits[i] == 0) taken.push_back(i);
    for (std::size_t i = 0; i < taken.size(); ++i)
        for (std::uint32_t at = begins[taken[i]]; at < begins[taken[i] + 1]; ++at)
            if (--waits[waiting[at]] == 0) taken.push_back(waiting[at]);
    return nodes - taken.size();
}

void maker::repair(chakra::trace& from, parsed_trace& of) {
    if (of.faults.all() == 0) return;
    if (options_.chakra.repair == trace_repair::refuse) {
        const std::uint64_t behind = of.faults.later == 0 ? 0 : nodes_behind_cycles(of.operations.size(), of.edges);
        if (of.faults.absent == 0 && of.faults.self == 0 && behind == 0) return;
        refuse(from, of, behind);
    }
    std::erase_if(of.edges, [](const edge& one) { return one.on > one.waiting; });
    repaired_.absent += of.faults.absent;
    repaired_.self += of.faults.self;
    repaired_.later += of.faults.later;
    if (options_.warn)
        options_.warn(from.name() + ": " + std::to_string(of.faults.all()) + " dependencies are left out: " +
                      std::to_string(of.faults.absent) + " on absent nodes, " + std::to_string(of.faults.self) +
                      " of nodes on themselves, " + std::to_string(of.faults.later) + " on higher ids");
}

std::string maker::cycle_text(chakra::trace& from, const std::vector<std::uint32_t>& cycle) {
    std::string text;
    node found;
    for (const std::uint32_t one : cycle) {
        from.read(one, found);
        text += node_text(found) + (text.empty() ? " waits for " : ", which waits for ");
    }
    from.read(cycle.front(), found);
    return text + (cycle.size() == 1 ? "itself" : node_text(found));
}

void maker::refuse(chakra::trace& from, const parsed_trace& of, std::uint64_t behind) const {
    std::string kinds, faults;
    for (const auto& one : chakra::node_kinds)
        if (const std::uint64_t count = of.kinds[static_cast<std::size_t>(one.value)])
            kinds += (kinds.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(one.name);
    const auto add = [&](std::uint64_t count, const char* what) {
        if (count != 0) faults += (faults.empty() ? "" : ", ") + std::to_string(count) + what;
    };
    add(of.faults.absent, " dependencies are on absent nodes");
    add(of.faults.self, " nodes depend on themselves");
    add(behind, " nodes are in or behind cycles");
    std::string cycle;
    if (of.faults.self != 0) {
        node found;
        for (std::uint32_t i = 0; cycle.empty(); ++i) {
            from.read(i, found);
            if (std::ranges::binary_search(found.depends_on, found.id)) cycle = cycle_text(from, {i});
        }
    } else if (behind != 0) {
        program_builder only(1);
        for (const operation& one : of.operations) only.add(0, one);
        for (const edge& one : of.edges) only.require(0, one.waiting, one.on);
        cycle = cycle_text(from, only.close(0));
    }
    throw input_error(from.name(), {},
                      "the trace is not clean: of " + std::to_string(of.operations.size()) + " nodes (" + kinds + ") " +
                          faults + (cycle.empty() ? "" : "; the shortest cycle: " + cycle),
                      "`repair: drop` leaves out dependencies on absent nodes, on the node itself and on higher ids");
}

/// \param last nobody needs `from` any more
void maker::emit(std::uint32_t rank, parsed_trace& from, bool last, chakra::trace& of) {
    made_.reserve_rank(rank, from.operations.size(), from.edges.size() + from.order.size());
    node found;
    for (std::uint32_t i = 0, begin = 0; i < from.operations.size(); ++i) {
        const operation& added = from.operations[i];
        if (added.kind == operation_kind::collective && added.communicator != 0 &&
            !std::ranges::binary_search(made_.group(added.communicator), rank)) {
            of.read(i, found);
            of.fail(found, "rank " + std::to_string(rank) + " executes it, and is no member of group '" +
                               found.pg_name.value_or("") + "'");
        }
        made_.add(rank, added);
        if (!options_.names) continue;
        const std::uint32_t end = from.label_ends[i];
        made_.name(rank, std::string_view(from.labels).substr(begin, end - begin), 0);
        begin = end;
    }
    for (const std::deque<edge>& edges : {std::cref(from.edges), std::cref(from.order)})
        for (const edge& one : edges) made_.require(rank, one.waiting, one.on);
    if (last) from = {};  // what follows takes as much memory again
    const std::vector<std::uint32_t> cycle = made_.close(rank);
    if (!cycle.empty())
        throw input_error(of.name(), {},
                          "dependencies and the order of `streams` make a cycle: " + cycle_text(of, cycle),
                          "`streams: dependencies` keeps no other order");
}

}  // namespace

program read_chakra(std::span<const program_bytes> files, const read_options& options) {
    return maker(files, options).make();
}

}  // namespace polycast::hw::programs
