// SPDX-License-Identifier: Apache-2.0
/// \file What drives both switches of a comparison: a sender and a receiver on every port, seeing the output pins of
/// one of them.
#pragma once

#include <array>
#include <cstdint>
#include <queue>
#include <vector>

#include "hw/engine/chip.h"
#include "hw/format/route.h"
#include "testbench/equivalence/run_config.h"

namespace polycast::testbench::equivalence {

/// Senders keep to their credits and receivers give back only what they got, except where `traffic_params::illegal`
/// says so.
class stimulus {
public:
    explicit stimulus(const run_config& config);

    /// Writes the input pins of the next cycle. Data and headers of silent ports are random: nobody may look at them.
    void drive(hw::engine::pins& in);

    /// Takes the output pins of the cycle after the one that was driven last.
    void see(const hw::engine::pins& out);

    /// Both switches are being reset in this cycle: asked before drive().
    bool wants_reset();

private:
    struct sender {
        std::vector<std::uint8_t> bytes;   ///< of the packet being sent
        std::vector<std::uint8_t> header;  ///< free header
        unsigned flits = 0;                ///< of that packet; 0 while idle
        unsigned next = 0;
        unsigned stored = 0;  ///< flits of it that the switch has kept
        unsigned credits = 0;
        bool cut = false;  ///< the switch discards the rest
        bool ignores_credits = false;
        unsigned head_again = ~0u;  ///< flit that claims to be a head
    };
    struct receiver {
        std::queue<std::uint64_t> due;  ///< cycles in which a chunk may go back, ascending
        unsigned offset = 0;
        std::uint64_t stalled_until = 0;
    };

    void begin_packet(unsigned port);
    std::vector<std::uint8_t> make_header(unsigned port);
    void fill_string(std::vector<std::uint8_t>& header);
    void fill_path(std::vector<std::uint8_t>& header, unsigned port);
    hw::format::stop draw_stop(bool up, bool here);
    void put_stop(std::vector<std::uint8_t>& header, const hw::format::stop& where) const;
    unsigned flits_of_header(std::size_t bytes) const;
    void spoil(sender& from);
    void send(unsigned port, hw::engine::pins& in);
    void restart();

    const run_config* config_;
    std::array<std::vector<unsigned>, 2> reachable_;  ///< [up bit] switches to which a port leads
    dice random_;
    std::uint64_t cycle_ = 0;
    std::vector<sender> senders_;
    std::vector<receiver> receivers_;
};

}  // namespace polycast::testbench::equivalence
