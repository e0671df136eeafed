// SPDX-License-Identifier: Apache-2.0
/// \file An observer that many hosts share, as one of them uses it while several threads or processes step them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hw/engine/told.h"
#include "hw/ni/observer.h"
#include "hw/traffic/payload_packing.h"

namespace polycast::hw::ni {

template <typename archive>
void serialize(archive& all, departed_packet& p) {
    all(p.host, p.vc, p.vc_class, p.destination, p.source, p.message, p.offset, p.tag, p.kind, p.reliable, p.group,
        p.hops, p.source_process, p.job, p.route);
}

template <typename archive>
void serialize(archive& all, span_record& span) {
    all(span.host, span.where, span.what, span.begin, span.end, span.source, span.message, span.offset);
}

}  // namespace polycast::hw::ni

namespace polycast::hw::engine {

/// A packet with bytes of its own.
template <>
class kept<const ni::received_packet&> {
public:
    kept() = default;
    explicit kept(const ni::received_packet& packet)
        : packet_(packet),
          header_(packet.header.begin(), packet.header.end()),
          job_(packet.job.begin(), packet.job.end()),
          payload_{{packet.payload.begin(), packet.payload.end()}} {}
    /// Views of this object's bytes.
    ni::received_packet give() const {
        ni::received_packet packet = packet_;
        packet.header = header_;
        packet.job = {};
        packet.payload = payload_.bytes;
        if (job_.empty()) return packet;
        body_ = job_;  // in front of the payload, as on the link
        body_.insert(body_.end(), payload_.bytes.begin(), payload_.bytes.end());
        packet.job = std::span<const std::uint8_t>(body_).first(job_.size());
        packet.payload = std::span<const std::uint8_t>(body_).subspan(job_.size());
        return packet;
    }
    template <typename archive>
    void serialize(archive& all) {
        format::transport_header& t = packet_.transport;
        all(packet_.host, packet_.check, packet_.complete, packet_.flits, header_, job_, payload_);
        all(t.op, t.acknowledge, t.reliable, t.process, t.source_process, t.lane, t.group, t.hops, t.message, t.offset,
            t.total, t.tag);
    }

private:
    ni::received_packet packet_;
    std::vector<std::uint8_t> header_;
    std::vector<std::uint8_t> job_;
    mutable std::vector<std::uint8_t> body_;  ///< of a packet with a job, once it is given
    traffic::packed_payload payload_;
};

}  // namespace polycast::hw::engine

namespace polycast::hw::ni {

/// Passes everything on when it is its turn. `through` and `to` outlive it.
class waiting_observer final : public observer {
public:
    waiting_observer(engine::effects& through, observer& to)
        : to_(to),
          arrived_(through, [&to](cycle now, const received_packet& packet) { to.arrived(now, packet); }),
          departed_(through, [&to](cycle now, const departed_packet& packet) { to.departed(now, packet); }),
          used_(through, [&to](const span_record& span) { to.used(span); }),
          console_(through,
                   [&to](cycle now, std::uint32_t host, std::string_view line) { to.console(now, host, line); }) {}

    void arrived(cycle now, const received_packet& packet) override { arrived_(now, packet); }
    void departed(cycle now, const departed_packet& packet) override { departed_(now, packet); }
    void used(const span_record& span) override { used_(span); }
    void console(cycle now, std::uint32_t host, std::string_view line) override { console_(now, host, line); }
    bool wants_spans() const override { return to_.wants_spans(); }

private:
    const observer& to_;
    engine::told<cycle, const received_packet&> arrived_;
    engine::told<cycle, const departed_packet&> departed_;
    engine::told<const span_record&> used_;
    engine::told<cycle, std::uint32_t, std::string_view> console_;
};

}  // namespace polycast::hw::ni
