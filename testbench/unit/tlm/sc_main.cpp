// SPDX-License-Identifier: Apache-2.0
// Entry of the SystemC tests: GoogleTest under SystemC's own main.
#include <gtest/gtest.h>

#include <cstdlib>
#include <systemc>

namespace {

// Before SystemC's main: CMake reads the list of tests.
[[maybe_unused]] const int without_banner = ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);

}  // namespace

int sc_main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
