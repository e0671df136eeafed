// SPDX-License-Identifier: Apache-2.0
/// \file One run of a program on hosts of a network: what all ranks share, and when it is over.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hw/delivery/goal.h"
#include "hw/host/application.h"
#include "hw/host/host_chip.h"
#include "hw/workloads/program/program_check.h"
#include "hw/workloads/program/rank.h"

namespace polycast::hw::programs {

/// Rules that a run can follow: fills in what follows from the program. \throws input_error if there are fewer hosts
/// than ranks, or operations that hosts do not know
rank_rules checked(rank_rules rules);

/// What hosts have for a program: processes, buffers; not their processors.
void fit(host::host_params& hosts, const rank_rules& rules);

class program_run final : public traffic::goal {
public:
    /// \param rules as checked() gives them
    explicit program_run(rank_rules rules);

    const rank_rules& rules() const { return rules_; }
    program_check& check() { return check_; }
    const program_check& check() const { return check_; }

    /// The applications of a host, one for each queue. The run must outlive them.
    std::vector<host::application_factory> programs(std::uint32_t host);

    /// A receive has ended: `bytes` lie in the memory of its host.
    void delivered(cycle when, operation_id receive, operation_id send, std::span<const std::uint8_t> bytes);
    /// So many more operations have ended: told in groups, for the progress of a run.
    void ended(std::uint32_t operations) { ended_ += operations; }
    std::uint64_t operations_ended() const { return ended_; }
    /// A rank's last operation has ended.
    void finished(std::uint32_t rank, cycle when);

    /// A reliable message has been acknowledged after so many cycles, or has failed.
    void answered(cycle took, bool well) {
        longest_answer_ = std::max(longest_answer_, took);
        failed_ += well ? 0 : 1;
    }
    /// Longest time from a reliable message to its last acknowledgement.
    cycle longest_answer() const { return longest_answer_; }
    /// Reliable messages that have failed.
    std::uint64_t failed() const { return failed_; }

    /// All ranks have finished; or a reliable message has failed, so that they never will.
    bool complete() const override { return all_finished() || failed_ != 0; }
    bool all_finished() const { return finished_ == rules_.of->ranks(); }
    cycle delivered_until() const override { return until_; }
    std::string oldest_missing() const override;

    /// Of a run that is complete, with rank_rules::times; \param reports [rank]
    std::vector<path_segment> path(std::span<const rank_report> reports) const;

    /// What a run says that can go on no more; \param reports [rank]
    std::vector<std::string> stuck(std::span<const rank_report> reports) const;

private:
    rank_rules rules_;
    program_check check_;
    std::uint32_t finished_ = 0;
    cycle longest_answer_ = 0;
    std::uint64_t failed_ = 0;
    std::uint64_t ended_ = 0;
    std::vector<bool> over_;  ///< [rank]
    cycle until_ = 0;
};

}  // namespace polycast::hw::programs
