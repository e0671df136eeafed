// SPDX-License-Identifier: Apache-2.0
/// \file Fuzzes the gdb server: a session's packets, with byte 0xff between them, go to a processor with a small
/// program. A part that begins with byte 0xfe goes as it is, without frame and checksum. Whatever comes, each reply is
/// a good packet, and when gdb has gone the processor runs on.
#include <utility>  // Boost 1.74's asio uses std::exchange and does not include it

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <charconv>
#include <iterator>
#include <thread>

#include "hw/riscv/gdb_server.h"
#include "testbench/fuzz/require.h"
#include "testbench/unit/hw/riscv/machine.h"

namespace {

using namespace polycast;
using boost::asio::ip::tcp;
using testbench::fuzz::require;

/// Counts in a0, stores and loads it, makes a register access.
const hw::riscv::program& counting() {
    using namespace testbench::riscv;
    static const hw::riscv::program made = [] {
        assembler code;
        code << lui(t0, hw::riscv::data_base >> 12) << lui(t1, memory_bus::register_base >> 12) << addi(a0, a0, 1)
             << sw(a0, t0, 0) << lw(a1, t0, 0) << lw(a2, t1, 0) << jal(zero, -16);
        return hw::riscv::program(hw::riscv::parse_image("counting.elf", executable(code).bytes()));
    }();
    return made;
}

std::string framed(const std::string& packet) {
    unsigned sum = 0;
    for (const char c : packet) sum += static_cast<unsigned char>(c);
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", sum & 0xffu);
    return "$" + packet + "#" + digits;
}

/// Acknowledgements and whole packets, the last of which may be cut off: the server does not wait for a gdb that goes.
void check_replies(std::string_view text) {
    while (!text.empty()) {
        if (text[0] == '+' || text[0] == '-') {
            text.remove_prefix(1);
            continue;
        }
        const std::size_t end = text.find('#');
        if (end == std::string_view::npos || end + 3 > text.size()) return;
        const std::string packet(text.substr(1, end - 1));
        require(text.substr(0, end + 3) == framed(packet),
                "a reply is no packet: " + std::string(text.substr(0, end + 3)));
        text.remove_prefix(end + 3);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    testbench::riscv::memory_bus bus;
    hw::riscv::iss cpu(std::shared_ptr<const hw::riscv::program>(&counting(), [](const auto*) {}), bus,
                       {.debug_poll = 100});
    hw::riscv::gdb_server server(cpu, {.wait = true});

    boost::asio::io_context context;
    tcp::socket gdb(context);
    gdb.connect({boost::asio::ip::make_address("127.0.0.1"), server.port()});
    std::string session;
    for (const std::string& part : testbench::fuzz::parts_of(data, size))
        session += part.starts_with('\xfe') ? part.substr(1) : framed(part);
    // All of it waits before the processor starts, so that the same input always does the same.
    boost::asio::write(gdb, boost::asio::buffer(session));
    gdb.shutdown(tcp::socket::shutdown_send);
    std::string replies;
    std::thread reader([&] {
        boost::system::error_code end;
        boost::asio::read(gdb, boost::asio::dynamic_buffer(replies), end);
    });

    hw::ni::cycle at = 0;
    for (int turn = 0; turn < 20 || server.connected(); ++turn) {
        require(turn < 100000, "the session ends");
        const hw::ni::cycle next = cpu.run(at, turn % 8 == 7);
        require(next > at, "time goes on");
        at = next;
        bus.accesses.clear();
    }
    reader.join();
    check_replies(replies);
    return 0;
}
