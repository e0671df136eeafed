// SPDX-License-Identifier: Apache-2.0
/// \file Who wants to know what a network interface and its host are doing: scoreboards, charts, waves. All passive.
#pragma once

#include <cstdint>

#include "hw/traffic/message.h"

namespace polycast::hw::ni {

using engine::cycle;

/// A resource of a host, for charts.
enum class resource : std::uint8_t { host_processor, bus, ni_processor, link_out, link_in };

/// One use of a resource. What `what` and `detail` mean depends on the resource:
/// host_processor: 0 send overhead, 1 receive overhead; bus: 0 from host, 1 to host, 2 completion; ni_processor:
/// ni_operation of firmware/include/ni_firmware.h; link_out, link_in: packet kind. `source` and `message` name the
/// message it was for; source is ~0 where there is none.
struct span_record {
    std::uint32_t host = 0;
    resource where = resource::host_processor;
    std::uint8_t what = 0;
    cycle begin = 0;
    cycle end = 0;  ///< first cycle after it
    std::uint32_t source = ~0u;
    std::uint32_t message = 0;
    std::uint32_t offset = 0;  ///< of the packet in its message
};

class observer {
public:
    virtual ~observer() = default;
    /// The tail of a packet is on the input pins in cycle `now`.
    virtual void arrived(cycle now, const traffic::received_packet& packet) = 0;
    virtual void used(const span_record& span) { static_cast<void>(span); }
    /// \returns true if used() is wanted: spans cost a little.
    virtual bool wants_spans() const { return false; }
};

}  // namespace polycast::hw::ni
