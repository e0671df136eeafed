// SPDX-License-Identifier: Apache-2.0
/// \file Several SystemC simulations in one test program.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

namespace polycast::testbench::unit {

/// Calls `body` in a process of its own, as SystemC elaborates once in each. What fails there fails here.
template <typename function>
void in_child(const function& body) {
    std::fflush(nullptr);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        body();
        std::fflush(nullptr);
        ::_exit(::testing::Test::HasFailure() ? 1 : 0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "in the child; status " << status;
}

}  // namespace polycast::testbench::unit
