// SPDX-License-Identifier: Apache-2.0
/// \file Work in a separate process: for what can be done only once per process, and for work whose crash must not end
/// the whole program.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace polycast::tlm::sim {

/// A forked copy of this process that does one task and returns bytes. Fork from a process in which no other thread
/// holds locks. The child dies with its parent, and with this object.
class child_process {
public:
    using bytes = std::vector<std::uint8_t>;

    /// \throws hw::input_error if no process can be made
    explicit child_process(const std::function<bytes()>& work);
    ~child_process();
    child_process(const child_process&) = delete;
    child_process& operator=(const child_process&) = delete;

    /// Becomes readable when there is something to read() or the child has ended.
    int descriptor() const { return pipe_; }

    /// Reads what is available, waiting for it. \returns false when the child has sent everything.
    bool read();

    /// Reads to the end. \throws hw::input_error that the work threw; std::runtime_error for anything else that it
    /// threw, or when the child was killed
    bytes result();

private:
    pid_t process_ = -1;
    int pipe_ = -1;
    bytes received_;
};

}  // namespace polycast::tlm::sim
