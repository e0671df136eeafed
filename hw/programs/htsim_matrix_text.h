// SPDX-License-Identifier: Apache-2.0
/// \file A connection matrix of htsim as it stands in its file: connections, triggers, and where they stand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hw/input_error.h"
#include "hw/names.h"
#include "hw/topology/warning.h"

namespace polycast::hw::programs::htsim {

enum class trigger_kind : std::uint8_t {
    oneshot,    ///< one activation starts all targets
    multishot,  ///< each activation starts the next target
    barrier     ///< the last of `count` activations starts all targets
};

inline constexpr named<trigger_kind> trigger_kinds[] = {
    {trigger_kind::oneshot, "oneshot"}, {trigger_kind::multishot, "multishot"}, {trigger_kind::barrier, "barrier"}};

/// A trigger that a connection names.
struct trigger_use {
    std::uint32_t id = 0;
    unsigned column = 0;
};

struct connection {
    std::uint64_t bytes = 0;
    std::uint64_t start = 0;                          ///< in the file's unit; without `trigger`
    std::optional<trigger_use> trigger;               ///< what starts it, in place of a time
    std::optional<trigger_use> send_done, recv_done;  ///< what it activates
    std::optional<std::uint32_t> id;
    std::uint16_t source = 0, destination = 0;
    unsigned line = 0;
};

struct trigger {
    std::uint32_t id = 0;
    trigger_kind kind = trigger_kind::oneshot;
    std::uint32_t count = 1;  ///< activations of a barrier
    unsigned line = 0;
};

struct matrix {
    std::uint32_t nodes = 0;
    std::vector<connection> connections;
    std::vector<trigger> triggers;
};

/// Every word is known and every number verified, those of connections and triggers among them. Triggers that
/// connections name need not be there. \throws input_error with line and column
matrix parse_matrix(const std::string& name, std::string_view text, const topology::warning& warn);

}  // namespace polycast::hw::programs::htsim
