// SPDX-License-Identifier: Apache-2.0
/// \file Debugs a program on the simulator with the real gdb, in batch mode, and looks for what gdb must say. The
/// program must run on after gdb has gone. Usage: riscv_gdb_check GDB PROGRAM SESSION
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include "hw/riscv/gdb_server.h"
#include "testbench/riscv/memory_bus.h"

namespace {

using namespace polycast;

/// In this order.
const std::vector<std::string> expected_lines{
    "start 80",
    "Breakpoint 1, add_up (from=",
    "count=count@entry=4",
    "#1 ",
    "Value returned is",
    "= 110",
    "= {11, 22, 33, 44}",
    "= 33",
    ":\t0x0000000b\t0x00000016",
    "<add_up>:",
    "= 0x40101104",
    "= 1",
    "= 0x1234",
    "Hardware watchpoint 2: total",
    "New value = 177",
    "= 177",
    "Hardware read watchpoint 3: rounds",
    "Value = ",
    "Hardware access (read/write) watchpoint 4: table[1]",
    "Value = 22",
    "Temporary breakpoint 6, add_up",
    "Program received signal SIGINT",
    "interrupted, rounds above 1000: 1",
    "received: \"\"",
    "refused: Cannot access memory at address 0xffffff0",
    "refused: Cannot access memory at address 0x40000000",
    "refused: Cannot access memory at address 0x80",
    "detached]",
};

pid_t start_gdb(const char* gdb, const char* program, const char* session, unsigned port, const std::string& log) {
    const pid_t child = fork();
    if (child != 0) return child;
    if (std::freopen("/dev/null", "r", stdin) == nullptr || std::freopen(log.c_str(), "w", stdout) == nullptr) _exit(1);
    dup2(STDOUT_FILENO, STDERR_FILENO);
    const std::string target = "target remote 127.0.0.1:" + std::to_string(port);
    execlp(gdb, gdb, "-nx", "-batch", program, "-ex", target.c_str(), "-x", session, nullptr);
    _exit(127);
}

std::string text_of(const std::string& path) {
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 4) {
        std::cerr << "usage: riscv_gdb_check GDB PROGRAM SESSION\n";
        return 2;
    }
    const auto firmware = hw::riscv::load_program(arguments[2]);
    testbench::riscv::memory_bus bus;
    hw::riscv::iss cpu(firmware, bus);
    {
        hw::riscv::gdb_server server(cpu, {.port = 0, .wait = true});
        const std::string log = std::string(arguments[2]) + ".gdb.log";
        const pid_t gdb = start_gdb(arguments[1], arguments[2], arguments[3], server.port(), log);
        bool interrupted = false;
        hw::ni::cycle at = 0;
        int status = 0;
        while (waitpid(gdb, &status, WNOHANG) == 0) {
            for (int turn = 0; turn < 2000; ++turn) at = cpu.run(at, false);
            // All stops but the last one are a few instructions apart.
            if (!interrupted && cpu.probe().instructions > 200000) {
                interrupted = true;
                kill(gdb, SIGINT);
            }
        }
        const std::string text = text_of(log);
        std::size_t position = 0;
        for (const std::string& line : expected_lines) {
            const std::size_t found = text.find(line, position);
            if (found == std::string::npos) {
                std::cout << text << "\ngdb did not say, or not in its place: " << line << "\n";
                return 1;
            }
            position = found + line.size();
        }
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            std::cout << text << "\ngdb ended with status " << status << "\n";
            return 1;
        }
        if (server.connected()) {
            std::cout << "the connection is still there\n";
            return 1;
        }
    }
    const std::uint64_t before = cpu.probe().instructions;
    cpu.run(cpu.now() + 10000, false);
    if (cpu.probe().instructions < before + 1000) {
        std::cout << "the program does not run on after detaching\n";
        return 1;
    }
    std::cout << "gdb said what it should\n";
    return 0;
}
