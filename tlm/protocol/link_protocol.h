// SPDX-License-Identifier: Apache-2.0
/// \file Traits, phases and sockets of the link protocol. tlm/protocol/README.md is its page.
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm>

#include "tlm/protocol/link_extension.h"

namespace polycast::tlm::protocol {

/// Protocol traits of a link: the generic payload with a mandatory link_extension. Being a type of its own, a link
/// socket does not bind to a base-protocol socket.
struct link_protocol_types {
    using tlm_payload_type = ::tlm::tlm_generic_payload;
    using tlm_phase_type = ::tlm::tlm_phase;
};

/// The only phases: each is the first and last of its transaction.
TLM_DECLARE_EXTENDED_PHASE(flit_phase);  ///< forward: a flit
TLM_DECLARE_EXTENDED_PHASE(side_phase);  ///< forward: the side wires of the sender change
TLM_DECLARE_EXTENDED_PHASE(
    credit_phase);  ///< backward: a chunk (a flit, where there are VCs) of the receiver's buffer has become free

/// Bus width of every link socket, in bits: it only keeps sockets of other protocols away, the flit width is a run-time
/// parameter.
inline constexpr unsigned bus_bits = 8;

/// Sockets with one callback per module and a number per socket. They may stay unbound: an open port.
template <typename module_type>
using out_socket = tlm_utils::simple_initiator_socket_tagged_optional<module_type, bus_bits, link_protocol_types>;
template <typename module_type>
using in_socket = tlm_utils::passthrough_target_socket_tagged_optional<module_type, bus_bits, link_protocol_types>;

}  // namespace polycast::tlm::protocol
