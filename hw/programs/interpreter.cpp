// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/interpreter.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "hw/input_error.h"
#include "hw/programs/places.h"
#include "hw/programs/reference_arithmetic.h"
#include "hw/programs/visit.h"

namespace polycast::hw::programs {
namespace {

class interpreter {
public:
    interpreter(const program& of, const interpreter_options& options) : of_(of), options_(options) {
        made_.buffers.resize(of.ranks());
        for (std::uint32_t rank = 0; rank < of.ranks(); ++rank)
            for (const std::uint64_t bytes : of.buffers(rank)) {
                made_.buffers[rank].emplace_back(bytes);
                if (options.fill)
                    options.fill(rank, static_cast<std::uint32_t>(made_.buffers[rank].size() - 1),
                                 made_.buffers[rank].back());
            }
    }

    interpretation run(const pairing& pairs) {
        pairs_ = &pairs;
        const bool ended = visit_in_order(
            of_, pairs, [this](operation_id id) { start(id); }, [this](operation_id id) { end(id); });
        if (!ended) throw input_error("operations wait for each other in a circle: `program check` shows it");
        return std::move(made_);
    }

private:
    std::span<std::byte> bytes(std::uint32_t rank, const place& at, std::uint64_t length) {
        return std::span(made_.buffers[rank][at.buffer]).subspan(at.offset, length);
    }

    void start(operation_id id) {
        const operation& one = of_.at(id);
        const operand_places& at = of_.places(id);
        if (one.kind == operation_kind::send) {
            const std::span<const std::byte> sent = bytes(id.rank, at.source, one.length);
            if (options_.on_message) options_.on_message(id, sent);
            messages_.emplace(of_.number(id), buffer_bytes(sent.begin(), sent.end()));
        } else if (one.kind == operation_kind::copy) {
            std::memmove(bytes(id.rank, at.destination, one.length).data(),
                         bytes(id.rank, at.source, one.length).data(), one.length);
        } else if (one.kind == operation_kind::reduce) {
            const auto& act = options_.combine;
            const std::span<std::byte> to = bytes(id.rank, at.destination, one.length);
            const std::span<const std::byte> from = bytes(id.rank, at.source, one.length);
            if (act)
                act(combination::of_tag(one.tag), to, from);
            else
                reference_combine(combination::of_tag(one.tag), to, from);
        }
    }

    void end(operation_id id) {
        const operation& one = of_.at(id);
        if (one.kind != operation_kind::receive) return;
        const auto message = messages_.find(pairs_->partner[of_.number(id)]);
        std::ranges::copy(message->second, bytes(id.rank, of_.places(id).destination, one.length).begin());
        messages_.erase(message);
    }

    const program& of_;
    const interpreter_options& options_;
    const pairing* pairs_ = nullptr;
    std::unordered_map<std::uint32_t, buffer_bytes> messages_;  ///< [number] sent, and not yet received
    interpretation made_;
};

}  // namespace

interpretation interpret(const program& of, const interpreter_options& options) {
    if (!of.has_buffers()) throw input_error("the program has no buffers: nothing is known of its bytes");
    if (const std::vector<std::string> wrong = problems_of_places(of); !wrong.empty()) throw input_error(wrong.front());
    const pairing pairs = pair_messages(of);
    if (!pairs.problems.empty()) throw input_error(pairs.problems.front());
    return interpreter(of, options).run(pairs);
}

std::uint32_t depth_of_sums(const program& of, element_type type) {
    // The program runs on depths in place of numbers: 0 at first, and one more than the deeper of two that are added.
    const std::uint32_t bytes = std::min(bytes_of(type), 4u);
    const auto load = [bytes](const std::byte* from) {
        std::uint32_t value = 0;
        std::memcpy(&value, from, bytes);
        return value;
    };
    std::uint32_t deepest = 0;
    interpreter_options options;
    options.combine = [&](combination, std::span<std::byte> to, std::span<const std::byte> from) {
        for (std::size_t at = 0; at < to.size(); at += bytes_of(type)) {
            const std::uint32_t depth = std::max(load(to.data() + at), load(from.data() + at)) + 1;
            std::memcpy(to.data() + at, &depth, bytes);
            deepest = std::max(deepest, depth);
        }
    };
    interpret(of, options);
    return deepest;
}

}  // namespace polycast::hw::programs
