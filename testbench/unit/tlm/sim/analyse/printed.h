// SPDX-License-Identifier: Apache-2.0
/// \file What an analysis prints.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace polycast::tlm::sim::test {

/// The standard output of an analysis that has to end well. \throws what the analysis throws
inline std::string printed(const std::function<int()>& analysis) {
    testing::internal::CaptureStdout();
    int status = -1;
    try {
        status = analysis();
    } catch (...) {
        testing::internal::GetCapturedStdout();
        throw;
    }
    EXPECT_EQ(status, 0);
    return testing::internal::GetCapturedStdout();
}

}  // namespace polycast::tlm::sim::test
