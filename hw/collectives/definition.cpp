// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/definition.h"

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <optional>
#include <utility>

#include "hw/programs/inputs.h"
#include "hw/programs/reference_arithmetic.h"

namespace polycast::hw::collectives {
namespace {

using programs::collective_kind;
using programs::element_type;
using programs::load_element;
using programs::parts_of;
using programs::reduction;
/// Sums of 65,536 f32 as whole multiples of 2^-149, and what the bound multiplies them with.
using exact = boost::multiprecision::int512_t;

class comparison {
public:
    comparison(const collective& of, const vector_of& inputs, const vector_of& outputs, std::uint32_t depth)
        : of_(of), inputs_(inputs), outputs_(outputs), depth_(depth), bytes_(of.element_bytes()) {}

    definition_result run() {
        std::vector<std::span<const std::byte>> got;
        std::uint64_t longest = 0;
        for (std::uint32_t rank = 0; rank < of_.ranks; ++rank) {
            got.push_back(outputs_(rank));
            longest = std::max(longest, of_.output(rank).bytes / bytes_);
        }
        // Element by element: ranks that have the same are judged once.
        for (std::uint64_t i = 0; i < longest; ++i)
            for (std::uint32_t rank = 0; rank < of_.ranks; ++rank) {
                if (i >= of_.output(rank).bytes / bytes_) continue;
                ++made_.elements;
                compare(rank, i, load_element(of_.combined.type, got[rank].data() + i * bytes_));
            }
        return made_;
    }

private:
    /// What came of the reduction that was looked at last.
    struct judgement {
        std::uint64_t element = 0, got = 0, wanted = 0;
        bool right = false;
    };

    std::uint64_t given(std::uint32_t rank, std::uint64_t element) const {
        return load_element(of_.combined.type, inputs_(rank).data() + element * bytes_);
    }

    /// Of a vector that all blocks make: which rank has the element, and which one of it.
    std::uint64_t gathered(std::uint64_t element) const {
        std::uint32_t rank = 0;
        const std::uint64_t least = of_.elements / of_.ranks, more = of_.elements % of_.ranks;
        rank = static_cast<std::uint32_t>(element < more * (least + 1) ? element / (least + 1)
                                                                       : more + (element - more * (least + 1)) / least);
        return given(rank, element - of_.block(rank).begin / bytes_);
    }

    void compare(std::uint32_t rank, std::uint64_t i, std::uint64_t got) {
        const std::uint64_t own = of_.block(rank).begin / bytes_, count = of_.block(rank).bytes / bytes_;
        switch (of_.kind) {
            case collective_kind::broadcast: return exactly(rank, i, got, given(of_.root, i));
            case collective_kind::scatter: return exactly(rank, i, got, given(of_.root, own + i));
            case collective_kind::allgather:
            case collective_kind::gather: return exactly(rank, i, got, gathered(i));
            case collective_kind::all_to_all:
                return exactly(rank, i, got, given(static_cast<std::uint32_t>(i / count), own + i % count));
            case collective_kind::reduce:
            case collective_kind::allreduce: return reduced(rank, i, got, i);
            case collective_kind::reduce_scatter: return reduced(rank, i, got, own + i);
            case collective_kind::barrier: return;
        }
    }

    void reduced(std::uint32_t rank, std::uint64_t i, std::uint64_t got, std::uint64_t element) {
        if (!last_ || last_->element != element || last_->got != got) last_ = judged(got, element);
        if (!last_->right) wrong(rank, i, got, last_->wanted);
    }

    judgement judged(std::uint64_t got, std::uint64_t element) {
        values_.clear();
        for (std::uint32_t one = 0; one < of_.ranks; ++one) values_.push_back(given(one, element));
        std::array<std::byte, 8> sum{}, next{};
        const auto store = [this](std::array<std::byte, 8>& to, std::uint64_t value) {
            for (std::uint64_t k = 0; k < bytes_; ++k) to[k] = static_cast<std::byte>(value >> (8 * k) & 0xff);
        };
        store(sum, values_.front());
        for (std::size_t k = 1; k < values_.size(); ++k) {
            store(next, values_[k]);
            programs::reference_combine(of_.combined, std::span(sum).first(bytes_), std::span(next).first(bytes_));
        }
        const std::uint64_t wanted = load_element(of_.combined.type, sum.data());
        const bool rounds = programs::is_float(of_.combined.type) && of_.combined.how == reduction::sum;
        const bool right = rounds ? within_bound(of_.combined.type, values_, got, depth_) : got == wanted;
        return {element, got, wanted, right};
    }

    void exactly(std::uint32_t rank, std::uint64_t i, std::uint64_t got, std::uint64_t wanted) {
        if (got != wanted) wrong(rank, i, got, wanted);
    }

    void wrong(std::uint32_t rank, std::uint64_t i, std::uint64_t got, std::uint64_t wanted) {
        ++made_.wrong;
        const auto& first = made_.first;
        if (!first || std::pair(rank, i) < std::pair(first->rank, first->index))
            made_.first = wrong_result{rank, i, got, wanted};
    }

    const collective& of_;
    const vector_of &inputs_, &outputs_;
    std::uint32_t depth_;
    std::uint64_t bytes_;
    std::vector<std::uint64_t> values_;
    std::optional<judgement> last_;
    definition_result made_;
};

}  // namespace

bool within_bound(element_type type, std::span<const std::uint64_t> values, std::uint64_t got, std::uint32_t depth) {
    const auto as_whole = [type](std::uint64_t bits) {
        const programs::float_parts parts = parts_of(type, bits);
        return exact(parts.mantissa) << (parts.exponent + 149);
    };
    exact sum = 0, magnitudes = 0;
    for (const std::uint64_t one : values) {
        if (!parts_of(type, one).finite) return true;  // no bound holds then
        const exact value = as_whole(one);
        sum += value;
        magnitudes += abs(value);
    }
    // u = unit / 2^24, so the bound is depth unit / (2^24 - depth unit).
    const std::uint64_t unit = type == element_type::bf16 ? (1u << 16) + 1 : 1, whole = 1u << 24;
    if (depth * unit >= whole) return true;
    if (!parts_of(type, got).finite) return false;
    return abs(as_whole(got) - sum) * (whole - depth * unit) <= magnitudes * (depth * unit);
}

definition_result compare_with_definition(const collective& of, const vector_of& inputs, const vector_of& outputs,
                                          std::uint32_t depth) {
    return comparison(of, inputs, outputs, depth).run();
}

definition_result interpret_and_compare(const programs::program& of, std::uint64_t seed,
                                        programs::interpretation* found) {
    const collective& what = of.computes().value();
    const element_type type = what.combined.type;
    std::vector<programs::buffer_bytes> inputs(what.ranks);
    for (std::uint32_t rank = 0; rank < what.ranks; ++rank) {
        inputs[rank].resize(what.input(rank).bytes);
        programs::make_inputs(type, seed, rank, 0, inputs[rank]);
    }
    programs::interpreter_options options;
    options.fill = [&](std::uint32_t rank, std::uint32_t buffer, std::span<std::byte> bytes) {
        programs::fill_buffer(of, type, seed, rank, buffer, bytes);
    };
    programs::interpretation made = programs::interpret(of, options);
    const bool rounds = programs::is_float(type) && reduces(what.kind) && what.combined.how == reduction::sum;
    const definition_result result = compare_with_definition(
        what, [&](std::uint32_t rank) { return std::span<const std::byte>(inputs[rank]); },
        [&](std::uint32_t rank) {
            const programs::region own = what.output(rank);
            return std::span<const std::byte>(made.buffers[rank][own.at.buffer]).subspan(own.at.offset, own.bytes);
        },
        rounds ? programs::depth_of_sums(of, type) : 0);
    if (found != nullptr) *found = std::move(made);
    return result;
}

std::string wrong_text(const collective& of, const wrong_result& what) {
    const auto hex = [&](std::uint64_t bits) {
        constexpr std::string_view digits = "0123456789abcdef";
        std::string text;
        for (std::uint64_t k = 2 * of.element_bytes(); k-- > 0;) text += digits[bits >> (4 * k) & 15];
        return text;
    };
    return "rank " + std::to_string(what.rank) + " element " + std::to_string(what.index) + ": got " + hex(what.got) +
           ", wanted " + hex(what.wanted) + " (" + std::string(name_in(programs::element_types, of.combined.type)) +
           ")";
}

}  // namespace polycast::hw::collectives
