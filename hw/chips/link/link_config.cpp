// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/link/link_config.h"

#include <algorithm>
#include <utility>

#include "hw/chips/parameter.h"

namespace polycast::hw::chips {

namespace {

constexpr limits check("link end", "hw/chips/link/link.md");
constexpr std::uint64_t most_cycles = std::uint64_t{1} << 40;

std::uint64_t flits_of(unsigned bytes, unsigned flit_bytes) {
    return (bytes + flit_bytes - 1) / flit_bytes;
}

void fill(std::uint64_t& value, std::uint64_t otherwise) {
    if (value == automatic) value = otherwise;
}

void check_buffer(const link_buffer& buffer, unsigned vcs) {
    check.within(buffer.unit_flits, 1, 65535, "flits of a unit");
    for (unsigned vc = 0; vc < vcs; ++vc)
        check.within(buffer.credits[vc], 1, credit_mask, "credits of a virtual channel");
}

}  // namespace

std::uint64_t link_config::ring_flits() const {
    std::uint64_t units = layer == link_layer::check ? vcs : 0;
    for (unsigned vc = 0; vc < vcs; ++vc) units += far.credits[vc];
    return units * far.unit_flits;
}

link_config checked(link_config c) {
    check.that(c.layer != link_layer::none, "with layer none there is no link end");
    check.within(c.flit_bytes, 1, 64, "flit bytes");
    check.within(c.vcs, 1, engine::max_vcs, "virtual channels");
    check.that(!c.beside || c.flit_bytes >= 4, "a trailer beside the flits needs flits of 4 bytes or more");
    fill(c.frame, c.beside ? 1 : std::max(1u, 128 / c.flit_bytes));
    check.within(c.frame, 1, c.beside ? 1 : 256, c.beside ? "a frame with its trailer beside it" : "a frame");
    check.that(c.frame * (8 * c.flit_bytes + 8) + 32 <= most_covered_bits,
               "a frame of " + std::to_string(c.frame) + " flits has more bits than its check word finds 5 flips in");
    check.within(c.sequence_bits, 4, 20, "sequence bits");
    check.that(c.retries() || c.sequence_bits == 20, "with layer check, sequence numbers have 20 bits");
    check.within(c.replay_count, 1, 255, "the replay count");
    fill(c.ack_spacing, flits_of(2048, c.flit_bytes));
    check.within(c.ack_spacing, 0, most_cycles, "the ack spacing");
    fill(c.credit_spacing, std::max<std::uint64_t>(flits_of(64, c.flit_bytes), 2 * c.set_symbols()));
    check.within(c.credit_spacing, 2 * c.set_symbols(), most_cycles, "the credit spacing");
    const std::uint64_t most_window = std::uint64_t{1} << (c.sequence_bits - 1);
    fill(c.window, std::min(c.full_window(), most_window));
    check.within(c.window, 1, most_window, "the window, at most half the sequence numbers,");
    const std::uint64_t most_flits = std::max<std::uint64_t>(c.frame, c.message_flits());
    fill(c.window_bytes, c.window * most_flits * c.flit_bytes);
    check.within(c.window_bytes, c.frame * c.flit_bytes, most_cycles, "the window's bytes");
    fill(c.replay_timer, 2 * c.least_timer());
    check.within(c.replay_timer, c.least_timer(), most_cycles,
                 "the replay timer, which replays without a fault below,");
    const std::uint64_t given_up = c.replay_timer * (c.replay_count + 1);
    fill(c.credit_timer, std::max(16 * c.least_timer(), c.replay_timer));
    check.within(c.credit_timer, c.replay_timer, most_cycles, "the credit timer");
    fill(c.signal_timeout, given_up);
    check.within(c.signal_timeout, 0, most_cycles, "the signal timeout");
    check.that(c.age_timeout == 0 || c.age_timeout >= given_up,
               "the age timeout must be 0 or at least the replay timer times replay count + 1");
    check.that(c.lifetime == 0 || c.lifetime >= given_up,
               "the lifetime must be 0 or at least the replay timer times replay count + 1");
    check_buffer(c.far, c.vcs);
    check_buffer(c.own, c.vcs);
    return c;
}

link_config other_end(link_config config) {
    std::swap(config.far, config.own);
    return config;
}

}  // namespace polycast::hw::chips
