// SPDX-License-Identifier: Apache-2.0
/// \file What a transaction on a link carries beside the generic payload. Mandatory.
#pragma once

#include <cstdint>
#include <tlm>
#include <vector>

#include "hw/engine/chip.h"

namespace polycast::tlm::protocol {

/// Side band of a flit or credit, or the value of side wires. There is no port number: a port is a socket.
class link_extension final : public ::tlm::tlm_extension<link_extension> {
public:
    enum class content : std::uint8_t { flit, credit, side };

    /// What this transaction is. Set by payload_pool when it makes the payload, never changed after; read by receivers
    /// and checkers. Default: flit.
    content what = content::flit;

    /// The flit is the first of its packet. Set by the sender of the flit, read by the receiver and by links (they
    /// count packets). Default: false; meaningless for others.
    bool head = false;

    /// The flit is the last of its packet. Set by the sender of the flit, read by the receiver. Default: false;
    /// meaningless for others.
    bool tail = false;

    /// Virtual channel: for a flit the one that it takes in the receiver's buffer, for a credit the one in which a flit
    /// has become free. Set by the sender of the flit or credit, read by its receiver; links pass it on. Default: 0,
    /// the only one of a link without virtual channels; meaningless for side wires.
    std::uint8_t vc = 0;

    /// Side wires: what the chip at the sending end shows from now on. Set by the sender of a change, read by its
    /// receiver; links pass it on. Default: all zero, as after reset; meaningless for flits and credits.
    hw::engine::side_state side;

    /// Free header: the bytes beside a head flit if the header costs no flits (`header: free`), all of them, check
    /// word included. Sized by payload_pool, filled by the sender of a head flit, read by the receiver of a head flit;
    /// unspecified for other flits. Default: empty, the header is in the flits.
    std::vector<std::uint8_t> header;

    /// Number of this use of the payload object, never the same twice in one object. Set by payload_pool whenever it
    /// hands the payload out; read by checkers, which thereby see a payload that is sent again before it was given
    /// back. Default: 0, not from a pool.
    std::uint64_t serial = 0;

    ::tlm::tlm_extension_base* clone() const override;
    void copy_from(const ::tlm::tlm_extension_base& other) override;
};

}  // namespace polycast::tlm::protocol
