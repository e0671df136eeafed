// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/htsim_matrix.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hw/input_error.h"
#include "hw/programs/htsim_matrix_text.h"
#include "hw/programs/program_builder.h"

namespace polycast::hw::programs {
namespace {

using namespace htsim;

/// Pieces of one connection, so that a small file makes no endless program.
constexpr std::uint64_t most_pieces = 65'536;
/// Starts are kept by a processor of their own: a time must not wait for the overhead of a message.
constexpr std::uint8_t timer = 1;

/// Who activates a trigger: a connection whose send, or whose receive, has ended.
struct activation {
    std::uint32_t connection;
    bool on_receive;
};

class maker {
public:
    maker(const std::string& name, const matrix& from, const read_options& options)
        : name_(name),
          from_(from),
          piece_(options.piece),
          unit_(options.unit.value_or(1)),
          made_(from.nodes, options.names) {}

    program make();

private:
    /// Operations of a connection at one of its ends.
    struct end {
        std::uint32_t first = 0, count = 0;
        std::optional<std::uint32_t> joined;  ///< what has ended when all of them have
    };
    struct trigger_uses {
        std::vector<activation> activations;
        std::vector<std::uint32_t> targets;  ///< connections
    };

    [[noreturn]] void fail(unsigned line, unsigned column, const std::string& message,
                           const std::string& proposal = {}) const {
        throw input_error(name_, {line, column}, message, proposal);
    }
    std::uint32_t find(const trigger_use& use, unsigned line) const;
    void collect_triggers();
    void check_triggers() const;
    void make_starts();
    void make_connection(std::uint32_t index);
    void make_triggers();
    void start(const trigger& by, std::uint32_t tag, std::span<const activation> after,
               std::span<const std::uint32_t> targets);
    std::uint32_t add(std::uint32_t rank, operation_kind kind, std::uint64_t length, std::uint16_t peer,
                      std::uint32_t tag, const std::string& label, unsigned line);
    std::uint32_t join(std::uint32_t rank, std::span<const std::uint32_t> operations, const std::string& label);
    std::uint32_t ended(std::uint32_t rank, end& of);
    std::uint32_t tell(std::uint32_t from, std::uint32_t operation, std::uint32_t to, std::uint32_t tag,
                       const std::string& label);
    void close();

    const std::string& name_;
    const matrix& from_;
    std::uint64_t piece_, unit_;
    program_builder made_;
    std::unordered_map<std::uint32_t, std::uint32_t> trigger_of_;  ///< id to index
    std::vector<trigger_uses> uses_;                               ///< [trigger]
    std::vector<end> sends_, receives_;                            ///< [connection]
    std::vector<std::map<std::uint64_t, std::uint32_t>> starts_;   ///< [rank] time to the calc that ends then
};

program maker::make() {
    for (std::uint32_t i = 0; i < from_.triggers.size(); ++i) trigger_of_[from_.triggers[i].id] = i;
    collect_triggers();
    check_triggers();
    make_starts();
    for (std::uint32_t i = 0; i < from_.connections.size(); ++i) make_connection(i);
    make_triggers();
    close();
    made_.set_unit(unit_);
    return made_.finish();
}

std::uint32_t maker::find(const trigger_use& use, unsigned line) const {
    const auto found = trigger_of_.find(use.id);
    if (found == trigger_of_.end())
        fail(line, use.column, "there is no trigger " + std::to_string(use.id),
             "a line 'trigger id " + std::to_string(use.id) + " ..' says what it does");
    return found->second;
}

void maker::collect_triggers() {
    uses_.resize(from_.triggers.size());
    for (std::uint32_t i = 0; i < from_.connections.size(); ++i) {
        const connection& one = from_.connections[i];
        if (one.trigger) uses_[find(*one.trigger, one.line)].targets.push_back(i);
        if (one.send_done) uses_[find(*one.send_done, one.line)].activations.push_back({i, false});
        if (one.recv_done) uses_[find(*one.recv_done, one.line)].activations.push_back({i, true});
    }
}

/// Which activation comes when is not known before a run, so every trigger must start the same whatever the order is.
void maker::check_triggers() const {
    for (std::size_t i = 0; i < uses_.size(); ++i) {
        const trigger& one = from_.triggers[i];
        const std::size_t activations = uses_[i].activations.size(), targets = uses_[i].targets.size();
        const std::string found = "trigger " + std::to_string(one.id) + " has " + std::to_string(activations) +
                                  (activations == 1 ? " activation" : " activations");
        if (one.kind == trigger_kind::barrier && activations != one.count)
            fail(one.line, 1, found + ", and its count is " + std::to_string(one.count));
        if (one.kind == trigger_kind::oneshot && (activations > 1 || (activations == 0 && targets != 0)))
            fail(one.line, 1, found + "; a oneshot has one", "barrier waits for all, multishot starts one by one");
        if (one.kind == trigger_kind::multishot && activations < targets)
            fail(one.line, 1, found + " for " + std::to_string(targets) + " connections",
                 "each activation of a multishot starts one");
    }
}

std::uint32_t maker::add(std::uint32_t rank, operation_kind kind, std::uint64_t length, std::uint16_t peer,
                         std::uint32_t tag, const std::string& label, unsigned line) {
    operation added;
    added.kind = kind;
    added.length = length;
    added.peer = peer;
    added.tag = tag;
    added.cpu = kind == operation_kind::calc ? timer : 0;
    const std::uint32_t index = made_.add(rank, added);
    made_.name(rank, label, line);
    return index;
}

/// Each rank waits for its first start, then from start to start.
void maker::make_starts() {
    starts_.resize(from_.nodes);
    for (const connection& one : from_.connections)
        if (one.start != 0) starts_[one.source].try_emplace(one.start, one.line);
    for (std::uint32_t rank = 0; rank < from_.nodes; ++rank) {
        std::optional<std::uint32_t> before;
        std::uint64_t reached = 0;
        for (auto& [time, calc] : starts_[rank]) {
            // Until here `calc` was the line of the first connection that starts then.
            calc = add(rank, operation_kind::calc, time - std::exchange(reached, time), 0, 0,
                       "start " + std::to_string(time), calc);
            if (before) made_.require(rank, calc, *before);
            before = calc;
        }
    }
}

void maker::make_connection(std::uint32_t index) {
    const connection& one = from_.connections[index];
    const std::uint64_t longest = piece_ == 0 ? most_bytes : std::min(piece_, most_bytes);
    if (piece_ == 0 && one.bytes > most_bytes)
        fail(one.line, 1,
             "a message of " + std::to_string(one.bytes) + " bytes; the longest has " + std::to_string(most_bytes),
             "`piece` cuts longer ones");
    const std::uint64_t pieces = (one.bytes - 1) / longest + 1;
    if (pieces > most_pieces)
        fail(one.line, 1,
             std::to_string(one.bytes) + " bytes make " + std::to_string(pieces) + " pieces; at most " +
                 std::to_string(most_pieces) + " are made of a connection",
             "a larger `piece`");
    const std::string label = one.id ? "id " + std::to_string(*one.id) : "";
    const auto add_pieces = [&](std::uint32_t rank, operation_kind kind, std::uint16_t peer) {
        end added{made_.operations(rank), static_cast<std::uint32_t>(pieces), std::nullopt};
        for (std::uint64_t left = one.bytes; left != 0; left -= std::min(left, longest)) {
            const std::uint32_t piece = add(rank, kind, std::min(left, longest), peer, index, label, one.line);
            if (kind == operation_kind::send && one.start != 0) made_.require(rank, piece, starts_[rank].at(one.start));
        }
        return added;
    };
    sends_.push_back(add_pieces(one.source, operation_kind::send, one.destination));
    receives_.push_back(add_pieces(one.destination, operation_kind::receive, one.source));
}

/// One operation that ends when all of some have: where there are several, one of no time.
std::uint32_t maker::join(std::uint32_t rank, std::span<const std::uint32_t> operations, const std::string& label) {
    if (operations.size() == 1) return operations.front();
    const std::uint32_t made = add(rank, operation_kind::calc, 0, 0, 0, label, 0);
    for (const std::uint32_t one : operations) made_.require(rank, made, one);
    return made;
}

std::uint32_t maker::ended(std::uint32_t rank, end& of) {
    if (!of.joined) {
        std::vector<std::uint32_t> pieces(of.count);
        std::iota(pieces.begin(), pieces.end(), of.first);
        of.joined = join(rank, pieces, "all pieces");
    }
    return *of.joined;
}

/// Another rank learns by a message of 0 bytes that an operation has ended. \returns what it waits for
std::uint32_t maker::tell(std::uint32_t from, std::uint32_t operation, std::uint32_t to, std::uint32_t tag,
                          const std::string& label) {
    if (from == to) return operation;
    const std::uint32_t sent = add(from, operation_kind::send, 0, static_cast<std::uint16_t>(to), tag, label, 0);
    made_.require(from, sent, operation);
    return add(to, operation_kind::receive, 0, static_cast<std::uint16_t>(from), tag, label, 0);
}

/// Between several ranks on both sides all news goes through one, so that there are not as many messages as pairs.
void maker::start(const trigger& by, std::uint32_t tag, std::span<const activation> after,
                  std::span<const std::uint32_t> targets) {
    if (targets.empty()) return;
    const std::string label = "trigger " + std::to_string(by.id);
    std::map<std::uint32_t, std::vector<std::uint32_t>> ended_of, started;  // [rank] operations, connections
    for (const activation& one : after) {
        const connection& from = from_.connections[one.connection];
        const std::uint32_t rank = one.on_receive ? from.destination : from.source;
        ended_of[rank].push_back(ended(rank, (one.on_receive ? receives_ : sends_)[one.connection]));
    }
    for (const std::uint32_t one : targets) started[from_.connections[one].source].push_back(one);
    std::map<std::uint32_t, std::uint32_t> news;  // [rank]
    for (const auto& [rank, operations] : ended_of) news[rank] = join(rank, operations, label);
    const auto tell_all = [&](std::uint32_t to) {
        std::vector<std::uint32_t> heard;
        for (const auto& [rank, operation] : news) heard.push_back(tell(rank, operation, to, tag, label));
        return join(to, heard, label);
    };
    if (news.size() > 1 && started.size() > 1) {
        const std::uint32_t hub = from_.connections[targets.front()].source;
        news = {{hub, tell_all(hub)}};
    }
    for (const auto& [rank, connections] : started) {
        const std::uint32_t heard = tell_all(rank);
        for (const std::uint32_t one : connections)
            for (std::uint32_t piece = 0; piece < sends_[one].count; ++piece)
                made_.require(rank, sends_[one].first + piece, heard);
    }
}

void maker::close() {
    for (std::uint32_t rank = 0; rank < from_.nodes; ++rank) {
        const std::vector<std::uint32_t> cycle = made_.close(rank);
        if (cycle.empty()) continue;
        std::string lines;
        unsigned first = 0;
        for (const std::uint32_t operation : cycle)
            for (std::size_t i = 0; i < sends_.size(); ++i) {
                const connection& one = from_.connections[i];
                if (one.source != rank || operation - sends_[i].first >= sends_[i].count) continue;
                lines += (lines.empty() ? "" : ", ") + std::to_string(one.line);
                if (first == 0) first = one.line;
            }
        fail(first, 1, "connections that start each other, in lines " + lines);
    }
}

void maker::make_triggers() {
    for (std::uint32_t i = 0; i < uses_.size(); ++i) {
        const trigger& by = from_.triggers[i];
        const auto tag = static_cast<std::uint32_t>(from_.connections.size() + i);
        const trigger_uses& one = uses_[i];
        if (by.kind != trigger_kind::multishot) {
            start(by, tag, one.activations, one.targets);
            continue;
        }
        for (std::size_t k = 0; k < one.targets.size(); ++k)
            start(by, tag, std::span(one.activations).subspan(k, 1), std::span(one.targets).subspan(k, 1));
    }
}

}  // namespace

program read_htsim_matrix(const std::string& name, std::string_view text, const read_options& options) {
    const matrix read = parse_matrix(name, text, options.warn);
    return maker(name, read, options).make();
}

}  // namespace polycast::hw::programs
