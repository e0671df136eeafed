// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/msccl.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "hw/input_error.h"
#include "hw/programs/msccl_xml.h"
#include "hw/programs/program_builder.h"

namespace polycast::hw::programs {
namespace {

using namespace msccl;

/// Buffers of a rank: those of a collective, and one where thread blocks keep what comes and is added to something.
constexpr std::uint8_t arriving_buffer = 3;
constexpr std::uint64_t most_passes = 65'536;

class maker {
public:
    maker(const std::string& name, const algorithm& from, const read_options& options)
        : name_(name),
          from_(from),
          options_(options),
          ranks_(static_cast<std::uint32_t>(from.gpus.size())),
          made_(ranks_, options.names) {}

    program make();

private:
    /// A thread block of a rank while its operations are made.
    struct thread {
        std::optional<std::uint32_t> last;                           ///< operation that the next one waits for
        std::vector<std::uint32_t> ends;                             ///< [step] its last operation in this pass
        std::vector<std::pair<std::uint32_t, std::uint32_t>> waits;  ///< operation, step that waits for another block
        std::uint64_t arriving = 0;                                  ///< where it keeps what comes
    };
    /// One part of a step's bytes.
    struct part {
        std::uint32_t rank, block, index;
        std::uint64_t chunk, offset, bytes;  ///< which of the step's chunks, from which byte of the chunk
    };

    [[noreturn]] void fail(text_position at, const std::string& message, const std::string& proposal = {}) const {
        throw input_error(name_, at, message, proposal);
    }
    void choose_sizes();
    void check_buffers() const;
    void check_chunks(std::uint32_t rank, const chunks& where, std::uint32_t count, text_position at) const;
    void check_waits() const;
    void check_connections() const;
    bool shares(std::uint32_t rank) const;
    std::uint64_t chunks_of(std::uint32_t rank, buffer_name buffer) const;
    void add_buffers(std::uint32_t rank);
    void make_rank(std::uint32_t rank);
    void make_step(const part& of, thread& in);
    place at(const part& of, const chunks& where) const;
    std::uint32_t add(const part& of, thread& in, operation_kind kind, place source, place destination);
    void close(std::uint32_t rank);

    const std::string& name_;
    const algorithm& from_;
    const read_options& options_;
    std::uint32_t ranks_;
    program_builder made_;
    std::uint64_t size_ = 0, chunk_ = 0, slice_ = 0;  ///< bytes
    combination combined_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> made_by_;  ///< [operation of the rank] thread block and step
};

program maker::make() {
    choose_sizes();
    check_buffers();
    check_waits();
    check_connections();
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) make_rank(rank);
    if (from_.kind) {
        collective what;
        what.kind = *from_.kind;
        what.ranks = ranks_;
        what.combined = combined_;
        what.elements = size_ / bytes_of(combined_.type);
        what.in_place = from_.in_place;
        made_.set_collective(what);
    }
    if (options_.unit) made_.set_unit(*options_.unit);
    if (from_.protocol == "LL") made_.set_wire(wire_format::ll);
    if (from_.protocol == "LL128") made_.set_wire(wire_format::ll128);
    return made_.finish();
}

/// What the file leaves open: bytes, and the type of their elements.
void maker::choose_sizes() {
    combined_ = {options_.type, options_.how.value_or(from_.reduces_by.value_or(reduction::sum))};
    const std::uint64_t element = bytes_of(combined_.type), parts = from_.chunks_per_loop;
    if (!combined_.possible())
        throw input_error(std::string(name_in(reductions, combined_.how)) + " is for whole numbers, not for " +
                          std::string(name_in(element_types, combined_.type)));
    const std::uint64_t least = std::max<std::uint64_t>((from_.min_bytes + parts * element - 1) / (parts * element), 1);
    size_ = options_.size.value_or(least * parts * element);
    const std::string size = "a size of " + std::to_string(size_) + " bytes";
    if (size_ == 0 || size_ % (parts * element) != 0)
        fail(from_.at,
             size + " does not make " + std::to_string(parts) + " chunks of whole elements of " +
                 std::string(name_in(element_types, combined_.type)),
             "a multiple of " + std::to_string(parts * element));
    if (!options_.ignore_range && (size_ < from_.min_bytes || (from_.max_bytes != 0 && size_ > from_.max_bytes)))
        fail(from_.at,
             size + "; the algorithm is for " + std::to_string(from_.min_bytes) + " to " +
                 (from_.max_bytes == 0 ? "any" : std::to_string(from_.max_bytes)),
             "`ignore_range` takes it all the same");
    chunk_ = size_ / parts;
    slice_ = options_.slice == 0 ? chunk_ : std::min(options_.slice, chunk_);
    if (slice_ % element != 0)
        throw input_error("a slice of " + std::to_string(slice_) + " bytes is not whole elements of " +
                          std::string(name_in(element_types, combined_.type)));
    if ((chunk_ - 1) / slice_ >= most_passes)
        throw input_error("a slice of " + std::to_string(slice_) + " bytes makes more than 65536 passes");
}

/// Whether input and output are one memory, as collective::input() and output() have it.
bool maker::shares(std::uint32_t rank) const {
    const bool has_root_only = from_.kind && has_root(*from_.kind) && *from_.kind != collective_kind::broadcast;
    return from_.in_place && (!has_root_only || rank == 0);
}

/// Chunks that may be named. In place, what is left out is in the memory of the other.
std::uint64_t maker::chunks_of(std::uint32_t rank, buffer_name buffer) const {
    const gpu& of = from_.gpus[rank];
    if (buffer == buffer_name::s) return of.scratch_chunks;
    const std::uint64_t own = buffer == buffer_name::i ? of.input_chunks : of.output_chunks;
    if (!shares(rank) || own != 0) return own;
    const std::uint64_t other = buffer == buffer_name::i ? of.output_chunks : of.input_chunks;
    const bool one_block = from_.kind && (buffer == buffer_name::i ? *from_.kind == collective_kind::allgather
                                                                   : *from_.kind == collective_kind::reduce_scatter);
    return one_block ? other / ranks_ : other;
}

void maker::check_chunks(std::uint32_t rank, const chunks& where, std::uint32_t count, text_position at) const {
    const std::uint64_t there = chunks_of(rank, where.buffer), end = std::uint64_t{where.first} + count;
    if (end > there)
        fail(at, "chunks " + std::to_string(where.first) + " to " + std::to_string(end - 1) + " of buffer " +
                     std::string(name_in(buffer_names, where.buffer)) + ", of which gpu " + std::to_string(rank) +
                     " has " + std::to_string(there));
}

void maker::check_buffers() const {
    const bool blocks =
        from_.kind && (*from_.kind == collective_kind::allgather || *from_.kind == collective_kind::reduce_scatter ||
                       *from_.kind == collective_kind::all_to_all || *from_.kind == collective_kind::scatter ||
                       *from_.kind == collective_kind::gather);
    if (blocks && from_.chunks_per_loop % ranks_ != 0)
        fail(from_.at, std::to_string(from_.chunks_per_loop) + " chunks are not as many for each of " +
                           std::to_string(ranks_) + " gpus");
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
        const gpu& of = from_.gpus[rank];
        for (const buffer_name buffer : {buffer_name::i, buffer_name::o}) {
            const std::uint64_t chunks = buffer == buffer_name::i ? of.input_chunks : of.output_chunks;
            if (from_.kind && chunks > from_.chunks_per_loop)
                fail(of.at, std::to_string(chunks) + " chunks of buffer " + std::string(name_in(buffer_names, buffer)) +
                                "; nchunksperloop is " + std::to_string(from_.chunks_per_loop));
        }
        for (const first_copy& one : of.copies) {
            check_chunks(rank, {buffer_name::i, one.input}, 1, one.at);
            check_chunks(rank, {buffer_name::o, one.output}, 1, one.at);
        }
        for (const thread_block& block : of.blocks)
            for (const step& one : block.steps) {
                if (reads_source(one.kind)) check_chunks(rank, one.source, one.count, one.at);
                if (writes_destination(one.kind)) check_chunks(rank, one.destination, one.count, one.at);
            }
    }
}

void maker::check_waits() const {
    for (const gpu& of : from_.gpus)
        for (const thread_block& block : of.blocks)
            for (const step& one : block.steps) {
                if (!one.waits_for_block) continue;
                const std::string what = "thread block " + std::to_string(*one.waits_for_block);
                if (*one.waits_for_block >= of.blocks.size())
                    fail(one.at, "waits for " + what + "; the gpu has " + std::to_string(of.blocks.size()));
                const std::vector<step>& steps = of.blocks[*one.waits_for_block].steps;
                if (one.waits_for >= steps.size())
                    fail(one.at, "waits for step " + std::to_string(one.waits_for) + " of " + what + ", which has " +
                                     std::to_string(steps.size()));
                if (!steps[one.waits_for].is_waited_for)
                    fail(one.at,
                         "waits for step " + std::to_string(one.waits_for) + " of " + what + ", whose hasdep is 0");
            }
}

/// Each connection has one thread block at each end, and the k-th that is sent is the k-th that is received.
void maker::check_connections() const {
    using connection = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // from, to, channel
    struct ends {
        const thread_block *sender = nullptr, *receiver = nullptr;
        std::vector<const step*> sent, received;
    };
    std::map<connection, ends> all;
    const auto join = [&](const thread_block& block, const thread_block*& end, const connection& which,
                          const char* what) {
        if (end != nullptr)
            fail(block.at,
                 std::string("a second thread block that ") + what + " gpu " +
                     std::to_string(what[0] == 's' ? std::get<1>(which) : std::get<0>(which)) + " on channel " +
                     std::to_string(std::get<2>(which)),
                 "the first is in line " + std::to_string(end->at.line));
        end = &block;
    };
    for (std::uint32_t rank = 0; rank < ranks_; ++rank)
        for (const thread_block& block : from_.gpus[rank].blocks)
            for (const step& one : block.steps) {
                if (sends(one.kind)) {
                    ends& of = all[{rank, *block.send, block.channel}];
                    if (of.sender != &block) join(block, of.sender, {rank, *block.send, block.channel}, "sends to");
                    of.sent.push_back(&one);
                }
                if (receives(one.kind)) {
                    ends& of = all[{*block.receive, rank, block.channel}];
                    if (of.receiver != &block)
                        join(block, of.receiver, {*block.receive, rank, block.channel}, "receives from");
                    of.received.push_back(&one);
                }
            }
    for (const auto& [which, of] : all) {
        const auto& [source, to, channel] = which;
        const std::string name = "gpu " + std::to_string(source) + " to gpu " + std::to_string(to) + ", channel " +
                                 std::to_string(channel) + ": ";
        const std::size_t both = std::min(of.sent.size(), of.received.size());
        for (std::size_t k = 0; k < both; ++k)
            if (of.sent[k]->count != of.received[k]->count)
                fail(of.sent[k]->at, name + "sends " + std::to_string(of.sent[k]->count) + " chunks, and line " +
                                         std::to_string(of.received[k]->at.line) + " receives " +
                                         std::to_string(of.received[k]->count));
        if (of.sent.size() > both) fail(of.sent[both]->at, name + "what is sent here is never received");
        if (of.received.size() > both) fail(of.received[both]->at, name + "what is received here is never sent");
    }
}

void maker::add_buffers(std::uint32_t rank) {
    collective as;
    as.kind = from_.kind.value_or(collective_kind::allreduce);
    const gpu& of = from_.gpus[rank];
    // A rank may touch less than the collective says that it has.
    std::uint64_t input = of.input_chunks, output = of.output_chunks;
    if (shares(rank)) output = std::max(std::exchange(input, 0), output);
    if (from_.kind) {
        as.ranks = ranks_;
        as.elements = from_.chunks_per_loop;
        as.combined = {element_type::u8, reduction::sum};
        as.in_place = from_.in_place;
        input = std::max(input, as.buffer_bytes(rank, collective_buffer::input));
        output = std::max(output, as.buffer_bytes(rank, collective_buffer::output));
    }
    made_.add_buffer(rank, input * chunk_);
    made_.add_buffer(rank, output * chunk_);
    made_.add_buffer(rank, of.scratch_chunks * chunk_);
    made_.add_buffer(rank, 0);
}

place maker::at(const part& of, const chunks& where) const {
    collective_buffer buffer = where.buffer == buffer_name::s   ? collective_buffer::scratch
                               : where.buffer == buffer_name::i ? collective_buffer::input
                                                                : collective_buffer::output;
    std::uint64_t chunk = where.first + of.chunk;
    if (shares(of.rank) && buffer != collective_buffer::scratch) {
        const bool gathers = from_.kind && *from_.kind == collective_kind::allgather;
        const bool scatters = from_.kind && *from_.kind == collective_kind::reduce_scatter;
        if ((gathers && buffer == collective_buffer::input) || (scatters && buffer == collective_buffer::output))
            chunk += std::uint64_t{of.rank} * (from_.chunks_per_loop / ranks_);
        buffer = collective_buffer::output;
    }
    place made;
    made.buffer = static_cast<std::uint64_t>(buffer);
    made.offset = (chunk * chunk_ + of.offset) & ((std::uint64_t{1} << 56) - 1);
    return made;
}

std::uint32_t maker::add(const part& of, thread& in, operation_kind kind, place source, place destination) {
    const thread_block& block = from_.gpus[of.rank].blocks[of.block];
    const step& from = block.steps[of.index];
    operation added;
    added.kind = kind;
    added.length = kind == operation_kind::none ? 0 : of.bytes;
    added.cpu = static_cast<std::uint8_t>(of.block);
    added.channel = static_cast<std::uint8_t>(block.channel);
    if (kind == operation_kind::send || kind == operation_kind::receive) {
        added.peer = static_cast<std::uint16_t>(kind == operation_kind::send ? *block.send : *block.receive);
        added.tag = block.channel;
    }
    if (kind == operation_kind::reduce) added.tag = combined_.tag();
    if (added.length > most_bytes)
        fail(from.at, "a message of " + std::to_string(added.length) + " bytes; the longest has 4294967295");
    const std::uint32_t index = made_.add(of.rank, added);
    made_.put(of.rank, {source, destination});
    made_.name(of.rank, "tb " + std::to_string(of.block) + " step " + std::to_string(of.index), from.at.line);
    made_by_.push_back({of.block, of.index});
    if (in.last) made_.require(of.rank, index, *in.last);
    in.last = index;
    return index;
}

/// The operations of one part of a step, one after the other.
void maker::make_step(const part& of, thread& in) {
    const step& from = from_.gpus[of.rank].blocks[of.block].steps[of.index];
    const place source = at(of, from.source), destination = at(of, from.destination);
    place arriving;
    arriving.buffer = arriving_buffer;
    arriving.offset = in.arriving & ((std::uint64_t{1} << 56) - 1);
    const std::uint32_t first = made_.operations(of.rank);
    const auto add_one = [&](operation_kind kind, place reads, place writes) { add(of, in, kind, reads, writes); };
    switch (from.kind) {
        case step_kind::s: add_one(operation_kind::send, source, {}); break;
        case step_kind::r:
        case step_kind::rcs: add_one(operation_kind::receive, {}, destination); break;
        case step_kind::rrc:
        case step_kind::rrcs:
        case step_kind::rrs:
            add_one(operation_kind::receive, {}, arriving);
            if (from.kind != step_kind::rrs && source == destination) {
                add_one(operation_kind::reduce, arriving, destination);
                break;
            }
            add_one(operation_kind::reduce, source, arriving);
            if (from.kind != step_kind::rrs) add_one(operation_kind::copy, arriving, destination);
            break;
        case step_kind::cpy: add_one(operation_kind::copy, source, destination); break;
        case step_kind::re: add_one(operation_kind::reduce, source, destination); break;
        case step_kind::nop: add_one(operation_kind::none, {}, {}); break;
    }
    if (from.kind == step_kind::rcs || from.kind == step_kind::rrcs) add_one(operation_kind::send, destination, {});
    if (from.kind == step_kind::rrs) add_one(operation_kind::send, arriving, {});
    if (from.waits_for_block && of.chunk == 0) in.waits.push_back({first, of.index});
}

void maker::make_rank(std::uint32_t rank) {
    add_buffers(rank);
    made_by_.clear();
    const gpu& from = from_.gpus[rank];
    std::vector<thread> threads(from.blocks.size());
    std::uint64_t arriving = 0;
    for (std::size_t block = 0; block < threads.size(); ++block) {
        threads[block].arriving = arriving;
        std::uint64_t most = 0;
        for (const step& one : from.blocks[block].steps)
            if (one.kind == step_kind::rrc || one.kind == step_kind::rrs || one.kind == step_kind::rrcs)
                most = std::max<std::uint64_t>(most, one.count);
        arriving += most * chunk_;
    }
    made_.resize_buffer(rank, arriving_buffer, arriving);
    std::optional<std::uint32_t> copied;
    for (const first_copy& one : from.copies) {
        operation added;
        added.kind = operation_kind::copy;
        added.length = chunk_;
        const std::uint32_t index = made_.add(rank, added);
        const part whole{rank, 0, 0, 0, 0, chunk_};
        made_.put(rank, {at(whole, {buffer_name::i, one.input}), at(whole, {buffer_name::o, one.output})});
        made_.name(rank, "copy", one.at.line);
        made_by_.push_back({0, 0});
        if (copied) made_.require(rank, index, *copied);
        copied = index;
    }
    for (thread& one : threads) one.last = copied;
    for (std::uint64_t begin = 0; begin < chunk_; begin += slice_) {
        const std::uint64_t bytes = std::min(slice_, chunk_ - begin);
        for (std::uint32_t block = 0; block < threads.size(); ++block) {
            thread& own = threads[block];
            own.ends.clear();
            own.waits.clear();
            for (std::uint32_t index = 0; index < from.blocks[block].steps.size(); ++index) {
                const step& one = from.blocks[block].steps[index];
                // Slices of several chunks do not lie side by side: a message each.
                const std::uint64_t parts = bytes == chunk_ || one.count == 0 ? 1 : one.count;
                for (std::uint64_t chunk = 0; chunk < parts; ++chunk)
                    make_step({rank, block, index, chunk, begin, parts == 1 ? bytes * one.count : bytes}, own);
                own.ends.push_back(*own.last);
            }
        }
        for (std::uint32_t block = 0; block < threads.size(); ++block)
            for (const auto& [waiting, index] : threads[block].waits) {
                const step& one = from.blocks[block].steps[index];
                made_.require(rank, waiting, threads[*one.waits_for_block].ends[one.waits_for]);
            }
    }
    close(rank);
}

void maker::close(std::uint32_t rank) {
    const std::vector<std::uint32_t> cycle = made_.close(rank);
    if (cycle.empty()) return;
    std::string text = "gpu " + std::to_string(rank) + " has steps that wait for each other:";
    std::optional<std::pair<std::uint32_t, std::uint32_t>> before;
    for (const std::uint32_t operation : cycle) {
        if (before == made_by_[operation]) continue;
        text += (before ? ", which waits for" : "");
        before = made_by_[operation];
        text += " step " + std::to_string(before->second) + " of thread block " + std::to_string(before->first);
    }
    const auto& [block, index] = made_by_[cycle.front()];
    fail(from_.gpus[rank].blocks[block].steps[index].at, text);
}

}  // namespace

program read_msccl(const std::string& name, std::string_view text, const read_options& options) {
    const algorithm read = parse_msccl(name, text);
    return maker(name, read, options).make();
}

}  // namespace polycast::hw::programs
