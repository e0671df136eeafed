// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/cpu_time.h"

#include <sys/resource.h>
#include <time.h>

#include <initializer_list>

namespace polycast::tlm::sim {

namespace {

double read_clock(clockid_t which) {
    timespec now{};
    ::clock_gettime(which, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

double thread_cpu_seconds() {
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

double process_cpu_seconds() {
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

double family_cpu_seconds() {
    double seconds = 0;
    for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
        rusage used{};
        ::getrusage(who, &used);
        for (const timeval& t : {used.ru_utime, used.ru_stime})
            seconds += static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
    }
    return seconds;
}

}  // namespace polycast::tlm::sim
