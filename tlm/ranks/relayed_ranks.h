// SPDX-License-Identifier: Apache-2.0
/// \file Ranks whose work is done by a child process of each: for what can be done only once in a process.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hw/engine/ranks.h"

namespace polycast::tlm::ranks {

/// In a process that has MPI it is what it is given. A forked child must not use MPI: there it asks its parent, which
/// does what is asked and answers.
class relayed_ranks final : public hw::engine::rank_group {
public:
    explicit relayed_ranks(std::shared_ptr<hw::engine::rank_group> real) : real_(std::move(real)) {}

    unsigned rank() const override { return real_->rank(); }
    unsigned size() const override { return real_->size(); }
    std::vector<std::string> exchange(std::span<const unsigned> neighbours, std::span<const std::string> out) override;
    void least(std::span<std::uint64_t> values) override;
    std::vector<std::string> gather(const std::string& own) override;
    std::string spread(const std::string& own) override;
    void abort(int status) override;

    /// In a child, before anything else: its parent is at the other end of `socket`.
    void ask(int socket) { socket_ = socket; }
    /// In a child: the run is to end.
    bool stop_requested();
    bool asks() const { return socket_ >= 0; }
    /// In a child, at the end: nothing more is asked.
    void hang_up();
    /// In the parent: answers a child until it hangs up. `stop`: the answer to stop_requested().
    /// \returns false if it has ended without
    bool serve(int socket, const std::function<bool()>& stop);

private:
    std::string asked(const std::string& question) const;
    std::string answer(const std::string& question, const std::function<bool()>& stop);

    std::shared_ptr<hw::engine::rank_group> real_;
    int socket_ = -1;  ///< of a child
};

}  // namespace polycast::tlm::ranks
