// SPDX-License-Identifier: Apache-2.0
/// \file The Verilated switch behind the C interface of switch_model.h. Compiled once per parameter set.
#include "rtl/model/switch_model.h"

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

#include "Vpolycast_switch.h"
#include "hw/format/header.h"
#include "verilated.h"
#include "verilated_fst_c.h"

static_assert(std::endian::native == std::endian::little, "pins are copied as bytes of Verilator's words");

namespace {

constexpr unsigned ports = POLYCAST_PORTS;
constexpr unsigned flit_bytes = POLYCAST_FLIT_BYTES;
constexpr unsigned header_bytes =
    POLYCAST_HEADER_FREE
        ? polycast::hw::format::free_header_bytes({POLYCAST_MAX_HOSTS, POLYCAST_HEADER_PORTS, POLYCAST_HEADER_STOPS})
        : 0;
static_assert(header_bytes == 0 || sizeof(Vpolycast_switch::flit_header_i) == (ports * header_bytes + 3) / 4 * 4,
              "the header pins are as wide as hw/format/header.h says; Verilator's words have 4 bytes");
constexpr unsigned errors_per_port = polycast::hw::format::chip_error_count;
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

struct polycast_switch_model {
    explicit polycast_switch_model(const char* name) : top{&context, name} { top.rst_ni = 0; }

    /// Both halves of a clock cycle; the rising edge comes last.
    std::uint32_t clock() {
        running = this;
        top.clk_i = 0;
        top.eval();
        dump(trace_time + cycle_time / 2);
        top.clk_i = 1;
        top.eval();
        return (top.idle_o ? POLYCAST_SWITCH_MODEL_IDLE : 0u) | (failure.empty() ? 0u : POLYCAST_SWITCH_MODEL_FAILED);
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
    }

    /// Sets the input pins. Data of ports that have fallen silent is cleared, so that waves show what the wires would.
    void drive(const polycast_switch_model_inputs& in) {
        for (std::uint64_t set = with_data & ~in.valid; set != 0; set &= set - 1) {
            std::memset(bytes_of(top.flit_data_i) + std::countr_zero(set) * flit_bytes, 0, flit_bytes);
        }
        for (std::uint64_t set = in.valid; set != 0; set &= set - 1) {
            const unsigned offset = static_cast<unsigned>(std::countr_zero(set)) * flit_bytes;
            std::memcpy(bytes_of(top.flit_data_i) + offset, in.data + offset, flit_bytes);
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
    }

    void sample(polycast_switch_model_outputs& out) const {
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
        sample_errors(out);
    }

    /// Errors are rare: their words are looked at as a whole first.
    void sample_errors(polycast_switch_model_outputs& out) const {
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
    Vpolycast_switch top;
    std::unique_ptr<VerilatedFstC> trace;
    std::uint64_t trace_time = 0;
    std::uint64_t next_dump = 0;
    std::uint64_t with_data = 0;    ///< ports whose data pins are not zero
    std::uint64_t with_header = 0;  ///< ports whose header pins are not zero
    std::string failure;

    /// The model that is evaluated by this thread: what its assertions print is told from others' by it.
    static thread_local polycast_switch_model* running;
};

thread_local polycast_switch_model* polycast_switch_model::running = nullptr;

int polycast_model_print(const char* format, ...) {
    std::array<char, 1024> text{};
    va_list arguments;
    va_start(arguments, format);
    const int length = std::vsnprintf(text.data(), text.size(), format, arguments);
    va_end(arguments);
    polycast_switch_model* model = polycast_switch_model::running;
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

polycast_switch_model* create(const char* name) {
    auto* model = new (std::nothrow) polycast_switch_model{name};
    if (model == nullptr) return nullptr;
    model->quiet();
    model->clock();
    model->top.rst_ni = 1;
    return model;
}

void destroy(polycast_switch_model* model) {
    delete model;
}

std::uint32_t reset(polycast_switch_model* model) {
    model->quiet();
    model->top.rst_ni = 0;
    const std::uint32_t status = model->clock();
    model->top.rst_ni = 1;
    return status;
}

std::uint32_t configure(polycast_switch_model* model, std::uint32_t address, std::uint32_t data) {
    model->quiet();
    model->top.cfg_valid_i = 1;
    model->top.cfg_addr_i = address;
    model->top.cfg_data_i = data;
    const std::uint32_t status = model->clock();
    model->quiet();
    return status;
}

std::uint32_t step(polycast_switch_model* model, std::uint64_t now, const polycast_switch_model_inputs* in,
                   polycast_switch_model_outputs* out) {
    model->drive(*in);
    if (model->trace) {
        // The edge that began this cycle has been evaluated at the end of the last one; its time is now, with the new
        // inputs.
        model->trace_time = now * cycle_time;
        model->top.eval();
        model->dump(model->trace_time);
    }
    const std::uint32_t status = model->clock();
    model->sample(*out);
    return status;
}

void probe(const polycast_switch_model* model, polycast_switch_model_probe* probe) {
    const Vpolycast_switch& top = model->top;
    for (unsigned port = 0; port < ports; ++port) {
        probe->occupied[port] = static_cast<std::uint16_t>(bits_of(top.probe_occupied_o, port * 16, 16));
        probe->state[port] = static_cast<std::uint8_t>(bits_of(top.probe_state_o, port * 2, 2));
        probe->waiting[port] = bits_of(top.probe_waiting_o, port * ports, ports);
        probe->reading[port] = bits_of(top.probe_reading_o, port * ports, ports);
        probe->held[port] = static_cast<std::uint8_t>(bits_of(top.probe_held_o, port, 1));
        probe->holder[port] = static_cast<std::uint8_t>(bits_of(top.probe_holder_o, port * 8, 8));
        probe->credits[port] = static_cast<std::uint16_t>(bits_of(top.probe_credits_o, port * 16, 16));
    }
}

const char* failure(const polycast_switch_model* model) {
    return model->failure.c_str();
}

int trace_open(polycast_switch_model* model, const char* path, std::uint32_t depth) {
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
}

void trace_close(polycast_switch_model* model) {
    if (model->trace) model->trace->close();
    model->trace.reset();
}

constexpr struct polycast_switch_model_interface table = {
    .version = POLYCAST_SWITCH_MODEL_VERSION,
    .header_bytes = header_bytes,
    .parameters = {.ports = ports,
                   .flit_bytes = flit_bytes,
                   .chunk_flits = POLYCAST_CHUNK_FLITS,
                   .chunks = POLYCAST_CHUNKS,
                   .max_hosts = POLYCAST_MAX_HOSTS,
                   .header_free = POLYCAST_HEADER_FREE,
                   .read_ports = POLYCAST_READ_PORTS,
                   .xbar_stages = POLYCAST_XBAR_STAGES,
                   .max_switches = POLYCAST_MAX_SWITCHES,
                   .header_ports = POLYCAST_HEADER_PORTS,
                   .header_stops = POLYCAST_HEADER_STOPS},
    .create = create,
    .destroy = destroy,
    .reset = reset,
    .configure = configure,
    .step = step,
    .probe = probe,
    .failure = failure,
    .trace_open = trace_open,
    .trace_close = trace_close,
};

}  // namespace

__attribute__((visibility("default"))) const struct polycast_switch_model_interface* polycast_switch_model_entry() {
    return &table;
}
