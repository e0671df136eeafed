// SPDX-License-Identifier: Apache-2.0
// Entry of the SystemC tests: GoogleTest under SystemC's own main.
#include <gtest/gtest.h>

#include <systemc>

int sc_main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
