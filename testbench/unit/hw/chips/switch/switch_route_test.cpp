// SPDX-License-Identifier: Apache-2.0
// Where SSR and path worms go, and what their copies carry: section 2 of hw/chips/switch/switch.md, with headers in
// flits of several widths and beside them. Selection, tree worms and ranges are in switch_route_choices_test.cpp.
#include "testbench/unit/hw/chips/switch/worm_bench.h"

namespace polycast::testbench::unit {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class switch_worms : public testing::TestWithParam<worm_case> {
protected:
    switch_bench bench(const switch_tables& tables = worm_tables()) const {
        return {GetParam().which, worm_params(GetParam()), tables};
    }

    /// Cycle of the last header flit of a packet that starts in cycle 1.
    cycle complete(std::size_t header_bytes) const {
        return GetParam().free ? 1 : (header_bytes + GetParam().flit_bytes - 1) / GetParam().flit_bytes;
    }

    /// Sends a worm into port 1 in cycle 1 and expects copies on exactly these ports, each all of the packet but for
    /// what is rewritten, at zero-load latency, and these errors in the cycle after the decision.
    void expect(const byte_list& header, const std::vector<seen_copy>& copies,
                const std::vector<chip_error>& errors = {}, const switch_tables& tables = worm_tables(),
                std::size_t read_bytes = 0) const {
        SCOPED_TRACE(testing::PrintToString(header));
        const cycle decided = complete(read_bytes == 0 ? header.size() : read_bytes);
        for (const unsigned payload : {0u, 11u}) {
            if (payload == 0 && GetParam().free) continue;  // a packet has at least one flit
            switch_bench switch_ = bench(tables);
            const link_packet sent = switch_.assemble(header, payload);
            switch_.send(1, 1, sent);
            switch_.run(200);
            std::vector<seen_error> expected;
            for (const chip_error error : errors) expected.push_back({decided + 1, 1, error});
            EXPECT_EQ(switch_.errors, expected);
            std::size_t flits = 0;
            for (const seen_copy& copy : copies) {
                const std::vector<seen_flit> seen = switch_.flits_of(copy.port);
                EXPECT_EQ(switch_.times_of(copy.port), in_a_row(decided + 2, sent.flits.size())) << copy.port;
                EXPECT_EQ(bytes_of(seen), bytes_of(rewritten(header, copy), sent, switch_)) << "port " << copy.port;
                flits += seen.size();
            }
            EXPECT_EQ(switch_.flits.size(), flits) << "a copy too many";
            EXPECT_EQ(switch_.credits_of(1).size(), (sent.flits.size() + 7) / 8);
            EXPECT_TRUE(switch_.chip().idle());
        }
    }

    void expect_no_route(const byte_list& header, std::size_t read_bytes = 0) const {
        expect(header, {}, {chip_error::no_route}, worm_tables(), read_bytes);
    }
};

constexpr bool up = true;
constexpr bool down = false;

TEST_P(switch_worms, ssr_goes_towards_its_stop) {
    expect(ssr_header({6, 0b11}), {{3, up}});
    expect(ssr_header({1, 0b11}), {{4, up}});
    expect(ssr_header({5, 0b11}), {{2, down}});
    expect(ssr_header({5, 0b11}, down), {{2, down}});
    expect(ssr_header({4, 0}, down), {{2, down}});   // its up ports do not count
    expect(ssr_header({9, 0xff}, up), {{2, down}});  // nor does an open one
    expect(ssr_header({260, 0xff}, up), {{4, up}});  // both bytes of a number count
}

TEST_P(switch_worms, ssr_is_copied_at_its_stop) {
    for (const bool direction : {up, down}) {
        expect(ssr_header({2, 0b001}, direction), {{0, down}});
        expect(ssr_header({2, 0b011}, direction), {{0, down}, {1, down}});
        expect(ssr_header({2, 0b111}, direction), {{0, down}, {1, down}, {2, down}});
    }
}

TEST_P(switch_worms, path_goes_towards_the_stop_that_is_next) {
    const std::vector<stop> stops{{5, 1}, {6, 2}, {1, 3}, {2, 1}};
    expect(path_header(stops, 0), {{2, down, 0}});
    expect(path_header(stops, 1), {{3, up, 1}});
    expect(path_header(stops, 2), {{4, up, 2}});
    expect(path_header(stops, 3), {{0, down, 3}});
    expect(path_header({{6, 1}}, 0), {{3, up, 0}});
}

TEST_P(switch_worms, only_the_advancing_copy_of_a_path_worm_advances) {
    expect(path_header({{2, 0b11}, {5, 1}}, 0), {{0, down, 0}, {1, down, 0}, {2, down, 1}});
    expect(path_header({{2, 0b01}, {6, 1}}, 0), {{0, down, 0}, {3, up, 1}});
    expect(path_header({{6, 1}, {2, 0b10}, {1, 1}, {5, 1}}, 1), {{1, down, 1}, {4, up, 2}});
    expect(path_header({{6, 1}, {1, 1}, {2, 0b10}, {5, 1}}, 2), {{1, down, 2}, {2, down, 3}});
    expect(path_header({{2, 0b11}, {5, 1}}, 0, down), {{0, down, 0}, {1, down, 0}, {2, down, 1}});
}

TEST_P(switch_worms, the_last_stop_has_no_advancing_copy) {
    expect(path_header({{2, 0b11}}, 0), {{0, down, 0}, {1, down, 0}});
    expect(path_header({{5, 1}, {2, 0b10}}, 1), {{1, down, 1}});
    expect(path_header({{5, 1}, {6, 1}, {1, 1}, {2, 0b01}}, 3, down), {{0, down, 3}});
}

TEST_P(switch_worms, one_copy_where_the_way_on_is_a_port_of_the_stop) {
    expect(path_header({{2, 0b101}, {5, 1}}, 0), {{0, down, 0}, {2, down, 1}});
    expect(path_header({{2, 0b100}, {5, 1}}, 0, down), {{2, down, 1}});
}

TEST_P(switch_worms, a_stop_without_ports_is_only_passed) {
    expect(path_header({{2, 0}, {6, 1}}, 0), {{3, up, 1}});
    expect_no_route(path_header({{6, 1}, {2, 0}}, 1));
    expect_no_route(ssr_header({2, 0}));
}

TEST_P(switch_worms, the_same_switch_twice_in_a_row) {
    // The table of routes holds here, too: nothing leads from a switch to itself.
    expect(path_header({{2, 0b01}, {2, 0b10}}, 0), {{0, down, 0}}, {chip_error::partial_route});
    switch_tables tables = worm_tables();
    tables.switch_up.edit()[2] = 0b1000;
    expect(path_header({{2, 0b01}, {2, 0b10}}, 0), {{0, down, 0}, {3, up, 1}}, {}, tables);
}

TEST_P(switch_worms, ports_of_a_stop_that_do_not_go_down) {
    const std::vector<chip_error> partial{chip_error::partial_route};
    for (const unsigned missing : {3u, 5u, 6u, 7u}) {  // up, open, beyond the last port
        const std::uint64_t string = 1u << missing;
        expect(ssr_header({2, string | 1}), {{0, down}}, partial);
        expect(path_header({{2, string | 2}}, 0, down), {{1, down, 0}}, partial);
        expect(path_header({{2, string}, {5, 1}}, 0), {{2, down, 1}}, partial);
        // No copy at all: one error, not two.
        expect_no_route(ssr_header({2, string}));
        expect_no_route(path_header({{2, string}}, 0));
        expect_no_route(path_header({{2, string}, {8, 1}}, 0));
        // Only at the stop itself.
        expect(ssr_header({6, string}), {{3, up}});
        expect(path_header({{6, 1}, {2, string}}, 0), {{3, up, 0}});
    }
    // The way on leads up by a port that the string names in vain.
    expect(path_header({{2, 0b1000}, {6, 1}}, 0), {{3, up, 1}}, partial);
}

TEST_P(switch_worms, no_way_on_from_a_stop) {
    for (const unsigned lost : {7u, 8u, 300u, 301u, 0xffffu}) {  // open port only, none, no such switch
        expect(path_header({{2, 0b01}, {lost, 1}}, 0), {{0, down, 0}}, {chip_error::partial_route});
        expect_no_route(path_header({{2, 0}, {lost, 1}}, 0));
    }
    // Up only, but it goes down already.
    expect(path_header({{2, 0b01}, {6, 1}}, 0, down), {{0, down, 0}}, {chip_error::partial_route});
}

TEST_P(switch_worms, no_way_to_a_stop) {
    for (const unsigned lost : {7u, 8u, 300u, 301u, 0xffffu}) {
        expect_no_route(ssr_header({lost, 0b11}));
        expect_no_route(path_header({{2, 1}, {lost, 0b11}, {5, 1}}, 1));
    }
    expect_no_route(ssr_header({6, 0b11}, down));  // up port only
    expect_no_route(ssr_header({1, 0b11}, down));  // none
}

TEST_P(switch_worms, no_such_stop_in_the_list) {
    const std::vector<stop> all(4, stop{2, 0b11});
    for (unsigned count = 0; count <= 4; ++count) {
        const std::vector<stop> stops(all.begin(), all.begin() + count);
        for (const unsigned next : {count, count + 1, 128u, 255u}) expect_no_route(path_header(stops, next));
    }
}

TEST_P(switch_worms, more_stops_than_headers_hold) {
    // Its header ends behind the two counts; where it goes is not read.
    for (const unsigned count : {5u, 6u, 128u, 255u}) {
        byte_list header = path_header(std::vector<stop>(4, stop{2, 0b11}), 0);
        header[10] = static_cast<std::uint8_t>(count);
        if (GetParam().free) {
            expect_no_route(header, 12);
        } else {
            header.resize(12);
            expect_no_route(header);
        }
    }
}

TEST_P(switch_worms, headers_cut_at_every_length) {
    if (GetParam().free) return;
    const std::vector<byte_list> headers{ssr_header({2, 1}), path_header({{2, 1}}, 0),
                                         path_header({{2, 1}, {5, 1}, {6, 1}, {1, 1}}, 0), path_header({}, 0)};
    for (const byte_list& header : headers) {
        const std::size_t whole = complete(header.size());
        for (std::size_t flits = 1; flits < whole; ++flits) {
            switch_bench switch_ = bench();
            link_packet packet = switch_.assemble(header, 0);
            packet.flits.resize(flits);
            const cycle end = switch_.send(1, 1, packet);
            switch_.send(end, 1, switch_.assemble(ssr_header({2, 1}), 2));  // nobody is confused by it
            switch_.run(200);
            EXPECT_THAT(switch_.errors, ElementsAre(seen_error{flits + 1, 1, chip_error::short_header})) << flits;
            EXPECT_EQ(switch_.flits.size(), switch_.flits_of(0).size());
            EXPECT_EQ(switch_.flits_of(0).size(), complete(13) + 2);
            EXPECT_TRUE(switch_.chip().idle());
        }
    }
}

TEST_P(switch_worms, a_packet_limit_inside_a_header) {
    if (GetParam().free) return;
    switch_tables tables = worm_tables();
    const cycle whole = complete(18);
    tables.packet_limit = static_cast<unsigned>(whole - 1);
    if (tables.packet_limit == 0) return;
    switch_bench switch_ = bench(tables);
    switch_.send(1, 1, switch_.assemble(path_header({{2, 1}, {5, 1}}, 0), 3));
    switch_.run(200);
    EXPECT_THAT(switch_.errors, ElementsAre(seen_error{whole, 1, chip_error::too_long},
                                            seen_error{whole, 1, chip_error::short_header}));
    EXPECT_THAT(switch_.flits, IsEmpty());
}

TEST_P(switch_worms, stale_bytes_of_the_packet_before_do_not_matter) {
    switch_bench switch_ = bench();
    const cycle end = switch_.send(1, 1, switch_.assemble(path_header({{2, 1}, {2, 2}, {2, 2}, {2, 2}}, 3), 1));
    switch_.send(end, 1, switch_.assemble(path_header({{6, 1}}, 0), 1));
    switch_.run(200);
    EXPECT_THAT(switch_.errors, IsEmpty());
    EXPECT_EQ(switch_.flits_of(1).size(), GetParam().free ? 1 : complete(24) + 1);
    EXPECT_EQ(switch_.flits_of(3).size(), GetParam().free ? 1 : complete(15) + 1);
    EXPECT_EQ(switch_.flits.size(), switch_.flits_of(1).size() + switch_.flits_of(3).size());
}

TEST_P(switch_worms, a_blocked_way_on_holds_back_no_copy) {
    switch_tables tables = worm_tables();
    tables.credits[2] = 0;
    switch_bench switch_ = bench(tables);
    const link_packet sent = switch_.assemble(path_header({{2, 0b01}, {5, 1}}, 0), 20);
    switch_.send(1, 1, sent);
    switch_.run(200);
    EXPECT_EQ(switch_.times_of(0), in_a_row(complete(18) + 2, sent.flits.size()));
    EXPECT_EQ(switch_.probe().inputs[1].reading, 0b100u);
    EXPECT_THAT(switch_.credits, IsEmpty());
}

TEST_P(switch_worms, routing_delay_and_crossbar_stages_add_up) {
    for (const unsigned delay : {1u, 4u, 15u}) {
        for (const unsigned stages : {0u, 3u}) {
            switch_tables tables = worm_tables();
            tables.route_delay = delay;
            switch_params params = worm_params(GetParam());
            params.xbar_stages = stages;
            switch_bench switch_(GetParam().which, params, tables);
            const link_packet sent = switch_.assemble(path_header({{2, 0b01}, {6, 1}}, 0), 5);
            switch_.send(1, 1, sent);
            switch_.run(200);
            for (const unsigned port : {0u, 3u}) {
                EXPECT_EQ(switch_.times_of(port), in_a_row(complete(18) + 2 + delay - 1 + stages, sent.flits.size()));
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(, switch_worms, testing::ValuesIn(worm_cases()), worm_case_name);

}  // namespace
}  // namespace polycast::testbench::unit
