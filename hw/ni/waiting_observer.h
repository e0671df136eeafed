// SPDX-License-Identifier: Apache-2.0
/// \file An observer that many hosts share, as one of them uses it while several threads step them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hw/engine/effects.h"
#include "hw/ni/observer.h"

namespace polycast::hw::ni {

/// A packet with bytes of its own.
class kept_packet {
public:
    explicit kept_packet(const received_packet& packet)
        : packet_(packet), bytes_(packet.header.begin(), packet.header.end()) {
        bytes_.insert(bytes_.end(), packet.payload.begin(), packet.payload.end());
    }
    /// Views of this object's bytes.
    received_packet view() const {
        received_packet packet = packet_;
        packet.header = std::span(bytes_).first(packet_.header.size());
        packet.payload = std::span(bytes_).subspan(packet_.header.size());
        return packet;
    }

private:
    received_packet packet_;
    std::vector<std::uint8_t> bytes_;
};

/// Passes everything on, at once or through `told`. Both outlive it.
class waiting_observer final : public observer {
public:
    waiting_observer(engine::effects& told, observer& to) : told_(told), to_(to) {}

    void arrived(cycle now, const received_packet& packet) override {
        if (!told_.wait()) return to_.arrived(now, packet);
        told_.add([&to = to_, now, kept = kept_packet(packet)] { to.arrived(now, kept.view()); });
    }
    void departed(cycle now, const departed_packet& packet) override {
        if (!told_.wait()) return to_.departed(now, packet);
        told_.add([&to = to_, now, packet] { to.departed(now, packet); });
    }
    void used(const span_record& span) override {
        if (!told_.wait()) return to_.used(span);
        told_.add([&to = to_, span] { to.used(span); });
    }
    void console(cycle now, std::uint32_t host, std::string_view line) override {
        if (!told_.wait()) return to_.console(now, host, line);
        told_.add([&to = to_, now, host, text = std::string(line)] { to.console(now, host, text); });
    }
    bool wants_spans() const override { return to_.wants_spans(); }

private:
    engine::effects& told_;
    observer& to_;
};

}  // namespace polycast::hw::ni
