// SPDX-License-Identifier: Apache-2.0
/// \file Tells the scoreboards of several jobs apart what passes the interfaces that they share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/delivery/scoreboard.h"
#include "hw/ni/observer.h"

namespace polycast::tlm::sim {

/// A job as its scoreboard needs it.
struct watched_job {
    std::uint32_t id = 0;
    std::vector<unsigned> processes;
    hw::traffic::scoreboard* board = nullptr;  ///< null: nobody checks what this job sends
    std::uint64_t strange = 0;                 ///< packets of other jobs that came to its processes
};

/// Where packets carry JobIDs, a packet is of the job that it names. Else it is of the job that it goes to: what others
/// send there is for its scoreboard to judge.
class job_watcher final : public hw::ni::observer {
public:
    job_watcher(std::vector<watched_job> jobs, bool ids) : jobs_(std::move(jobs)), ids_(ids) {}

    /// Null: nobody else wants to know. Outlives this.
    void pass_on_to(hw::ni::observer* other) { other_ = other; }

    void arrived(hw::ni::cycle now, const hw::ni::received_packet& packet) override;
    void departed(hw::ni::cycle now, const hw::ni::departed_packet& packet) override;
    void used(const hw::ni::span_record& span) override {
        if (other_ != nullptr) other_->used(span);
    }
    void console(hw::ni::cycle now, std::uint32_t host, std::string_view line) override {
        if (other_ != nullptr) other_->console(now, host, line);
    }
    bool wants_spans() const override { return other_ != nullptr && other_->wants_spans(); }

    const std::vector<watched_job>& jobs() const { return jobs_; }

private:
    watched_job* of_process(unsigned process);
    watched_job* of_id(std::uint32_t id);

    std::vector<watched_job> jobs_;
    bool ids_;
    hw::ni::observer* other_ = nullptr;
};

}  // namespace polycast::tlm::sim
