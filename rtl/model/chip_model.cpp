// SPDX-License-Identifier: Apache-2.0
/// \file A Verilated chip behind the C interface of chip_model.h. Compiled once per parameter set, and in one file for
/// that: what is compiled with a model is part of its name in the cache. What only routers have is there where their
/// pins are.
#include "rtl/model/chip_model.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "Vchip.h"
#include "Vchip___024root.h"
#include "hw/format/packet_format.h"
#include "one_eval.h"
#include "rtl/model/coverage.h"
#include "verilated.h"
#if VM_TRACE
#include "verilated_fst_c.h"
#else
/// In its place where a model has no waves of its inside.
struct VerilatedFstC {
    void dump(std::uint64_t) {}
    void close() {}
};
#endif

static_assert(std::endian::native == std::endian::little, "pins are copied as bytes of Verilator's words");

namespace {

constexpr unsigned ports = POLYCAST_PORTS;
constexpr unsigned flit_bytes = POLYCAST_FLIT_BYTES;
constexpr unsigned header_bytes = POLYCAST_HEADER_BYTES;
static_assert(header_bytes == 0 || (sizeof(Vchip::flit_header_i) >= ports * header_bytes &&
                                    sizeof(Vchip::flit_header_i) < ports * header_bytes + 4),
              "the header pins are as wide as the library says; Verilator's words have up to 4 bytes");
/// Entries of the state that shows, and virtual channels whose numbers are on the pins.
constexpr unsigned entries = POLYCAST_PROBE_ENTRIES;
constexpr unsigned side_slots = POLYCAST_SIDE_SLOTS;
constexpr unsigned side_round_bits = 2;
constexpr unsigned vc_pin_bits = 4;
constexpr bool with_vcs = entries != ports;
template <typename chip>
constexpr bool chip_has_wires() {
    return requires(chip & top) {
        top.wire_i;
    };
}
constexpr bool has_wires = chip_has_wires<Vchip>();
constexpr unsigned errors_per_port = polycast::hw::format::chip_error_count;
constexpr bool one_eval = POLYCAST_ONE_EVAL != 0;
/// Time of the trace: a cycle is a nanosecond, the unit a picosecond.
constexpr std::uint64_t cycle_time = 1000;

/// Bytes of a port of any width; Verilator's words are little-endian.
template <typename signal>
std::uint8_t* bytes_of(signal& wires) {
    return reinterpret_cast<std::uint8_t*>(&wires);
}
template <typename signal>
const std::uint8_t* bytes_of(const signal& wires) {
    return reinterpret_cast<const std::uint8_t*>(&wires);
}

/// Numbers of virtual channels of the ports in `set`, two of them in a byte of the pins.
template <typename signal>
void write_vcs(signal& wires, std::uint64_t set, const std::uint8_t* vcs) {
    std::memset(bytes_of(wires), 0, sizeof wires);
    for (; set != 0; set &= set - 1) {
        const auto port = static_cast<unsigned>(std::countr_zero(set));
        bytes_of(wires)[port / 2] |= static_cast<std::uint8_t>((vcs[port] & 0xfu) << port % 2 * vc_pin_bits);
    }
}
template <typename signal>
void read_vcs(const signal& wires, std::uint64_t set, std::uint8_t* vcs) {
    for (; set != 0; set &= set - 1) {
        const auto port = static_cast<unsigned>(std::countr_zero(set));
        vcs[port] = bytes_of(wires)[port / 2] >> port % 2 * vc_pin_bits & 0xf;
    }
}

/// The clock as the last evaluation saw it.
template <typename root>
void set_clock_low(root& inside) {
    if constexpr (one_eval) inside.__Vtrigprevexpr___TOP__clk_i__0 = 0;
}
/// Whether the next evaluation begins with the logic behind the input pins: one_eval.cmake leaves it to us.
template <typename root>
void set_inputs_changed(root& inside, bool changed) {
    if constexpr (one_eval) inside.__VicoFirstIteration = changed;
}

/// Pins that only routers, coding units and link ends have; the last look at them even if there is one virtual channel.
template <typename chip>
void drive_vcs(chip& top, const polycast_chip_model_inputs& in) {
    if constexpr ((with_vcs && requires { top.flit_vc_i; }) || requires { top.wire_i; }) {
        write_vcs(top.flit_vc_i, in.valid, in.vc);
        write_vcs(top.credit_vc_i, in.credit, in.credit_vc);
    }
}
template <typename chip>
void sample_vcs(const chip& top, polycast_chip_model_outputs& out) {
    if constexpr ((with_vcs && requires { top.flit_vc_o; }) || requires { top.wire_o; }) {
        read_vcs(top.flit_vc_o, out.valid, out.vc);
        read_vcs(top.credit_vc_o, out.credit, out.credit_vc);
    }
}

template <typename signal>
std::uint64_t bits_of(const signal& wires, unsigned first, unsigned count);

/// Pins that only coding units have, and those of broadcast routers.
template <typename chip>
void sample_events(const chip& top, polycast_chip_model_outputs& out) {
    out.event_count = 0;
    if constexpr (requires { top.event_packet_o; }) {
        using polycast::hw::format::packet_field;
        for (unsigned pin = 0; pin < ports; ++pin) {
            if ((top.event_valid_o >> pin & 1) == 0) continue;
            out.events[out.event_count++] = {
                static_cast<std::uint8_t>(pin), static_cast<std::uint8_t>(bits_of(top.event_code_o, pin * 3, 3)), 0,
                static_cast<std::uint32_t>(bits_of(top.event_packet_o, pin * packet_field.bits, packet_field.bits)), 0};
        }
    } else if constexpr (requires { top.event_valid_o; }) {
        constexpr unsigned pins = 3;
        for (unsigned pin = 0; pin < pins; ++pin) {
            if ((top.event_valid_o >> pin & 1) == 0) continue;
            out.events[out.event_count++] = {static_cast<std::uint8_t>(pin),
                                             static_cast<std::uint8_t>(bits_of(top.event_code_o, pin * 4, 4)),
                                             static_cast<std::uint16_t>(bits_of(top.event_context_o, pin * 16, 16)),
                                             static_cast<std::uint32_t>(bits_of(top.event_index_o, pin * 32, 32)),
                                             static_cast<std::uint32_t>(bits_of(top.event_source_o, pin * 24, 24))};
        }
    }
}

template <typename signal>
void write_bits(signal& wires, unsigned first, unsigned count, std::uint64_t value) {
    for (unsigned bit = 0; bit < count; ++bit) {
        const unsigned place = first + bit;
        std::uint8_t& byte = bytes_of(wires)[place / 8];
        byte = static_cast<std::uint8_t>((byte & ~(1u << place % 8)) | (value >> bit & 1) << place % 8);
    }
}

/// Side wires, that only broadcast routers have.
template <typename chip>
void drive_sides(chip& top, const polycast_chip_model_inputs& in) {
    if constexpr (requires { top.side_have_i; }) {
        for (std::uint64_t set = in.side; set != 0; set &= set - 1) {
            const auto port = static_cast<unsigned>(std::countr_zero(set));
            write_bits(top.side_have_i, port * side_slots, side_slots, in.sides[port].have);
            write_bits(top.side_round_i, port * side_round_bits, side_round_bits, in.sides[port].round);
        }
    }
}
template <typename chip>
void sample_sides(const chip& top, polycast_chip_model_outputs& out) {
    if constexpr (requires { top.side_have_o; }) out.side = {top.side_have_o, top.side_round_o};
}
template <typename chip>
void clear_sides(chip& top) {
    if constexpr (requires { top.side_have_i; }) {
        std::memset(bytes_of(top.side_have_i), 0, sizeof top.side_have_i);
        std::memset(bytes_of(top.side_round_i), 0, sizeof top.side_round_i);
    }
}

/// Pins that only VL switches have.
template <typename chip>
void sample_waits(const chip& top, polycast_chip_model_outputs& out) {
    out.wait = 0;
    if constexpr (requires { top.xmit_wait_o; }) out.wait = top.xmit_wait_o;
}

/// Pins that only link ends have.
template <typename chip>
void drive_wires(chip& top, const polycast_chip_model_inputs& in) {
    if constexpr (requires { top.wire_i; }) {
        if (in.wire != nullptr) {
            std::memcpy(bytes_of(top.wire_i), in.wire, sizeof top.wire_i);
        } else {
            std::memset(bytes_of(top.wire_i), 0, sizeof top.wire_i);
        }
        top.signal_i = in.no_signal == 0;
    }
}
template <typename chip>
void sample_wires(const chip& top, polycast_chip_model_outputs& out) {
    if constexpr (requires { top.wire_o; }) {
        std::memcpy(out.wire, bytes_of(top.wire_o), sizeof top.wire_o);
        out.tx = static_cast<std::uint8_t>(top.probe_tx_o);
        out.counted = static_cast<std::uint8_t>(top.probe_counted_o);
        out.rx = static_cast<std::uint8_t>(top.probe_rx_o);
    }
}
template <typename chip>
void probe_link(const chip& top, polycast_chip_model_link& link) {
    if constexpr (requires { top.wire_o; }) {
        link.cause = static_cast<std::uint8_t>(top.probe_cause_o);
        link.replays = static_cast<std::uint8_t>(top.probe_replays_o);
        link.waits = static_cast<std::uint8_t>(top.probe_waits_o);
        link.holds = static_cast<std::uint8_t>(top.probe_holds_o);
        link.next = top.probe_next_o;
        link.expected = top.probe_expected_o;
        link.outstanding = top.probe_outstanding_o;
        link.ring = top.probe_ring_o;
        link.timer = top.probe_timer_o;
        link.timer_on = static_cast<std::uint8_t>(top.probe_timer_on_o);
        const auto units = [](const auto& wires, unsigned vc) {
            constexpr unsigned bits = 20;
            return static_cast<std::uint32_t>(bits_of(wires, vc * bits, bits));
        };
        for (unsigned vc = 0; vc < entries; ++vc)
            link.units[vc] = {units(top.probe_s_cc_o, vc), units(top.probe_s_cf_o, vc), units(top.probe_r_cc_o, vc),
                              units(top.probe_r_cf_o, vc)};
        std::memcpy(link.counts, bytes_of(top.counts_o), sizeof link.counts);
    }
}

/// State that link ends do not have.
template <typename chip>
void probe_buffers(const chip& top, unsigned entry, polycast_chip_model_probe& probe) {
    if constexpr (requires { top.probe_occupied_o; }) {
        probe.occupied[entry] = static_cast<std::uint16_t>(bits_of(top.probe_occupied_o, entry * 16, 16));
        probe.state[entry] = static_cast<std::uint8_t>(bits_of(top.probe_state_o, entry * 2, 2));
        probe.held[entry] = static_cast<std::uint8_t>(bits_of(top.probe_held_o, entry, 1));
        probe.credits[entry] = static_cast<std::uint16_t>(bits_of(top.probe_credits_o, entry * 16, 16));
    } else {
        probe.occupied[entry] = probe.credits[entry] = 0;
        probe.state[entry] = probe.held[entry] = 0;
    }
}

/// State that coding units do not have: they lead packets nowhere.
template <typename chip>
void probe_ways(const chip& top, unsigned entry, polycast_chip_model_probe& probe) {
    if constexpr (requires { top.probe_waiting_o; }) {
        probe.waiting[entry] = bits_of(top.probe_waiting_o, entry * ports, ports);
        probe.reading[entry] = bits_of(top.probe_reading_o, entry * ports, ports);
        probe.holder[entry] = static_cast<std::uint8_t>(bits_of(top.probe_holder_o, entry * 8, 8));
    } else {
        probe.waiting[entry] = probe.reading[entry] = probe.holder[entry] = 0;
    }
}

/// `count` <= 64 bits of a port from bit `first`.
template <typename signal>
std::uint64_t bits_of(const signal& wires, unsigned first, unsigned count) {
    std::uint64_t value = 0;
    for (unsigned bit = 0; bit < count; ++bit) {
        const unsigned place = first + bit;
        value |= std::uint64_t{(bytes_of(wires)[place / 8] >> place % 8) & 1u} << bit;
    }
    return value;
}

}  // namespace

struct polycast_chip_model {
    explicit polycast_chip_model(const char* name) : top{&context, name} { top.rst_ni = 0; }

    /// Both halves of a clock cycle; the rising edge comes last. Where nothing uses the falling edge and no waves show
    /// it, the model is told that the clock was low, which saves half of all evaluations.
    std::uint32_t clock() {
        if (one_eval && !trace) {
            set_clock_low(*top.rootp);
        } else {
            top.clk_i = 0;
            eval();
            dump(trace_time + cycle_time / 2);
        }
        top.clk_i = 1;
        eval();
        return (top.idle_o ? POLYCAST_CHIP_MODEL_IDLE : 0u) | (failure.empty() ? 0u : POLYCAST_CHIP_MODEL_FAILED);
    }

    void eval() {
        running = this;
        set_inputs_changed(*top.rootp, inputs_changed || trace);
        inputs_changed = false;
        top.eval();
    }

    void set_reset(bool active) {
        top.rst_ni = !active;
        inputs_changed = true;
    }

    /// Clock cycles of resets lie between those of steps: the trace shows them a picosecond after what was there
    /// before, since a trace must never stand still.
    void dump(std::uint64_t time) {
        if (!trace) return;
        next_dump = std::max(time, next_dump);
        trace->dump(next_dump++);
    }

    void quiet() {
        drive({});
        top.cfg_valid_i = 0;
        top.cfg_addr_i = 0;
        top.cfg_data_i = 0;
        inputs_changed = true;
    }

    /// Sets the input pins. Data of ports that have fallen silent is cleared, so that waves show what the wires would.
    void drive(const polycast_chip_model_inputs& in) {
        inputs_changed = inputs_changed || in.valid != with_data || in.head != 0 || with_header != 0 ||
                         in.tail != top.flit_tail_i || in.credit != top.credit_i || in.side != 0 ||
                         (with_vcs && (in.valid | in.credit) != 0) || has_wires || in.write != nullptr ||
                         top.cfg_valid_i != 0;
        for (std::uint64_t set = with_data & ~in.valid; set != 0; set &= set - 1) {
            std::memset(bytes_of(top.flit_data_i) + std::countr_zero(set) * flit_bytes, 0, flit_bytes);
        }
        for (std::uint64_t set = in.valid; set != 0; set &= set - 1) {
            const unsigned offset = static_cast<unsigned>(std::countr_zero(set)) * flit_bytes;
            std::uint8_t* const flit = bytes_of(top.flit_data_i) + offset;
            inputs_changed = inputs_changed || std::memcmp(flit, in.data + offset, flit_bytes) != 0;
            std::memcpy(flit, in.data + offset, flit_bytes);
        }
        if constexpr (header_bytes != 0) {
            for (std::uint64_t set = with_header & ~in.head; set != 0; set &= set - 1) {
                std::memset(bytes_of(top.flit_header_i) + std::countr_zero(set) * header_bytes, 0, header_bytes);
            }
            for (std::uint64_t set = in.head; set != 0; set &= set - 1) {
                const unsigned offset = static_cast<unsigned>(std::countr_zero(set)) * header_bytes;
                std::memcpy(bytes_of(top.flit_header_i) + offset, in.header + offset, header_bytes);
            }
        }
        using mask = std::remove_reference_t<decltype(top.flit_valid_i)>;
        with_data = in.valid;
        with_header = in.head;
        top.flit_valid_i = static_cast<mask>(in.valid);
        top.flit_head_i = static_cast<mask>(in.head);
        top.flit_tail_i = static_cast<mask>(in.tail);
        top.credit_i = static_cast<mask>(in.credit);
        drive_vcs(top, in);
        drive_sides(top, in);
        drive_wires(top, in);
        top.cfg_valid_i = in.write != nullptr;
        if (in.write != nullptr) {
            top.cfg_addr_i = in.write->address;
            top.cfg_data_i = in.write->data;
        }
    }

    void sample(polycast_chip_model_outputs& out) const {
        out.valid = top.flit_valid_o;
        out.head = top.flit_head_o;
        out.tail = top.flit_tail_o;
        out.credit = top.credit_o;
        out.error = 0;
        for (std::uint64_t set = out.valid; set != 0; set &= set - 1) {
            const unsigned offset = static_cast<unsigned>(std::countr_zero(set)) * flit_bytes;
            std::memcpy(out.data + offset, bytes_of(top.flit_data_o) + offset, flit_bytes);
        }
        if constexpr (header_bytes != 0) {
            for (std::uint64_t set = out.head; set != 0; set &= set - 1) {
                const unsigned offset = static_cast<unsigned>(std::countr_zero(set)) * header_bytes;
                std::memcpy(out.header + offset, bytes_of(top.flit_header_o) + offset, header_bytes);
            }
        }
        sample_vcs(top, out);
        sample_events(top, out);
        sample_sides(top, out);
        sample_waits(top, out);
        sample_wires(top, out);
        sample_errors(out);
    }

    /// Errors are rare: their words are looked at as a whole first.
    void sample_errors(polycast_chip_model_outputs& out) const {
        bool any = false;
        for (unsigned byte = 0; byte < sizeof(top.error_o); ++byte) any = any || bytes_of(top.error_o)[byte] != 0;
        if (!any) return;
        for (unsigned port = 0; port < ports; ++port) {
            const auto errors =
                static_cast<std::uint16_t>(bits_of(top.error_o, port * errors_per_port, errors_per_port));
            if (errors == 0) continue;
            out.error |= std::uint64_t{1} << port;
            out.errors[port] = errors;
        }
    }

    VerilatedContext context;
    Vchip top;
    std::unique_ptr<VerilatedFstC> trace;
    std::uint64_t trace_time = 0;
    std::uint64_t next_dump = 0;
    bool inputs_changed = true;     ///< since the last evaluation
    std::uint64_t with_data = 0;    ///< ports whose data pins are not zero
    std::uint64_t with_header = 0;  ///< ports whose header pins are not zero
    std::string failure;

    /// The model that is evaluated by this thread: what its assertions print is told from others' by it.
    static thread_local polycast_chip_model* running;
};

thread_local polycast_chip_model* polycast_chip_model::running = nullptr;

int polycast_model_print(const char* format, ...) {
    std::array<char, 1024> text{};
    va_list arguments;
    va_start(arguments, format);
    const int length = std::vsnprintf(text.data(), text.size(), format, arguments);
    va_end(arguments);
    polycast_chip_model* model = polycast_chip_model::running;
    if (model == nullptr) return std::fputs(text.data(), stderr);
    if (model->failure.empty()) {
        model->failure = text.data();
        while (!model->failure.empty() && model->failure.back() == '\n') model->failure.pop_back();
    }
    return length;
}

// What Verilator calls when an assertion fails. The message has been printed before; nothing ends here.
void vl_stop(const char* file, int line, const char*) {
    polycast_model_print("assertion failed at %s:%d\n", file, line);
}
void vl_fatal(const char* file, int line, const char*, const char* message) {
    polycast_model_print("%s:%d: %s\n", file, line, message);
}

namespace {

polycast_chip_model* create(const char* name) {
    auto* model = new (std::nothrow) polycast_chip_model{name};
    if (model == nullptr) return nullptr;
    model->quiet();
    model->eval();  // the first evaluation takes the clock as it finds it: low
    model->clock();
    model->set_reset(false);
    return model;
}

void destroy(polycast_chip_model* model) {
    if constexpr (VM_COVERAGE != 0) polycast::rtl::add_coverage(model->top);
    delete model;
}

std::uint32_t reset(polycast_chip_model* model) {
    model->quiet();
    clear_sides(model->top);
    model->set_reset(true);
    const std::uint32_t status = model->clock();
    model->set_reset(false);
    return status;
}

std::uint32_t configure(polycast_chip_model* model, std::uint32_t address, std::uint32_t data) {
    model->quiet();
    model->top.cfg_valid_i = 1;
    model->top.cfg_addr_i = address;
    model->top.cfg_data_i = data;
    const std::uint32_t status = model->clock();
    model->quiet();
    return status;
}

std::uint32_t step(polycast_chip_model* model, std::uint64_t now, const polycast_chip_model_inputs* in,
                   polycast_chip_model_outputs* out) {
    model->drive(*in);
    if (model->trace) {
        // The edge that began this cycle has been evaluated at the end of the last one; its time is now, with the new
        // inputs.
        model->trace_time = now * cycle_time;
        model->eval();
        model->dump(model->trace_time);
    }
    const std::uint32_t status = model->clock();
    model->sample(*out);
    return status;
}

/// Of chips whose memories can have codes; those of a port are at its first virtual channel.
template <typename chip>
std::uint16_t corrections(const chip& top, unsigned entry) {
    constexpr unsigned vcs = entries / ports;
    if constexpr (requires { top.probe_corrected_o; })
        if (entry % vcs == 0) return static_cast<std::uint16_t>(bits_of(top.probe_corrected_o, entry / vcs * 16, 16));
    return 0;
}

void probe(const polycast_chip_model* model, polycast_chip_model_probe* probe) {
    const Vchip& top = model->top;
    for (unsigned entry = 0; entry < entries; ++entry) {
        probe->corrected[entry] = corrections(top, entry);
        probe_buffers(top, entry, *probe);
        probe_ways(top, entry, *probe);
    }
}

void link(const polycast_chip_model* model, polycast_chip_model_link* link) {
    *link = {};
    probe_link(model->top, *link);
}

const char* failure(const polycast_chip_model* model) {
    return model->failure.c_str();
}

int trace_open(polycast_chip_model* model, const char* path, std::uint32_t depth) {
#if VM_TRACE
    // The trace writer does not say whether it could open its file.
    std::FILE* file = std::fopen(path, "wb");
    if (file == nullptr) return 1;
    std::fclose(file);
    model->context.traceEverOn(true);
    auto trace = std::make_unique<VerilatedFstC>();
    model->top.trace(trace.get(), depth == 0 ? 99 : static_cast<int>(depth));
    trace->open(path);
    model->trace = std::move(trace);
    return 0;
#else
    static_cast<void>(model), static_cast<void>(path), static_cast<void>(depth);
    return 1;
#endif
}

void trace_close(polycast_chip_model* model) {
    if (model->trace) model->trace->close();
    model->trace.reset();
}

constexpr struct polycast_chip_model_interface table = {
    .version = POLYCAST_CHIP_MODEL_VERSION,
    .probe_entries = entries,
    .parameters = POLYCAST_PARAMETERS,
    .create = create,
    .destroy = destroy,
    .reset = reset,
    .configure = configure,
    .step = step,
    .probe = probe,
    .link = link,
    .failure = failure,
    .trace_open = trace_open,
    .trace_close = trace_close,
};

}  // namespace

__attribute__((visibility("default"))) const struct polycast_chip_model_interface* polycast_chip_model_entry() {
    return &table;
}
