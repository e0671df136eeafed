// SPDX-License-Identifier: Apache-2.0
/// \file Where messages of a program were between the end of their send overhead and the host that gets them: on buses,
/// in interfaces, on links, and waiting for links. Refines the critical path.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "hw/ni/observer.h"
#include "hw/system/plan.h"
#include "hw/workloads/program/critical_path.h"
#include "hw/workloads/program/rank.h"
#include "tlm/trace/packet_database.h"
#include "tlm/trace/packet_log.h"
#include "tlm/workloads/program/program_result.h"

namespace polycast::tlm::sim {

/// Records what interfaces did, and when packets were on links. It is shown all spans of interfaces, and passages of
/// packets; `other`, which may be null, is shown the former, too, and outlives it.
class network_recorder final : public hw::ni::observer, public trace::packet_store {
public:
    explicit network_recorder(hw::ni::observer* other = nullptr) : other_(other) {}

    void tell(hw::ni::observer* other) { other_ = other; }

    void arrived(hw::ni::cycle now, const hw::ni::received_packet& packet) override;
    void departed(hw::ni::cycle now, const hw::ni::departed_packet& packet) override {
        if (other_ != nullptr) other_->departed(now, packet);
    }
    void used(const hw::ni::span_record& span) override;
    void console(hw::ni::cycle now, std::uint32_t host, std::string_view line) override {
        if (other_ != nullptr) other_->console(now, host, line);
    }
    bool wants_spans() const override { return true; }

    void add(const trace::logged_packet& packet) override;
    void add(const trace::passage& passed) override { passages_.push_back(passed); }

private:
    friend class network_path;

    /// Of a packet: which bytes of which message it has.
    struct content {
        std::uint32_t source = 0, message = 0, offset = 0;
        auto operator<=>(const content&) const = default;
    };
    struct seen_packet {
        std::uint64_t header = 0;  ///< source and sequence
        std::uint32_t header_flits = 1;
    };

    hw::ni::observer* other_;
    std::vector<hw::ni::span_record> spans_;
    std::vector<trace::passage> passages_;
    std::vector<seen_packet> packets_;                     ///< by number
    std::unordered_map<std::uint64_t, content> contents_;  ///< by source and sequence
};

/// Of a run that has ended.
class network_path {
public:
    /// All outlive it.
    network_path(const network_recorder& seen, const hw::system::system_plan& plan,
                 const hw::programs::rank_rules& rules);

    /// The path with all that is `network` in parts, which have the same sum. Times of the run.
    std::vector<program_part::segment> refined(const std::vector<hw::programs::path_segment>& path) const;

private:
    using cycle = hw::engine::cycle;
    using step = hw::programs::path_step;
    using segment = program_part::segment;

    /// What is being refined, from its end backwards: nothing is explained up to `at` yet.
    struct stretch {
        const hw::programs::path_segment& of;
        std::uint32_t source, destination;  ///< hosts
        cycle at;
        std::vector<segment> backwards{};
    };

    void add(stretch& own, cycle from, step what, const std::string& place, const std::string& behind = "") const;
    void receive(stretch& own) const;
    void send(stretch& own) const;
    void cross(stretch& own, const hw::ni::span_record& in) const;
    const hw::ni::span_record* latest(const stretch& own, std::uint32_t host, bool sending) const;
    std::string behind(const trace::passage& waiting, cycle since) const;
    const trace::passage* after(const trace::passage& passed, std::uint32_t chip) const;

    const network_recorder& seen_;
    const hw::system::system_plan& plan_;
    const hw::programs::rank_rules& rules_;
    trace::logged_network network_;
    std::map<std::pair<std::uint32_t, unsigned>, trace::logged_chip::cable> cables_;
    std::unordered_map<std::uint64_t, std::vector<const hw::ni::span_record*>> of_message_;  ///< by end
    std::map<network_recorder::content, std::uint32_t> packet_of_;
    std::vector<std::vector<const trace::passage*>> of_packet_;                                 ///< by head
    std::map<std::pair<std::uint32_t, unsigned>, std::vector<const trace::passage*>> of_port_;  ///< by head
};

}  // namespace polycast::tlm::sim
