// SPDX-License-Identifier: Apache-2.0
/// \file A processor under gdb: `target remote 127.0.0.1:PORT` of a gdb that knows RISC-V, such as gdb-multiarch.
///
/// While the processor is stopped, the whole simulation waits. Registers of the interface are not read or written by
/// gdb, because that has side effects; instruction memory is not written, because all processors share it. `kill` and
/// `detach` let the program run on; `killed()` tells them apart. Source: "Debugging with GDB", appendix "GDB Remote
/// Serial Protocol".
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "hw/riscv/gdb_link.h"
#include "hw/riscv/iss.h"

namespace polycast::hw::riscv {

struct gdb_options {
    std::string address = "127.0.0.1";
    std::uint16_t port = 0;  ///< 0 = any free one
    bool wait = false;       ///< the first instruction waits for gdb
};

class gdb_server final : public iss_debugger {
public:
    /// Listens. \throws input_error when it cannot \param cpu must outlive this, or be given up by detaching first
    gdb_server(iss& cpu, gdb_options options);
    ~gdb_server() override;
    gdb_server(const gdb_server&) = delete;
    gdb_server& operator=(const gdb_server&) = delete;

    std::uint16_t port() const { return link_.port(); }
    bool connected() const { return link_.connected(); }
    bool killed() const { return killed_; }

    void before_instruction(iss& cpu) override;
    void while_idle(iss& cpu) override;

private:
    struct watchpoint {
        std::uint32_t address = 0;
        std::uint32_t bytes = 0;
        char kind = '2';  ///< as in Z2: write, Z3: read, Z4: both

        auto operator<=>(const watchpoint&) const = default;
    };

    /// Why the processor stops, as the reply to gdb; empty if it does not stop.
    std::string reason_to_stop();
    std::string watch_hit() const;
    bool look_at_link();
    /// Serves gdb until it lets the processor continue.
    void stopped(const std::string& reply);
    void forget_session();

    /// \returns the reply; `resume_` becomes true when the processor must continue, without a reply
    std::string answer(const std::string& packet);
    std::string read_registers() const;
    std::string write_registers(const std::string& hex);
    std::string read_register(const std::string& number) const;
    std::string write_register(const std::string& assignment);
    std::string read_memory(const std::string& place) const;
    std::string write_memory(const std::string& place);
    std::string change_point(const std::string& packet);
    std::string query(const std::string& packet);
    bool go_on(const std::string& packet);

    iss* cpu_;
    gdb_options options_;
    gdb_link link_;
    std::set<std::uint32_t> breakpoints_;
    std::set<watchpoint> watchpoints_;
    bool stepping_ = false;
    bool resume_ = false;
    bool killed_ = false;
    std::uint64_t seen_steps_ = 0;  ///< iss::steps() when it was last looked at
    std::uint32_t until_poll_ = 0;  ///< steps to the next look at the connection
    std::string last_reply_;
};

}  // namespace polycast::hw::riscv
