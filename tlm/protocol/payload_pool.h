// SPDX-License-Identifier: Apache-2.0
/// \file Memory manager of link payloads: payloads are made once and reused.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <tlm>
#include <vector>

#include "tlm/protocol/link_extension.h"

namespace polycast::tlm::protocol {

/// Payloads of one sender, with their extension and data. Grows to the largest number in use at once and allocates
/// nothing after. Must outlive its payloads.
class payload_pool final : public ::tlm::tlm_mm_interface {
public:
    /// `flit_bytes`, 1 or more, of data and `header_bytes` of free header in every flit.
    payload_pool(unsigned flit_bytes, unsigned header_bytes);
    ~payload_pool() override;
    payload_pool(const payload_pool&) = delete;
    payload_pool& operator=(const payload_pool&) = delete;

    /// A flit payload with one reference, which the caller returns by release(). Write command, `flit_bytes` bytes
    /// of data, extension with head and tail false and VC 0; data and free header are as their last user left them.
    ::tlm::tlm_generic_payload& take_flit();

    /// A credit payload with one reference: ignore command, no data, extension with VC 0.
    ::tlm::tlm_generic_payload& take_credit();

    /// A payload for a change of side wires: ignore command, no data, extension with all wires zero.
    ::tlm::tlm_generic_payload& take_side();

    /// Called by the payload when its last reference is gone.
    void free(::tlm::tlm_generic_payload* payload) override;

    /// Payloads made so far, and those in use now.
    std::size_t made() const { return payloads_.size(); }
    std::size_t in_use() const;

private:
    using payload_list = std::vector<::tlm::tlm_generic_payload*>;

    payload_list& free_list(link_extension::content what) { return free_[static_cast<std::size_t>(what)]; }
    ::tlm::tlm_generic_payload& take(link_extension::content what);
    ::tlm::tlm_generic_payload& make(link_extension::content what);

    unsigned flit_bytes_;
    unsigned header_bytes_;
    std::vector<std::unique_ptr<::tlm::tlm_generic_payload>> payloads_;
    std::vector<std::vector<std::uint8_t>> data_;  ///< of payloads_
    std::array<payload_list, 3> free_;             ///< [content]
    std::uint64_t serial_ = 0;
};

}  // namespace polycast::tlm::protocol
