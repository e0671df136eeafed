// SPDX-License-Identifier: Apache-2.0
/// \file Checks that both ends of a link keep to the protocol. Passive: it forwards every call unchanged.
#pragma once

#include <boost/circular_buffer.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <systemc>
#include <unordered_map>
#include <vector>

#include "tlm/protocol/cycle_grid.h"
#include "tlm/protocol/link_protocol.h"

namespace polycast::tlm::protocol {

/// The violations; tlm/protocol/README.md has the rules.
enum class link_rule : std::uint8_t {
    phase,           ///< not flit_phase or side_phase forward, credit_phase backward
    extension,       ///< the link_extension is missing
    content,         ///< it does not match the phase
    memory_manager,  ///< the payload has none, or no reference is held
    attributes,      ///< command, data, length, streaming width, byte enables, DMI hint or free header
    reuse,           ///< the payload is sent again before it was released
    time,            ///< earlier than the transaction before it
    rate,            ///< two flits, two credits, or two changes of side wires, in one cycle
    vc,              ///< a flit or credit of a virtual channel that the link does not have
    head,            ///< body flit outside a packet of its virtual channel
    tail,            ///< head flit inside one
    no_credit,       ///< a flit begins a chunk for which there is no credit of its virtual channel
    credit_overrun,  ///< a credit for a chunk that was not in use
    side,            ///< a change of side wires on a link without them
    side_round,      ///< side wires show a round that is neither the same nor the next one
    side_have,       ///< a packet is withdrawn within a round, or set as one begins
    side_change,     ///< a change of side wires that changes nothing
    answer,          ///< not TLM_ACCEPTED, or the callee changed phase or delay
    transport,       ///< blocking, debug or direct memory access
};

std::string_view name_of(link_rule rule);

struct link_violation {
    link_rule rule;
    sc_core::sc_time when;  ///< simulated time of the call
    std::string message;    ///< text with the checker's name and the cycle
};

/// Sizes of a link, as its two ends agreed on them.
struct link_shape {
    sc_core::sc_time period{1, sc_core::SC_NS};
    unsigned flit_bytes = 1;
    unsigned header_bytes = 0;  ///< of the free header
    unsigned chunk_flits = 8;   ///< flits of one credit; 1 with virtual channels
    unsigned credits = 80;      ///< chunks of the receiver's buffer, of every virtual channel
    unsigned vcs = 1;           ///< virtual channels, 1..16
    /// The link has side wires, and flits of this virtual channel need no credits.
    std::optional<std::uint8_t> side_vc = {};
    std::vector<unsigned> vc_credits = {};  ///< instead of `credits`: of each virtual channel, if they differ
};

/// For one direction of a link. Bind it anywhere on the path: sender.out -> checker.in, checker.out -> receiver.in. A
/// credit counts from the cycle in which it passes the checker, so it sees most when it is bound to the sender.
class link_checker final : public sc_core::sc_module {
public:
    in_socket<link_checker> in;
    out_socket<link_checker> out;

    /// `report`, if given, is called with every violation. \throws input_error on a bad period or number of virtual
    /// channels, of credits for them, or of the one beside side wires, and for chunks of several flits where there are
    /// some.
    link_checker(const sc_core::sc_module_name& name, const link_shape& shape,
                 std::function<void(const link_violation&)> report = {});

    /// The first 100 violations, and how many there were.
    const std::vector<link_violation>& violations() const { return violations_; }
    std::uint64_t violation_count() const { return violation_count_; }

    /// Transactions that passed.
    std::uint64_t flits() const { return flits_.count; }
    std::uint64_t credits() const { return credits_.count; }
    std::uint64_t sides() const { return sides_.count; }

    /// Nothing is in flight: no packet begun, all credits returned.
    bool at_rest() const;

private:
    using cycle = hw::engine::cycle;
    using payload = ::tlm::tlm_generic_payload;

    /// One sequence of transactions in time.
    struct stream {
        std::uint64_t count = 0;
        sc_core::sc_time last;
    };

    /// State of a virtual channel.
    struct channel {
        bool free = false;  ///< flits need no credits
        unsigned credits = 0;
        bool in_packet = false;
        unsigned offset = 0;                      ///< flits of the chunk being filled
        unsigned available = 0;                   ///< credits that the sender may spend
        boost::circular_buffer<cycle> returning;  ///< cycles of credits that passed and may not be usable yet
    };

    ::tlm::tlm_sync_enum forward(int, payload& trans, ::tlm::tlm_phase& phase, sc_core::sc_time& delay);
    ::tlm::tlm_sync_enum backward(int, payload& trans, ::tlm::tlm_phase& phase, sc_core::sc_time& delay);
    void blocking(int, payload& trans, sc_core::sc_time& delay);
    unsigned debug(int, payload& trans);
    bool direct_memory(int, payload& trans, ::tlm::tlm_dmi& dmi);
    void invalidate(int, sc_dt::uint64 from, sc_dt::uint64 to);

    void check_payload(const payload& trans, link_extension::content expected, const char* what);
    void check_flit_attributes(const payload& trans, const link_extension& extension);
    void check_bare(const payload& trans, const char* what);
    cycle check_time(stream& of, const sc_core::sc_time& delay, const char* what);
    void check_answer(::tlm::tlm_sync_enum answer, bool changed, const char* what);
    void check_flit(const link_extension& extension, cycle when);
    void check_credit(const link_extension& extension, cycle when);
    void check_side(const hw::engine::side_state& now);
    channel* channel_of(const link_extension& extension, const char* what);
    std::string named(unsigned vc) const;
    void violate(link_rule rule, const std::string& message);

    link_shape shape_;
    cycle_grid grid_;
    std::function<void(const link_violation&)> report_;
    std::vector<link_violation> violations_;
    std::uint64_t violation_count_ = 0;
    stream flits_;
    stream credits_;
    stream sides_;
    hw::engine::side_state shown_;                               ///< on the side wires
    std::vector<channel> channels_;                              ///< [virtual channel]
    std::unordered_map<const payload*, std::uint64_t> serials_;  ///< of the last use that passed
};

}  // namespace polycast::tlm::protocol
