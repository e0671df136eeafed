// SPDX-License-Identifier: Apache-2.0
/// \file An algorithm of MSCCL as it stands in its XML: every element and attribute known, every number in its range.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hw/input_error.h"
#include "hw/names.h"
#include "hw/programs/collective.h"

namespace polycast::hw::programs::msccl {

enum class step_kind : std::uint8_t { s, r, rcs, rrc, rrs, rrcs, cpy, re, nop };

inline constexpr named<step_kind> step_kinds[] = {
    {step_kind::s, "s", "sends its source"},
    {step_kind::r, "r", "receives to its destination"},
    {step_kind::rcs, "rcs", "receives, and sends it on"},
    {step_kind::rrc, "rrc", "destination = source + what it receives"},
    {step_kind::rrs, "rrs", "sends source + what it receives"},
    {step_kind::rrcs, "rrcs", "destination = source + what it receives, and sends it"},
    {step_kind::cpy, "cpy", "destination = source"},
    {step_kind::re, "re", "destination = destination + source"},
    {step_kind::nop, "nop", "only waits"}};

constexpr bool receives(step_kind kind) {
    return kind != step_kind::s && kind < step_kind::cpy;
}
constexpr bool sends(step_kind kind) {
    return kind == step_kind::s || kind == step_kind::rcs || kind == step_kind::rrs || kind == step_kind::rrcs;
}
constexpr bool reads_source(step_kind kind) {
    return kind != step_kind::r && kind != step_kind::rcs && kind != step_kind::nop;
}
constexpr bool writes_destination(step_kind kind) {
    return kind != step_kind::s && kind != step_kind::rrs && kind != step_kind::nop;
}

enum class buffer_name : std::uint8_t { i, o, s };

inline constexpr named<buffer_name> buffer_names[] = {
    {buffer_name::i, "i", "input"}, {buffer_name::o, "o", "output"}, {buffer_name::s, "s", "scratch"}};

/// Chunks of a buffer.
struct chunks {
    buffer_name buffer = buffer_name::i;
    std::uint32_t first = 0;
};

struct step {
    step_kind kind = step_kind::nop;
    chunks source, destination;
    std::uint32_t count = 0;
    std::optional<std::uint32_t> waits_for_block;  ///< this thread block's step `waits_for` has to end before
    std::uint32_t waits_for = 0;
    bool is_waited_for = false;
    text_position at;
};

struct thread_block {
    std::optional<std::uint32_t> send, receive;  ///< gpus
    std::uint32_t channel = 0;
    std::vector<step> steps;
    text_position at;
};

struct first_copy {
    std::uint32_t input = 0, output = 0;  ///< chunks
    text_position at;
};

struct gpu {
    std::uint32_t input_chunks = 0, output_chunks = 0, scratch_chunks = 0;
    std::vector<thread_block> blocks;
    std::vector<first_copy> copies;
    text_position at;
};

struct algorithm {
    std::string name, protocol;
    std::optional<collective_kind> kind;  ///< nothing for those without a definition
    std::uint32_t chunks_per_loop = 0;
    bool in_place = false;
    std::uint64_t min_bytes = 0, max_bytes = 0;  ///< 0: no limit
    std::optional<reduction> reduces_by;
    std::vector<gpu> gpus;  ///< by their ids
    text_position at;
};

/// Whether bytes are XML whose first element is `algo`.
bool begins_as_msccl(std::string_view text);

/// \throws input_error with line and column
algorithm parse_msccl(const std::string& name, std::string_view text);

}  // namespace polycast::hw::programs::msccl
