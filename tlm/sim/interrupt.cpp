// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/interrupt.h"

#include <unistd.h>

#include <cstdio>

#include "tlm/ranks/ranks.h"

namespace polycast::tlm::sim {

interrupt::interrupt() {
    ::sigemptyset(&signals_);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&signals_, number);
    ::pthread_sigmask(SIG_BLOCK, &signals_, &before_);
    watcher_ = std::thread([this] { watch(); });
}

interrupt::~interrupt() {
    over_ = true;
    watcher_.join();
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void interrupt::watch() {
    while (!over_) {
        const timespec period{0, 20'000'000};
        if (::sigtimedwait(&signals_, nullptr, &period) < 0) continue;
        if (!working_) {
            // A launcher that ends all ranks, because one has refused the scenario, sends signals, too.
            if (ranks::started_first()) std::fputs("interrupted\n", stderr);
            ::_exit(130);
        }
        requested_ = true;
    }
}

}  // namespace polycast::tlm::sim
