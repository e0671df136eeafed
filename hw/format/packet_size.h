// SPDX-License-Identifier: Apache-2.0
/// \file How long packets are: the one place that adds up their parts.
#pragma once

#include "hw/format/header.h"

namespace polycast::hw::format {

/// Flits behind those of the header: transport header, job word where packets carry one, payload, check word. A free
/// header has transport header and check word on its own pins.
constexpr unsigned body_flits(unsigned payload_bytes, unsigned flit_bytes, bool header_free, bool jobs) {
    const unsigned beside = (jobs ? job_bytes : 0) + (header_free ? 0 : transport_bytes + check_bytes);
    return header_flits(beside + payload_bytes, flit_bytes);
}

}  // namespace polycast::hw::format
