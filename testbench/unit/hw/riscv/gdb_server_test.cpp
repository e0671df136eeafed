// SPDX-License-Identifier: Apache-2.0
#include "hw/riscv/gdb_server.h"

#include <gmock/gmock.h>

#include <utility>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <functional>
#include <thread>

#include "hw/input_error.h"
#include "testbench/unit/hw/riscv/machine.h"

namespace polycast::hw::riscv {
namespace {

using namespace testbench::riscv;
using boost::asio::ip::tcp;
using testing::HasSubstr;

/// gdb's side, byte by byte. Throws when the connection ends early, which fails the test.
class client {
public:
    explicit client(std::uint16_t port) : socket_(context_) {
        socket_.connect({boost::asio::ip::make_address("127.0.0.1"), port});
        socket_.set_option(tcp::no_delay(true));
    }

    void raw(const std::string& bytes) { boost::asio::write(socket_, boost::asio::buffer(bytes)); }

    std::string take(std::size_t count) {
        std::string text(count, '\0');
        for (std::size_t done = 0; done < count;)
            done += socket_.read_some(boost::asio::buffer(text.data() + done, count - done));
        return text;
    }

    void send(const std::string& packet) {
        unsigned sum = 0;
        for (const char c : packet) sum += static_cast<unsigned char>(c);
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", sum & 0xffu);
        raw("$" + packet + "#" + digits);
        if (acknowledged) {
            EXPECT_EQ(take(1), "+");
        }
    }

    std::string receive() {
        EXPECT_EQ(take(1), "$");
        std::string text;
        for (std::string c = take(1); c != "#"; c = take(1)) text += c;
        take(2);
        if (acknowledged) raw("+");
        return text;
    }

    std::string ask(const std::string& packet) {
        send(packet);
        return receive();
    }

    bool acknowledged = true;

private:
    boost::asio::io_context context_;
    tcp::socket socket_;
};

/// A loop that counts in a0 and stores it.
assembler counting() {
    assembler code;
    code << lui(t0, data_base >> 12) << addi(a0, a0, 1) << sw(a0, t0, 0) << jal(zero, -8);
    return code;
}

/// Runs the processor while `session` talks to its server, from the first instruction on.
void debug(const assembler& code, const std::function<void(client&)>& session,
           const std::function<void(gdb_server&, iss&)>& after = {}) {
    machine m(code, {.debug_poll = 100});
    gdb_server server(*m.cpu, {.wait = true});
    std::atomic<bool> done = false;
    std::string failure;
    std::thread other([&] {
        try {
            client gdb(server.port());
            session(gdb);
        } catch (const std::exception& error) {
            failure = error.what();
        }
        done = true;
    });
    cycle at = 0;
    while (!done) at = m.cpu->run(at, false);
    other.join();
    EXPECT_EQ(failure, "");
    for (int turn = 0; turn < 10000; ++turn) at = m.cpu->run(at, false);
    EXPECT_FALSE(server.connected());
    if (after) after(server, *m.cpu);
}

TEST(gdb_server, serves_registers_and_memory) {
    debug(counting(), [](client& gdb) {
        EXPECT_EQ(gdb.ask("?"), "T05");
        EXPECT_EQ(gdb.ask("vMustReplyEmpty"), "");
        EXPECT_EQ(gdb.ask("qAttached"), "1");
        EXPECT_THAT(gdb.ask("qSupported:multiprocess+"), HasSubstr("qXfer:features:read+"));
        EXPECT_THAT(gdb.ask("qXfer:features:read:target.xml:0,3ff0"), HasSubstr("<reg name=\"pc\""));
        EXPECT_EQ(gdb.ask("qXfer:features:read:target.xml:ffff,10"), "l");
        EXPECT_EQ(gdb.ask("p20"), "80000000");
        EXPECT_EQ(gdb.ask("Pa=78563412"), "OK");
        EXPECT_EQ(gdb.ask("pa"), "78563412");
        const std::string all = gdb.ask("g");
        EXPECT_EQ(all.size(), 33 * 8u);
        EXPECT_EQ(all.substr(80, 8), "78563412");
        EXPECT_EQ(gdb.ask("G" + std::string(33 * 8, '0')), "OK");
        EXPECT_EQ(gdb.ask("p20"), "00000000");
        EXPECT_EQ(gdb.ask("P20=80000000"), "OK");
        EXPECT_EQ(gdb.ask("M10000010,2:abcd"), "OK");
        EXPECT_EQ(gdb.ask("m1000000f,4"), "00abcd00");
        EXPECT_EQ(gdb.ask("m1002fffe,4"), "0000");
        EXPECT_EQ(gdb.ask("m80,4"), "b7020010");
        EXPECT_EQ(gdb.ask("M80,1:00"), "E01");
        EXPECT_EQ(gdb.ask("m40000000,4"), "E01");
        EXPECT_EQ(gdb.ask("m20000000,4"), "00000000");
        EXPECT_EQ(gdb.ask("p50"), "E01");           // there is no CSR 15
        EXPECT_EQ(gdb.ask("P381=44332211"), "OK");  // 65 + 0x340
        EXPECT_EQ(gdb.ask("p381"), "44332211");
        EXPECT_EQ(gdb.ask("D"), "OK");
    });
}

TEST(gdb_server, steps_breaks_and_watches) {
    debug(counting(), [](client& gdb) {
        EXPECT_EQ(gdb.ask("s"), "T05");
        EXPECT_EQ(gdb.ask("p20"), "84000000");
        EXPECT_EQ(gdb.ask("Z0,88,2"), "OK");
        EXPECT_EQ(gdb.ask("c"), "T05");
        EXPECT_EQ(gdb.ask("p20"), "88000000");
        EXPECT_EQ(gdb.ask("pa"), "01000000");
        EXPECT_EQ(gdb.ask("c"), "T05");
        EXPECT_EQ(gdb.ask("pa"), "02000000");
        EXPECT_EQ(gdb.ask("z0,88,2"), "OK");
        EXPECT_EQ(gdb.ask("Z3,10000000,4"), "OK");
        EXPECT_EQ(gdb.ask("Z2,10000003,1"), "OK");
        EXPECT_EQ(gdb.ask("c"), "T05watch:10000003;");
        EXPECT_EQ(gdb.ask("p20"), "8c000000");
        EXPECT_EQ(gdb.ask("z2,10000003,1"), "OK");
        EXPECT_EQ(gdb.ask("Z4,10000000,2"), "OK");
        EXPECT_EQ(gdb.ask("c"), "T05awatch:10000000;");
        EXPECT_EQ(gdb.ask("pa"), "03000000");
        EXPECT_EQ(gdb.ask("D"), "OK");
    });
}

TEST(gdb_server, tells_reads_from_writes) {
    assembler code;
    code << lui(t0, data_base >> 12) << lw(a1, t0, 0) << sw(a1, t0, 0) << jal(zero, -8);
    debug(code, [](client& gdb) {
        EXPECT_EQ(gdb.ask("Z2,10000000,4"), "OK");
        EXPECT_EQ(gdb.ask("c"), "T05watch:10000000;");
        EXPECT_EQ(gdb.ask("p20"), "8c000000");
        EXPECT_EQ(gdb.ask("z2,10000000,4"), "OK");
        EXPECT_EQ(gdb.ask("Z3,10000000,4"), "OK");
        EXPECT_EQ(gdb.ask("c"), "T05rwatch:10000000;");
        EXPECT_EQ(gdb.ask("p20"), "88000000");
        EXPECT_EQ(gdb.ask("D"), "OK");
    });
}

TEST(gdb_server, goes_on_from_where_gdb_has_put_it) {
    assembler code;  // the access of a register waits for the interface, and is looked at twice
    code << lui(t0, 0x40000) << lw(a1, t0, 0) << addi(a0, a0, 1) << jal(zero, -8);
    debug(code, [](client& gdb) {
        EXPECT_EQ(gdb.ask("Z0,84,2"), "OK");
        EXPECT_EQ(gdb.ask("c"), "T05");
        EXPECT_EQ(gdb.ask("P20=84000000"), "OK");
        EXPECT_EQ(gdb.ask("c"), "T05");
        EXPECT_EQ(gdb.ask("p20"), "84000000");
        EXPECT_EQ(gdb.ask("pa"), "01000000");
        EXPECT_EQ(gdb.ask("D"), "OK");
    });
}

TEST(gdb_server, stops_on_control_c) {
    debug(counting(), [](client& gdb) {
        EXPECT_EQ(gdb.ask("QStartNoAckMode"), "OK");
        gdb.acknowledged = false;
        gdb.send("c");
        gdb.raw("\x03");
        EXPECT_EQ(gdb.receive(), "T02");
        EXPECT_EQ(gdb.ask("D"), "OK");
    });
}

TEST(gdb_server, stops_a_processor_that_sleeps) {
    debug(assembler() << wfi() << stop_here(), [](client& gdb) {
        gdb.send("c");
        gdb.raw("\x03");
        EXPECT_EQ(gdb.receive(), "T02");
        EXPECT_EQ(gdb.ask("p20"), "84000000");
        EXPECT_EQ(gdb.ask("D"), "OK");
    });
}

TEST(gdb_server, stops_when_the_program_cannot_go_on) {
    debug(assembler() << ecall(), [](client& gdb) {
        EXPECT_EQ(gdb.ask("c"), "T0b");
        EXPECT_EQ(gdb.ask("D"), "OK");
    });
}

TEST(gdb_server, runs_on_after_a_kill) {
    debug(
        counting(), [](client& gdb) { gdb.send("k"); },
        [](gdb_server& server, iss& cpu) {
            EXPECT_TRUE(server.killed());
            EXPECT_GT(cpu.reg(a0), 100u);
        });
}

TEST(gdb_server, forgets_a_session_that_breaks_off) {
    debug(
        counting(),
        [](client& gdb) {
            EXPECT_EQ(gdb.ask("Z0,84,2"), "OK");
            gdb.send("c");
        },
        [](gdb_server& server, iss& cpu) {
            EXPECT_FALSE(server.killed());
            EXPECT_GT(cpu.reg(a0), 100u);
            // The next session finds no breakpoint.
            std::atomic<bool> done = false;
            std::thread again([&] {
                client gdb(server.port());
                EXPECT_EQ(gdb.ask("?"), "T02");
                gdb.send("c");
                gdb.raw("\x03");
                EXPECT_EQ(gdb.receive(), "T02");
                EXPECT_EQ(gdb.ask("D"), "OK");
                done = true;
            });
            for (cycle at = cpu.now(); !done;) at = cpu.run(at, false);
            again.join();
        });
}

TEST(gdb_server, survives_what_gdb_would_never_send) {
    debug(counting(), [](client& gdb) {
        gdb.raw("$g#00");  // wrong checksum
        EXPECT_EQ(gdb.take(1), "-");
        gdb.raw("noise+++");
        for (const char* packet : {"p",
                                   "pzz",
                                   "p7fffffff",
                                   "P",
                                   "P1",
                                   "P1=1",
                                   "P1=zzzzzzzz",
                                   "P7fffffff=00000000",
                                   "m",
                                   "m1",
                                   "mx,y",
                                   "M1,1",
                                   "M1,1:zz",
                                   "M10000000,2:00",
                                   "Mffffffff,ffffffff:",
                                   "Gzz000000",
                                   "cxyz",
                                   "Z0,zz,1",
                                   "Z2,1",
                                   "qXfer:features:read:target.xml:x,y",
                                   "m10000000,ffffffffff"})
            EXPECT_EQ(gdb.ask(packet), "E01") << packet;
        for (const char* packet : {"Z9,1,1", "Z", "x", "\x7f", "vCont?", "X10000000,0:", "qRcmd,00"})
            EXPECT_EQ(gdb.ask(packet), "") << packet;
        EXPECT_EQ(gdb.ask("m10000000,ffffffff").size(), 2 * 0x1000u);
        EXPECT_EQ(gdb.ask("Z2,ffffffff,ffffffff"), "OK");
        EXPECT_EQ(gdb.ask("D"), "OK");
    });
}

TEST(gdb_server, says_why_it_cannot_listen) {
    machine m(counting());
    gdb_server first(*m.cpu, {});
    EXPECT_NE(first.port(), 0);
    EXPECT_THROW(gdb_server(*m.cpu, {.port = first.port()}), input_error);
    EXPECT_THROW(gdb_server(*m.cpu, {.address = "nowhere"}), input_error);
}

}  // namespace
}  // namespace polycast::hw::riscv
