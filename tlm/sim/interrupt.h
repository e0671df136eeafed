// SPDX-License-Identifier: Apache-2.0
/// \file Ctrl-C as a flag that the program polls.
#pragma once

#include <signal.h>

#include <atomic>
#include <thread>

namespace polycast::tlm::sim {

/// While one exists, SIGINT, SIGTERM and SIGHUP do not kill the program: the first one makes requested() true. Create
/// it before other threads.
class interrupt {
public:
    interrupt();
    ~interrupt();
    interrupt(const interrupt&) = delete;
    interrupt& operator=(const interrupt&) = delete;

    bool requested() const { return requested_; }

    /// From now on there is something to clean up; until then, a signal ends the program at once with exit status 130.
    void begin_work() { working_ = true; }

private:
    void watch();

    sigset_t signals_;
    sigset_t before_;
    std::atomic<bool> requested_ = false;
    std::atomic<bool> working_ = false;
    std::atomic<bool> over_ = false;
    std::thread watcher_;
};

}  // namespace polycast::tlm::sim
