// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/goal_binary.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "hw/input_error.h"
#include "hw/programs/goal_binary_layout.h"
#include "hw/programs/program_builder.h"

namespace polycast::hw::programs {
namespace {

using namespace goal_binary;

class reader {
public:
    reader(const std::string& name, std::string_view bytes, const read_options& options,
           const std::function<void(std::size_t)>& release)
        : name_(name), bytes_(bytes), options_(options), release_(release) {}

    program read();

private:
    /// A rank's bytes: [begin, end) of the file, and its parts.
    struct section {
        std::size_t begin = 0, end = 0;
        std::uint32_t operations = 0, roots = 0;
        std::size_t roots_at = 0, records_at = 0, appendix_at = 0;
        std::uint64_t edges = 0;
    };

    [[noreturn]] void fail(const std::string& message, const std::string& proposal = {}) const {
        throw input_error(name_, {}, message, proposal);
    }
    /// \param at byte of the file
    [[noreturn]] void fail_rank(std::uint32_t rank, std::size_t at, const std::string& message) const;
    [[noreturn]] void fail_record(std::uint32_t rank, std::uint32_t index, std::size_t at,
                                  const std::string& message) const;

    void read_head();
    void read_sections();
    void check_overlap() const;
    /// Whether the sizes of all ranks fit records of so many bytes.
    bool all_fit(std::size_t bytes) const;
    std::uint64_t bytes_of_edges(const section& of, std::size_t record) const;
    void read_rank(std::uint32_t rank);
    operation made_of(std::uint32_t rank, std::uint32_t index, std::size_t at, const record& from);
    void read_row(std::uint32_t rank, std::uint32_t index, std::size_t at, std::uint32_t count, std::uint32_t first,
                  bool on_start);
    void check_roots(std::uint32_t rank) const;

    const std::string& name_;
    std::string_view bytes_;
    const read_options& options_;
    const std::function<void(std::size_t)>& release_;
    std::uint32_t ranks_ = 0;
    unsigned largest_cpu_ = 0, largest_nic_ = 0;
    std::vector<section> sections_;
    std::unique_ptr<program_builder> made_;
    unsigned nic_ = 0;  ///< the largest that messages take
    // Of the rank that is read.
    std::vector<std::uint32_t> waits_, counted_;  ///< [operation] dependencies: what its record says, and the rows
    std::vector<bool> in_row_;                    ///< [place in the appendix]
    std::uint64_t taken_ = 0;                     ///< places of the appendix that rows have
};

void reader::fail_rank(std::uint32_t rank, std::size_t at, const std::string& message) const {
    if (all_fit(other_record_bytes) && !all_fit(record_bytes))
        fail("its records have 104 bytes: this is a schedule of LogGOPSim2",
             "binary GOAL of LogGOPSim and ATLAHS, with 39 bytes, is read");
    throw input_error(name_, {}, "rank " + std::to_string(rank) + " (byte " + std::to_string(at) + "): " + message);
}

void reader::fail_record(std::uint32_t rank, std::uint32_t index, std::size_t at, const std::string& message) const {
    if (all_fit(other_record_bytes))
        fail("its records have 104 bytes: this is a schedule of LogGOPSim2",
             "binary GOAL of LogGOPSim and ATLAHS, with 39 bytes, is read");
    throw input_error(name_, {},
                      "rank " + std::to_string(rank) + ", operation " + std::to_string(index) + " (byte " +
                          std::to_string(at) + "): " + message);
}

program reader::read() {
    read_head();
    read_sections();
    check_overlap();
    made_ = std::make_unique<program_builder>(ranks_, false);
    // Together the sections are not longer than the file, so neither are these numbers.
    std::uint64_t operations = 0, edges = 0;
    for (const section& one : sections_) {
        operations += one.operations;
        edges += one.edges;
    }
    made_->reserve(operations, edges);
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) read_rank(rank);
    if (nic_ != 0 && !options_.nics)
        fail("messages take several NICs, and files do not say what that means",
             "say `nics: one` (a rank has one interface, which all messages take) or `nics: hosts` (a rank is a node "
             "with an interface for each number)");
    if (options_.nics == nic_meaning::hosts) made_->set_interfaces(nic_ + 1);
    if (options_.unit) made_->set_unit(*options_.unit);
    return made_->finish();
}

void reader::read_head() {
    if (bytes_.size() < origin || load<std::uint64_t>(bytes_.data()) != magic) {
        if (bytes_.size() >= origin && load<std::uint64_t>(bytes_.data()) == spoilt_magic)
            fail("spoilt by a run of LogGOPSim with --save-mem", "make it again from its text");
        fail("this is no binary GOAL: it does not begin with the number 4223");
    }
    if (bytes_.size() < table_at) fail("is cut short: it has " + std::to_string(bytes_.size()) + " bytes");
    ranks_ = load<std::uint32_t>(bytes_.data() + 8);
    largest_cpu_ = load<std::uint8_t>(bytes_.data() + 12);
    largest_nic_ = load<std::uint8_t>(bytes_.data() + 13);
    if (ranks_ == 0 || ranks_ > most_ranks)
        fail("byte 8: " + std::to_string(ranks_) + " ranks; a program has 1 to " + std::to_string(most_ranks));
    if (bytes_.size() < table_at + std::size_t{ranks_} * rank_bytes)
        fail("is cut short: the table of " + std::to_string(ranks_) + " ranks ends at byte " +
             std::to_string(table_at + std::size_t{ranks_} * rank_bytes) + ", the file at byte " +
             std::to_string(bytes_.size()));
}

std::uint64_t reader::bytes_of_edges(const section& of, std::size_t record) const {
    const std::uint64_t size = of.end - of.records_at, records = std::uint64_t{of.operations} * record;
    return size < records || (size - records) % 4 != 0 ? ~std::uint64_t{0} : size - records;
}

bool reader::all_fit(std::size_t bytes) const {
    std::uint64_t operations = 0;
    for (const section& one : sections_) {
        if (bytes_of_edges(one, bytes) == ~std::uint64_t{0}) return false;
        operations += one.operations;
    }
    return operations != 0 && sections_.size() == ranks_;
}

void reader::read_sections() {
    const std::size_t size = bytes_.size() - origin, first = table_at + std::size_t{ranks_} * rank_bytes - origin;
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
        const std::size_t entry = table_at + rank * rank_bytes;
        const auto begin = load<std::uint64_t>(bytes_.data() + entry);
        const auto end = load<std::uint64_t>(bytes_.data() + entry + 8);
        if (begin < first || begin > end || end - begin < head_bytes)
            fail_rank(rank, entry,
                      "its part of the file, " + std::to_string(begin) + " to " + std::to_string(end) +
                          " behind byte 8, is none: parts begin behind the table, at " + std::to_string(first) +
                          ", and have at least 8 bytes");
        if (end > size)
            fail_rank(rank, entry,
                      "its part ends at byte " + std::to_string(end + origin) + ", the file at byte " +
                          std::to_string(bytes_.size()) + ": is it cut short?");
        section made;
        made.begin = begin + origin;
        made.end = end + origin;
        made.operations = load<std::uint32_t>(bytes_.data() + made.begin);
        made.roots = load<std::uint32_t>(bytes_.data() + made.begin + 4);
        made.roots_at = made.begin + head_bytes;
        const std::uint64_t roots = std::uint64_t{made.roots} * 4;
        if (made.roots > made.operations || roots > made.end - made.roots_at)
            fail_rank(rank, made.begin + 4,
                      std::to_string(made.roots) + " roots of " + std::to_string(made.operations) +
                          " operations do not fit into its " + std::to_string(end - begin) + " bytes");
        made.records_at = made.roots_at + roots;
        sections_.push_back(made);
    }
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
        section& one = sections_[rank];
        const std::uint64_t edges = bytes_of_edges(one, record_bytes);
        if (edges == ~std::uint64_t{0} || one.operations > most_operations_of_rank)
            fail_rank(rank, one.begin,
                      std::to_string(one.operations) +
                          " operations of 39 bytes and an appendix of whole numbers do not "
                          "make its " +
                          std::to_string(one.end - one.begin) + " bytes");
        one.appendix_at = one.records_at + std::size_t{one.operations} * record_bytes;
        one.edges = edges / 4;
    }
}

void reader::check_overlap() const {
    std::vector<std::uint32_t> order(ranks_);
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) order[rank] = rank;
    std::ranges::sort(order, {}, [this](std::uint32_t rank) { return sections_[rank].begin; });
    std::size_t at = table_at + std::size_t{ranks_} * rank_bytes;
    for (const std::uint32_t rank : order) {
        const section& one = sections_[rank];
        if (one.begin < at) fail_rank(rank, one.begin, "its part of the file overlaps another rank's");
        if (one.begin > at)
            fail_rank(rank, one.begin, "the " + std::to_string(one.begin - at) + " bytes before it belong to no rank");
        at = one.end;
    }
    if (at != bytes_.size())
        fail("the " + std::to_string(bytes_.size() - at) + " bytes from byte " + std::to_string(at) +
             " on belong to no rank");
}

operation reader::made_of(std::uint32_t rank, std::uint32_t index, std::size_t at, const record& from) {
    operation made;
    if (from.kind < send || from.kind > calc)
        fail_record(rank, index, at + 4, "kind " + std::to_string(from.kind) + "; known: 1 send, 2 recv, 3 calc");
    made.kind = from.kind == send      ? operation_kind::send
                : from.kind == receive ? operation_kind::receive
                                       : operation_kind::calc;
    made.length = from.size;
    made.cpu = from.cpu;
    made.channel = from.nic;
    const std::uint64_t most = made.kind == operation_kind::calc ? most_time : most_bytes;
    if (from.size > most)
        fail_record(rank, index, at + 9, "size " + std::to_string(from.size) + "; it is 0 to " + std::to_string(most));
    if (from.cpu > largest_cpu_ || from.nic > largest_nic_)
        fail_record(rank, index, at + 21,
                    "cpu " + std::to_string(from.cpu) + ", nic " + std::to_string(from.nic) +
                        "; the largest of the file are said to be " + std::to_string(largest_cpu_) + " and " +
                        std::to_string(largest_nic_));
    nic_ = std::max<unsigned>(nic_, from.nic);
    if (made.kind == operation_kind::calc) return made;
    const bool receives = made.kind == operation_kind::receive;
    made.any_source = receives && from.peer == any;
    made.any_tag = receives && from.tag == any;
    if (!made.any_source && from.peer >= ranks_)
        fail_record(rank, index, at + 5,
                    "rank " + std::to_string(from.peer) + " as its peer; ranks are 0 to " + std::to_string(ranks_ - 1));
    if (!receives && from.tag == any) fail_record(rank, index, at + 17, "any tag, which only receives can wait for");
    if (!made.any_source) made.peer = static_cast<std::uint16_t>(from.peer);
    if (!made.any_tag) made.tag = from.tag;
    return made;
}

void reader::read_row(std::uint32_t rank, std::uint32_t index, std::size_t at, std::uint32_t count, std::uint32_t first,
                      bool on_start) {
    const section& own = sections_[rank];
    if (std::uint64_t{first} + count > own.edges)
        fail_record(rank, index, at,
                    "its " + std::to_string(count) + " dependents from " + std::to_string(first) +
                        " on: the appendix has " + std::to_string(own.edges));
    for (std::uint32_t i = first; i < first + count; ++i) {
        if (in_row_[i])
            fail_record(rank, index, at, "the place " + std::to_string(i) + " of the appendix has another owner, too");
        in_row_[i] = true;
        const std::size_t place = own.appendix_at + std::size_t{i} * 4;
        const auto waiting = load<std::uint32_t>(bytes_.data() + place);
        if (waiting >= own.operations)
            fail_record(
                rank, index, place,
                "operation " + std::to_string(waiting) + " waits for it; there are " + std::to_string(own.operations));
        ++counted_[waiting];
        made_->depend(rank, waiting, index, on_start);
    }
    taken_ += count;
}

void reader::read_rank(std::uint32_t rank) {
    const section& own = sections_[rank];
    waits_.resize(own.operations);
    counted_.assign(own.operations, 0);
    in_row_.assign(own.edges, false);
    taken_ = 0;
    for (std::uint32_t i = 0; i < own.operations; ++i) {
        const std::size_t at = own.records_at + std::size_t{i} * record_bytes;
        const record from = load_record(bytes_.data() + at);
        waits_[i] = from.waits;
        made_->add(rank, made_of(rank, i, at, from));
    }
    for (std::uint32_t i = 0; i < own.operations; ++i) {
        const std::size_t at = own.records_at + std::size_t{i} * record_bytes;
        const record from = load_record(bytes_.data() + at);
        if (from.on_start != 0) read_row(rank, i, at + 31, from.on_start, from.first_on_start, true);
        if (from.on_end != 0) read_row(rank, i, at + 23, from.on_end, from.first_on_end, false);
    }
    if (taken_ != own.edges)
        fail_rank(rank, own.appendix_at,
                  "of the appendix's " + std::to_string(own.edges) + " numbers " + std::to_string(own.edges - taken_) +
                      " belong to no operation");
    for (std::uint32_t i = 0; i < own.operations; ++i)
        if (waits_[i] != counted_[i])
            fail_record(
                rank, i, own.records_at + std::size_t{i} * record_bytes,
                std::to_string(waits_[i]) + " dependencies, and the appendix has " + std::to_string(counted_[i]));
    check_roots(rank);
    const std::vector<std::uint32_t> cycle = made_->close(rank);
    if (!cycle.empty()) {
        std::string text = "a cycle of dependencies: operation " + std::to_string(cycle.front());
        for (std::size_t i = 1; i < cycle.size(); ++i) text += " waits for " + std::to_string(cycle[i]) + ", which";
        fail_rank(rank, own.records_at, text + " waits for " + std::to_string(cycle.front()));
    }
    if (release_) release_(own.begin);
}

void reader::check_roots(std::uint32_t rank) const {
    const section& own = sections_[rank];
    std::vector<bool> listed(own.operations);
    for (std::uint32_t i = 0; i < own.roots; ++i) {
        const std::size_t place = own.roots_at + std::size_t{i} * 4;
        const auto root = load<std::uint32_t>(bytes_.data() + place);
        if (root >= own.operations || waits_[root] != 0 || listed[root])
            fail_rank(rank, place,
                      "operation " + std::to_string(root) +
                          " among the roots: it waits for others, is there twice, or is none");
        listed[root] = true;
    }
    for (std::uint32_t i = 0; i < own.operations; ++i)
        if (waits_[i] == 0 && !listed[i])
            fail_rank(rank, own.roots_at,
                      "operation " + std::to_string(i) + " waits for nothing and is not among the roots");
}

}  // namespace

bool begins_as_goal_binary(std::string_view bytes) {
    if (bytes.size() < origin) return false;
    const auto first = load<std::uint64_t>(bytes.data());
    return first == magic || first == spoilt_magic;
}

program read_goal_binary(const std::string& name, std::string_view bytes, const read_options& options,
                         const std::function<void(std::size_t)>& release) {
    return reader(name, bytes, options, release).read();
}

}  // namespace polycast::hw::programs
