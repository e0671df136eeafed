// SPDX-License-Identifier: Apache-2.0
// Firmware that writes anything anywhere, packets made of anything, processes that ring anything: host memory outside
// the registered windows and queues stays as it is, and nothing leaves the interface's own memories.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "hw/format/header.h"
#include "testbench/unit/hw/ni/ni_bench.h"

namespace polycast::hw::ni {
namespace {

/// Host memory that knows what the interface may touch. Each process has 8 KiB: four windows with gaps between them,
/// and a completion queue behind them.
class guarded_host final : public host_side {
public:
    static constexpr unsigned processes = 3;
    static constexpr std::uint64_t base = 0x12340000;
    static constexpr std::uint32_t area = 8192;
    static constexpr std::uint32_t window_size = 600;
    static constexpr std::uint32_t queue_at = 6000;
    static constexpr std::uint32_t queue_entries = 5;

    static std::uint32_t window_at(unsigned window) { return 100 + window * 1000; }
    /// Window 0 is closed, 1 may be read, 2 written, 3 both.
    bool allowed(std::uint64_t address, std::size_t bytes, bool write) const {
        const std::uint64_t in_area = (address - base) % area;
        if (address < base || address - base >= area * processes) return false;
        if (write && bytes == completion_bytes && in_area >= queue_at && (in_area - queue_at) % completion_bytes == 0 &&
            in_area < queue_at + queue_entries * completion_bytes)
            return true;
        for (unsigned window = 1; window < 4; ++window) {
            const bool right = (window & (write ? 2u : 1u)) != 0;
            if (right && in_area >= window_at(window) && in_area + bytes <= window_at(window) + window_size)
                return true;
        }
        return false;
    }
    host_answer dma_read(cycle when, unsigned process, std::uint64_t address, std::span<std::uint8_t> bytes) override {
        EXPECT_EQ((address - base) / area, process) << "memory of another process";
        EXPECT_TRUE(allowed(address, bytes.size(), false))
            << "read of " << bytes.size() << " at " << std::hex << address;
        note(when, address, bytes.size());
        for (std::size_t byte = 0; byte < bytes.size(); ++byte) bytes[byte] = static_cast<std::uint8_t>(address + byte);
        return host_answer::done;
    }
    host_answer dma_write(cycle when, unsigned process, std::uint64_t address,
                          std::span<const std::uint8_t> bytes) override {
        EXPECT_EQ((address - base) / area, process) << "memory of another process";
        EXPECT_TRUE(allowed(address, bytes.size(), true))
            << "write of " << bytes.size() << " at " << std::hex << address;
        note(when, address, bytes.size());
        ++(bytes.size() == completion_bytes ? completions_written : writes);
        for (const std::uint8_t byte : bytes) mix(byte);
        return host_answer::done;
    }
    void completion(cycle when, unsigned process) override { note(when, process, 1); }
    void command_space(cycle when, unsigned process) override { note(when, process, 2); }
    bool count(cycle when, unsigned interface, unsigned counter) override {
        note(when, interface, counter);
        ++counts;
        return interface < 2;
    }

    void note(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
        for (const std::uint64_t value : {a, b, c}) mix(value);
    }
    void mix(std::uint64_t value) { digest = (digest ^ value) * 0x100000001b3u; }

    std::uint64_t digest = 0xcbf29ce484222325u;
    std::uint64_t writes = 0;
    std::uint64_t completions_written = 0;
    std::uint64_t counts = 0;
};

/// Makes random accesses; often enough sensible ones that something happens.
class hostile_processor final : public processor {
public:
    hostile_processor(const ni_params& params, processor_bus& bus, std::uint64_t seed)
        : params_(params), bus_(bus), random_(seed) {}

    void reset(cycle) override {}
    cycle run(cycle until, bool) override {
        now_ = until;
        for (unsigned access = pick(4); access != 0; --access) act();
        return until + 1 + pick(3) * pick(20);
    }
    processor_probe probe() const override { return {}; }

private:
    std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
    std::uint32_t any() {
        switch (pick(6)) {
            case 0: return static_cast<std::uint32_t>(random_());
            case 1: return pick(8);
            case 2: return ~pick(4);
            case 3: return NI_PACKET_MEMORY_BASE + pick(8) * slot_bytes(params_) + pick(200);
            case 4: return pick(4) << 8 | pick(5);
            default: return pick(1000);
        }
    }
    void store(std::uint32_t address, std::uint32_t value, unsigned bytes = 4) {
        static_cast<void>(bus_.store(now_, address, bytes, value));
    }
    std::uint32_t load(std::uint32_t address, unsigned bytes = 4) {
        std::uint32_t value = 0;
        static_cast<void>(bus_.load(now_, address, bytes, value));
        return value;
    }
    /// Mostly one of the many; behind them there is nothing up to the counters.
    std::uint32_t some_register() {
        return pick(20) == 0 ? NI_COUNTER + 4 * pick(NI_COUNTER_ELEMENTS + 4)
                             : NI_REGISTERS_BASE + 4 * pick((NI_COUNTER_PUSH - NI_REGISTERS_BASE) / 4 + 4);
    }
    void act() {
        const unsigned bytes = 1u << pick(3);
        switch (pick(8)) {
            case 0: store(static_cast<std::uint32_t>(random_()), any(), bytes); break;
            case 1: load(static_cast<std::uint32_t>(random_()), bytes); break;
            case 2: load(some_register()); break;
            case 3: {
                const std::uint32_t address = some_register();
                if (address != NI_PANIC) store(address, any());
                break;
            }
            case 4: transfer(); break;
            case 5: send(); break;
            case 6: handle(load(NI_EVENT)); break;
            default: {
                const std::uint32_t memory = pick(3) == 0   ? NI_COMMAND_MEMORY_BASE
                                             : pick(2) == 0 ? NI_GROUP_MEMORY_BASE
                                                            : NI_PACKET_MEMORY_BASE;
                store(memory + pick(20000), any(), bytes);
                load(memory + pick(1u << 24), bytes);
            }
        }
    }
    /// Half of the values are what a good firmware would write.
    std::uint32_t perhaps(std::uint32_t good) { return pick(2) == 0 ? good : any(); }
    void transfer() {
        store(NI_DMA_WINDOW, perhaps(pick(3) << 8 | pick(4)));
        store(NI_DMA_OFFSET, perhaps(pick(guarded_host::window_size)));
        store(NI_DMA_ADDRESS, perhaps(NI_PACKET_MEMORY_BASE + pick(6) * slot_bytes(params_) + pick(100)));
        store(NI_DMA_LENGTH, perhaps(pick(100)));
        store(NI_DMA_PUSH,
              static_cast<std::uint32_t>(random_()) & (pick(4) == 0 ? ~0u : ~NI_DMA_PUSH_RELEASE_SLOT_MASK));
        if (pick(3) == 0) store(NI_COMPLETION_PUSH, perhaps(pick(3)));
        if (pick(3) == 0) store(NI_COUNTER_PUSH, perhaps(pick(3) << NI_COUNTER_PUSH_INTERFACE_SHIFT | pick(256)));
    }
    void send() {
        const std::uint32_t slot = perhaps(pick(2) == 0 ? load(NI_SLOT_ALLOCATE) : pick(6));
        store(NI_PACKET_MEMORY_BASE + slot * slot_bytes(params_), perhaps(pick(params_.payload_bytes) << 16 | pick(5)));
        store(NI_LINK_DESTINATION, perhaps(pick(params_.hosts)));
        store(NI_LINK_ROUTE,
              perhaps(pick(2) == 0 ? NI_PACKET_MEMORY_BASE + pick(600) : NI_GROUP_MEMORY_BASE + pick(600)));
        store(NI_LINK_PUSH, slot | pick(2) << NI_LINK_PUSH_SEAL_SHIFT);
    }
    void handle(std::uint32_t event) {
        if (event >> NI_EVENT_KIND_SHIFT == NI_EVENT_COMMAND)
            store(NI_COMMAND_DONE, perhaps(event & NI_EVENT_ARGUMENT_MASK));
        if (event >> NI_EVENT_KIND_SHIFT == NI_EVENT_PACKET)
            store(NI_SLOT_RELEASE, perhaps(event & NI_EVENT_ARGUMENT_MASK));
    }

    ni_params params_;
    processor_bus& bus_;
    std::mt19937_64 random_;
    cycle now_ = 0;
};

struct storm {
    std::uint64_t seed;
    unsigned flit_bytes;
    bool header_free;
    unsigned slots;
};

class hostile_bench {
public:
    hostile_bench(const storm& given, observer* watcher)
        : params(params_of(given)),
          random(given.seed),
          in({1, params.flit_bytes, params.header_bytes}),
          out({1, params.flit_bytes, params.header_bytes}),
          interface(params, time, host, watcher, [&given](const ni_params& own, processor_bus& bus, observer*) {
              return std::make_unique<hostile_processor>(own, bus, given.seed + 1);
          }) {
        open();
    }
    static ni_params params_of(const storm& given) {
        ni_params params;
        params.host = 2;
        params.hosts = 11;
        params.flit_bytes = given.flit_bytes;
        params.header_bytes = given.header_free ? format::free_header_bytes(params.header_shape()) : 0;
        params.payload_bytes = 90;
        params.processes = guarded_host::processes;
        params.command_entries = 4;
        params.group_entries = 6;
        params.send_slots = params.receive_slots = given.slots;
        params.link_queue = 4;
        params.dma_queue = 6;
        params.credits = 12;
        params.arbitration = static_cast<bus_arbitration>(given.seed % 4);
        params.charge_completions = given.seed % 2 == 0;
        params.duplex = given.seed % 3 == 0;
        params.jobs = given.seed % 3 == 1;
        return params;
    }
    void poke(std::uint32_t address, std::uint32_t value) {
        byte_list bytes(4);
        put_bytes(bytes.data(), 4, value);
        static_cast<void>(interface.host_write(time.now(), address, bytes));
    }
    void open() {
        for (unsigned process = 0; process < guarded_host::processes; ++process) {
            const std::uint32_t at = test_chip::grant(process);
            const auto area = static_cast<std::uint32_t>(guarded_host::base + process * guarded_host::area);
            for (unsigned window = 0; window < 4; ++window) {
                const std::uint32_t own = at + NI_HOST_GRANT_WINDOW_BASE + window * NI_HOST_GRANT_WINDOW_STRIDE;
                poke(own + NI_HOST_GRANT_WINDOW_LOW, area + guarded_host::window_at(window));
                poke(own + NI_HOST_GRANT_WINDOW_BYTES, guarded_host::window_size);
                poke(own + NI_HOST_GRANT_WINDOW_ALLOW, window);
            }
            poke(at + NI_HOST_GRANT_JOB, process == 2 ? 1 : 0);
            poke(at + NI_HOST_GRANT_QUEUE_LOW, area + guarded_host::queue_at);
            poke(at + NI_HOST_GRANT_QUEUE_ENTRIES, guarded_host::queue_entries);
            poke(at + NI_HOST_GRANT_RIGHTS, NI_HOST_GRANT_RIGHTS_ENABLE_MASK);
            poke(test_chip::page(process) + NI_HOST_PROCESS_QUEUE_INTERRUPT, 1);
        }
    }
    void restart() {
        interface.reset(time.now());
        open();
    }
    /// What a process, good or bad, does to its page; one of four does not exist.
    void host_acts() {
        const std::uint32_t at = test_chip::page(pick(4));
        byte_list bytes(pick(200));
        std::ranges::generate(bytes, [this] { return static_cast<std::uint8_t>(random()); });
        switch (pick(7)) {
            case 0: poke(at, pick(40) * 4); break;
            case 1: poke(at, pick(0x20000)); break;
            case 2: static_cast<void>(interface.host_write(time.now(), at + 0x800 + pick(0x800), bytes)); break;
            case 3: static_cast<void>(interface.host_read(time.now(), pick(0x6000), bytes)); break;
            case 4: poke(at + NI_HOST_PROCESS_QUEUE_READ, peek(at + NI_HOST_PROCESS_QUEUE_WRITTEN)); break;
            case 5: poke(at + 4 * pick(NI_HOST_PROCESS_STRIDE / 4), static_cast<std::uint32_t>(random())); break;
            default: poke(at + NI_HOST_PROCESS_QUEUE_READ, pick(4) == 0 ? pick(~0u) : pick(8));
        }
    }
    std::uint32_t peek(std::uint32_t address) {
        byte_list bytes(4);
        static_cast<void>(interface.host_read(time.now(), address, bytes));
        return get_bytes(bytes.data(), 4);
    }
    std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); }

    /// A packet: right, with some bytes changed, with a part missing, too long, or no packet at all.
    void make_packet() {
        byte_list slot(slot_bytes(params));
        std::ranges::generate(slot, [this] { return static_cast<std::uint8_t>(random()); });
        const unsigned length = 1 + pick(params.payload_bytes);
        push_request request{.destination = pick(4), .hops = 3, .seal = true};
        request.job = pick(2);
        request.kind = static_cast<format::packet_kind>(pick(4));
        put_bytes(slot.data(), 4, length << 16 | static_cast<std::uint32_t>(request.kind));
        request.route.resize(route_bytes(params, request.kind, 2));
        std::ranges::generate(request.route, [this] { return static_cast<std::uint8_t>(1 + pick(3)); });
        if (request.kind == format::packet_kind::path) request.route[0] = 2;
        build_packet(params, slot, request, packet);
        sent = 0;
        std::vector<std::uint8_t>& first = params.header_bytes != 0 ? packet.header : packet.flits;
        switch (pick(6)) {
            case 0: first[pick(12)] = static_cast<std::uint8_t>(random()); break;
            case 1: packet.flits[pick(static_cast<std::uint32_t>(packet.flits.size()))] ^= 0x10; break;
            case 2: packet.flits.resize(params.flit_bytes * (1 + pick(6))); break;
            case 3: packet.flits.resize(packet.flits.size() + std::size_t{params.flit_bytes} * pick(80)); break;
            default: break;
        }
    }
    void step() {
        out.clear();
        in.clear();
        if (sent >= packet.flits.size() && pick(40) == 0) make_packet();
        if (sent < packet.flits.size() && pick(5) != 0) {
            in.valid = 1;
            in.head = (sent == 0) != (pick(300) == 0) ? 1 : 0;
            in.tail = (sent + params.flit_bytes >= packet.flits.size()) != (pick(300) == 0) ? 1 : 0;
            std::copy_n(packet.flits.begin() + static_cast<std::ptrdiff_t>(sent), params.flit_bytes, in.data.begin());
            std::ranges::copy(packet.header, in.header.begin());
            sent += params.flit_bytes;
        }
        in.credit = pick(9) == 0 ? 1 : 0;
        if (pick(50) == 0) host_acts();
        interface.receive(now, in, out, 0);
        time.run(now + 1);
        interface.transmit(now, out, 0);
        ++now;
        host.note(out.valid << 3 | out.head << 2 | out.tail << 1 | out.credit, out.valid != 0 ? out.data[0] : 0, now);
    }

    ni_params params;
    std::mt19937_64 random;
    timeline time;
    guarded_host host;
    engine::pins in;
    engine::pins out;
    network_interface interface;
    link_packet packet;
    std::size_t sent = 0;  ///< bytes of it
    cycle now = 0;
};

class hostile : public testing::TestWithParam<storm> {};

TEST_P(hostile, nothing_leaves_its_memories) {
    storm given = GetParam();
    if (given.seed == 99) given.seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(given.seed));
    RecordProperty("seed", std::to_string(given.seed));
    test_observer watcher;
    watcher.spans_wanted = given.seed % 2 == 0;
    hostile_bench bench(given, &watcher);
    hostile_bench again(given, nullptr);
    for (unsigned cycles = 0; cycles < 300000; ++cycles) {
        // Sooner or later all slots are lost for good.
        if (cycles % 5000 == 4999) {
            bench.restart();
            again.restart();
        }
        bench.step();
        again.step();
        ASSERT_FALSE(HasFailure());
        ASSERT_LE(bench.interface.slots_used(), given.slots == 0 ? ~0u : 2 * given.slots);
    }
    EXPECT_EQ(bench.host.digest, again.host.digest) << "the same seed, another run";
    // The storm was one.
    const ni_statistics counted = bench.interface.statistics();
    EXPECT_GT(counted.packets_in, 200u);
    EXPECT_GT(counted.packets_out, 20u);
    EXPECT_GT(counted.transfers_refused, 500u);
    EXPECT_GT(bench.host.writes, 50u);
    EXPECT_GT(bench.host.completions_written, 50u);
    EXPECT_GT(bench.host.counts, 50u);
    EXPECT_NE(counted.errors & NI_ERRORS_BAD_SLOT_MASK, 0u);
    EXPECT_NE(counted.errors & NI_ERRORS_BAD_PACKET_MASK, 0u);
    EXPECT_NE(counted.errors & NI_ERRORS_BAD_COMMAND_MASK, 0u);
    EXPECT_LT(bench.interface.memory_bytes(), 1u << 24);
    bench.interface.reset(bench.time.now());
    EXPECT_TRUE(bench.interface.idle());
    EXPECT_EQ(bench.interface.slots_used(), 0u);
}

INSTANTIATE_TEST_SUITE_P(storms, hostile,
                         testing::Values(storm{0, 4, false, 0}, storm{1, 4, true, 3}, storm{2, 1, false, 2},
                                         storm{3, 64, false, 6}, storm{99, 8, false, 4}, storm{99, 8, true, 0}));

}  // namespace
}  // namespace polycast::hw::ni
