// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/key_tables.h"

namespace polycast::tlm::scenario {

namespace {

using v = value_type;
using d = dimension;
using N = ni_settings;

}  // namespace

std::vector<key> ni_keys() {
    constexpr auto ni = &settings::ni;
    const std::vector<choice> processors{{"native", "compiled for this machine, each operation takes a given time"},
                                         {"iss", "instruction-set simulator of the interface's RISC-V processor"},
                                         {"rtl", "the processor itself: Ibex, built by Verilator"}};
    return {
        {.path = "ni",
         .only = {with_interfaces},
         .doc = "Every network interface: a processor that runs the firmware, memory, DMA engines."},
        {.path = "ni.processor",
         .type = v::choice,
         .fallback = "native",
         .choices = processors,
         .doc = "How firmware is run.",
         .store = into<ni, &N::all>},
        {.path = "ni.hosts",
         .type = v::choice_map,
         .fallback = "{}",
         .choices = processors,
         .doc = "Hosts, by name, whose interface runs it differently.",
         .store = into<ni, &N::hosts>},
        {.path = "ni.firmware",
         .type = v::text,
         .fallback = "built-in",
         .words = {"built-in"},
         .file = true,
         .doc = "Folder with another firmware, as `firmware/` builds it: `libpolycast_firmware.so` for `native`, "
                "`polycast_firmware.elf` for the others; relative to the scenario, or on the command line to the "
                "current folder.",
         .store = into<ni, &N::firmware>},
        {.path = "ni.costs",
         .type = v::choice,
         .fallback = "papers",
         .choices = {{"papers", "`host.ni_send` and `host.ni_receive`, all else at once"},
                     {"measured", "what each operation takes on `iss` on average, measured before the run"}},
         .doc = "Time of the operations of `native` firmware.",
         .source = tr41,
         .store = into<ni, &N::costs>},
        {.path = "ni.wait",
         .type = v::choice,
         .fallback = "sleep",
         .choices = {{"sleep", "wfi, woken by the interrupt line"},
                     {"poll", "reads the event register without end"},
                     {"interrupt", "an interrupt handler queues events"}},
         .doc = "How firmware on `iss` and `rtl` waits for events.",
         .store = into<ni, &N::wait>},
        {.path = "ni.arbitration",
         .type = v::choice,
         .fallback = "fifo",
         .choices = {{"fifo", "in the order of requests"},
                     {"to_host", "received data first"},
                     {"from_host", "data to send first"},
                     {"round_robin", "in turn, where both wait"}},
         .doc = "Which transfer gets the I/O bus next.",
         .store = into<ni, &N::arbitration>},
        {.path = "ni.charge_completions",
         .type = v::boolean,
         .fallback = "false",
         .doc = "Whether completion entries take time on the I/O bus; the papers count data only.",
         .source = tr41,
         .store = into<ni, &N::charge_completions>},
        {.path = "ni.receive_memory",
         .type = v::number,
         .fallback = "unlimited",
         .least = "1",
         .most = "65536",
         .words = {"unlimited"},
         .doc = "Packets that the receive side of the packet memory holds; more wait in the network.",
         .source = tr41,
         .store = into<ni, &N::receive_slots>},
        {.path = "ni.send_memory",
         .type = v::number,
         .fallback = "unlimited",
         .least = "1",
         .most = "65536",
         .words = {"unlimited"},
         .doc = "Packets that the send side holds.",
         .source = tr41,
         .store = into<ni, &N::send_slots>},
        {.path = "ni.groups",
         .type = v::number,
         .fallback = "256",
         .least = "1",
         .most = "2048",
         .doc = "Entries of the table of multicast groups.",
         .store = into<ni, &N::groups>},
        {.path = "ni.watchdog",
         .type = v::number,
         .fallback = "off",
         .unit = d::cycles,
         .least = "1",
         .most = "4294967295",
         .words = {"off"},
         .doc =
             "Time after which an interface is restarted whose firmware has something to do and ends no operation, or "
             "has given up. Longer than any operation. All that was open there ends with HUNG, groups are gone. See "
             "hw/ni/ni.md.",
         .store =
             [](settings& s, const value& given) {
                 s.ni.watchdog = given.word ? 0 : narrow<std::uint32_t>(given.number.numerator());
             }},
        {.path = "ni.restart",
         .type = v::number,
         .fallback = "1000 cycle",
         .unit = d::cycles,
         .least = "1",
         .most = "4294967295",
         .doc = "Time from then until firmware starts anew.",
         .store = into<ni, &N::restart>},
        {.path = "ni.reliable",
         .optional = true,
         .doc = "Times of reliable messages (`workload[].reliable`). See firmware/README.md."},
        {.path = "ni.reliable.timeout",
         .type = v::number,
         .fallback = "auto",
         .unit = d::cycles,
         .least = "1",
         .most = "1073741824",
         .words = {"auto"},
         .doc = "Time after which the source asks those that have not acknowledged a message, for the first time; each "
                "further time takes twice as long. `auto`: 4 times the longest time that a message of this length "
                "takes from send to its last acknowledgement, measured before the run without faults: the first "
                "multicast alone, or a unicast of every host at once; of a program, of any of its messages in the "
                "program itself.",
         .store =
             [](settings& s, const value& given) {
                 s.ni.reliable.timeout.reset();
                 if (!given.word) s.ni.reliable.timeout = narrow<std::uint32_t>(given.number.numerator());
             }},
        {.path = "ni.reliable.attempts",
         .type = v::number,
         .fallback = "8",
         .least = "1",
         .most = "255",
         .doc = "How often it asks without any progress, before the message fails with UNREACHABLE.",
         .store = [](settings& s,
                     const value& given) { s.ni.reliable.attempts = narrow<std::uint32_t>(given.number.numerator()); }},
        {.path = "ni.reliable.ack_delay",
         .type = v::number,
         .fallback = "1000 cycle",
         .unit = d::cycles,
         .least = "1",
         .most = "1073741824",
         .doc = "Time for which a gap has to stay open before a receiver reports it, and for which it gathers receipts "
                "of others.",
         .store =
             [](settings& s, const value& given) {
                 s.ni.reliable.ack_delay = narrow<std::uint32_t>(given.number.numerator());
             }},
    };
}

}  // namespace polycast::tlm::scenario
