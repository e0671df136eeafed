// SPDX-License-Identifier: Apache-2.0
/// \file polycast-sim: the simulator as one program.
#include <fmt/format.h>
#include <signal.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <exception>
#include <new>
#include <systemc>

#include "hw/input_error.h"
#include "tlm/sim/command_line.h"
#include "tlm/sim/networks/fidelity.h"
#include "tlm/sim/usage.h"

/// SystemC's entry: networks of its modules are built and run below here.
int sc_main(int count, char** arguments) {
    // A file that grows too large is an error of the write, not the end of the program.
    ::signal(SIGXFSZ, SIG_IGN);
    spdlog::set_default_logger(spdlog::stderr_color_mt("polycast-sim"));
    spdlog::set_pattern("%l: %v");
    try {
        return polycast::tlm::sim::run_command_line(count, arguments, polycast::tlm::sim::make_network_factory);
    } catch (const polycast::hw::input_error& bad) {
        fmt::print(stderr, "error: {}\n", bad.what());
        return 2;
    } catch (const std::bad_alloc&) {
        fmt::print(stderr, "error: {}\n", polycast::tlm::sim::out_of_memory());
        return 2;
    } catch (const std::exception& broken) {
        fmt::print(stderr, "error: internal: {}\n", broken.what());
        return 70;
    }
}

int main(int count, char** arguments) {
    ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
    return sc_core::sc_elab_and_sim(count, arguments);
}
