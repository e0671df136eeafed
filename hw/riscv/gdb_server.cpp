// SPDX-License-Identifier: Apache-2.0
#include "hw/riscv/gdb_server.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "hw/riscv/gdb_target.h"

namespace polycast::hw::riscv {
namespace {

constexpr std::uint32_t steps_between_polls = 4096;
constexpr std::size_t most_bytes = 0x1000;  ///< of one memory access
constexpr const char* error_reply = "E01";

constexpr const char* signal_interrupt = "T02";
constexpr const char* signal_trap = "T05";
constexpr const char* signal_fault = "T0b";

void put_hex(std::string& text, std::uint8_t byte) {
    constexpr const char* digits = "0123456789abcdef";
    text += digits[byte >> 4];
    text += digits[byte & 15u];
}

/// A register as the protocol has it: bytes in the target's order.
std::string hex_of(std::uint32_t value) {
    std::string text;
    for (unsigned shift = 0; shift < 32; shift += 8) put_hex(text, static_cast<std::uint8_t>(value >> shift));
    return text;
}

std::optional<std::uint32_t> number_in(std::string_view text) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<std::uint32_t> register_in(std::string_view hex) {
    if (hex.size() != 8) return std::nullopt;
    const std::optional<std::uint32_t> value = number_in(hex);
    if (!value) return std::nullopt;
    return (*value & 0xffu) << 24 | (*value & 0xff00u) << 8 | (*value >> 8 & 0xff00u) | *value >> 24;
}

/// "address,length", as in most packets.
struct address_and_length {
    std::uint32_t address = 0;
    std::uint32_t length = 0;
};

std::optional<address_and_length> place_in(std::string_view text) {
    const std::size_t comma = text.find(',');
    if (comma == std::string_view::npos) return std::nullopt;
    const auto address = number_in(text.substr(0, comma));
    const auto length = number_in(text.substr(comma + 1));
    if (!address || !length) return std::nullopt;
    return address_and_length{*address, *length};
}

bool starts_with(const std::string& text, const char* prefix) {
    return text.rfind(prefix, 0) == 0;
}

}  // namespace

gdb_server::gdb_server(iss& cpu, gdb_options options)
    : cpu_(&cpu), options_(std::move(options)), link_(options_.address, options_.port), seen_steps_(cpu.steps()) {
    cpu.attach(this);
}

gdb_server::~gdb_server() {
    cpu_->attach(static_cast<iss_debugger*>(nullptr));
}

void gdb_server::before_instruction(iss& cpu) {
    if (options_.wait) {
        options_.wait = false;
        while (!link_.accept(true)) continue;
        stopped(signal_trap);
        return;
    }
    const bool moved = cpu.steps() != seen_steps_;
    seen_steps_ = cpu.steps();
    if (link_.connected() && moved) {
        const std::string reason = reason_to_stop();
        if (!reason.empty()) {
            stopped(reason);
            return;
        }
    }
    if (until_poll_-- == 0) {
        until_poll_ = steps_between_polls;
        if (look_at_link()) stopped(signal_interrupt);
    }
}

void gdb_server::while_idle(iss& cpu) {
    const bool moved = cpu.steps() != seen_steps_;
    seen_steps_ = cpu.steps();
    if (look_at_link()) {
        stopped(signal_interrupt);
    } else if (link_.connected() && moved && cpu.probe().halted) {
        stopped(signal_fault);
    } else if (link_.connected() && moved && stepping_) {
        stopped(signal_trap);
    }
}

/// \returns whether gdb wants the processor to stop: it has connected, or sent Ctrl-C.
bool gdb_server::look_at_link() {
    if (!link_.connected()) return link_.accept(false);
    const bool wanted = link_.pending();
    if (!link_.connected()) forget_session();
    return wanted;
}

std::string gdb_server::reason_to_stop() {
    const std::string watched = watch_hit();
    if (!watched.empty()) return watched;
    if (stepping_ || breakpoints_.contains(cpu_->pc())) return signal_trap;
    return {};
}

std::string gdb_server::watch_hit() const {
    const data_access& access = cpu_->last_access();
    if (access.bytes == 0) return {};
    for (const watchpoint& w : watchpoints_) {
        if (w.kind == '2' && !access.store) continue;
        if (w.kind == '3' && access.store) continue;
        // Distances, so that neither end of the address space matters.
        if (access.address - w.address >= w.bytes && w.address - access.address >= access.bytes) continue;
        const char* name = w.kind == '2' ? "watch:" : w.kind == '3' ? "rwatch:" : "awatch:";
        char address[12];
        const auto end = std::to_chars(address, address + sizeof address, w.address, 16).ptr;
        return std::string(signal_trap) + name + std::string(address, end) + ";";
    }
    return {};
}

void gdb_server::stopped(const std::string& reply) {
    last_reply_ = reply;
    stepping_ = false;
    // After connecting gdb asks by itself.
    if (resume_) link_.send(reply);
    resume_ = false;
    while (!resume_) {
        const std::optional<std::string> packet = link_.receive();
        if (!packet) {
            forget_session();
            break;
        }
        if (*packet == "\x03") continue;
        const std::string answered = answer(*packet);
        if (!link_.connected()) {
            forget_session();
            break;
        }
        if (!resume_) link_.send(answered);
    }
    // What gdb has changed is not progress.
    seen_steps_ = cpu_->steps();
    until_poll_ = steps_between_polls;
}

void gdb_server::forget_session() {
    breakpoints_.clear();
    watchpoints_.clear();
    stepping_ = false;
    resume_ = false;
    link_.close();
}

std::string gdb_server::answer(const std::string& packet) {
    if (packet.empty()) return {};
    const std::string rest = packet.substr(1);
    switch (packet[0]) {
        case '?': return last_reply_;
        case 'g': return read_registers();
        case 'G': return write_registers(rest);
        case 'p': return read_register(rest);
        case 'P': return write_register(rest);
        case 'm': return read_memory(rest);
        case 'M': return write_memory(rest);
        case 'c':
        case 's': return go_on(packet) ? "" : error_reply;
        case 'Z':
        case 'z': return change_point(packet);
        case 'H':
        case 'T': return "OK";
        case 'D':
            link_.send("OK");
            link_.close();
            return {};
        case 'k':
            killed_ = true;
            link_.close();
            return {};
        case 'v':
            if (!starts_with(packet, "vKill")) return {};
            killed_ = true;
            link_.send("OK");
            link_.close();
            return {};
        case 'q':
        case 'Q': return query(packet);
        default: return {};
    }
}

std::string gdb_server::query(const std::string& packet) {
    if (starts_with(packet, "qSupported")) return "PacketSize=4000;QStartNoAckMode+;qXfer:features:read+";
    if (packet == "QStartNoAckMode") {
        link_.stop_acknowledging();
        return "OK";
    }
    if (packet == "qAttached") return "1";
    const std::string features = "qXfer:features:read:target.xml:";
    if (starts_with(packet, features.c_str())) {
        const auto place = place_in(std::string_view(packet).substr(features.size()));
        if (!place) return error_reply;
        const std::string text = gdb_target_description();
        if (place->address >= text.size()) return "l";
        const std::string part = text.substr(place->address, place->length);
        return (place->address + part.size() < text.size() ? "m" : "l") + part;
    }
    return {};
}

std::string gdb_server::read_registers() const {
    std::string text;
    for (unsigned r = 0; r < 32; ++r) text += hex_of(cpu_->reg(r));
    return text + hex_of(cpu_->pc());
}

std::string gdb_server::write_registers(const std::string& hex) {
    std::vector<std::uint32_t> values;
    for (std::size_t at = 0; at + 8 <= hex.size() && values.size() <= gdb_pc; at += 8) {
        const auto value = register_in(std::string_view(hex).substr(at, 8));
        if (!value) return error_reply;
        values.push_back(*value);
    }
    for (unsigned r = 0; r < values.size() && r < gdb_pc; ++r) cpu_->set_reg(r, values[r]);
    if (values.size() > gdb_pc && values[gdb_pc] != cpu_->pc()) cpu_->set_pc(values[gdb_pc]);
    return "OK";
}

std::string gdb_server::read_register(const std::string& number) const {
    const auto which = number_in(number);
    if (!which) return error_reply;
    if (*which < gdb_pc) return hex_of(cpu_->reg(*which));
    if (*which == gdb_pc) return hex_of(cpu_->pc());
    if (*which < gdb_first_csr) return error_reply;
    const std::optional<std::uint32_t> value = cpu_->read_csr(*which - gdb_first_csr);
    return value ? hex_of(*value) : error_reply;
}

std::string gdb_server::write_register(const std::string& assignment) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos) return error_reply;
    const auto which = number_in(std::string_view(assignment).substr(0, equals));
    const auto value = register_in(std::string_view(assignment).substr(equals + 1));
    if (!which || !value) return error_reply;
    if (*which < gdb_pc) {
        cpu_->set_reg(*which, *value);
    } else if (*which == gdb_pc) {
        cpu_->set_pc(*value);
    } else {
        if (*which < gdb_first_csr || !cpu_->read_csr(*which - gdb_first_csr)) return error_reply;
        cpu_->write_csr(*which - gdb_first_csr, *value);
    }
    return "OK";
}

std::string gdb_server::read_memory(const std::string& place) const {
    const auto where = place_in(place);
    if (!where) return error_reply;
    std::string text;
    for (std::uint32_t i = 0; i < std::min<std::size_t>(where->length, most_bytes); ++i) {
        const std::optional<std::uint8_t> byte = cpu_->peek(where->address + i);
        if (!byte) break;
        put_hex(text, *byte);
    }
    return text.empty() && where->length != 0 ? error_reply : text;
}

std::string gdb_server::write_memory(const std::string& place) {
    const std::size_t colon = place.find(':');
    if (colon == std::string::npos) return error_reply;
    const auto where = place_in(std::string_view(place).substr(0, colon));
    const std::string_view hex = std::string_view(place).substr(colon + 1);
    if (!where || where->length > most_bytes || hex.size() != 2 * std::size_t{where->length}) return error_reply;
    for (std::uint32_t i = 0; i < where->length; ++i) {
        const auto byte = number_in(hex.substr(2 * std::size_t{i}, 2));
        if (!byte || !cpu_->poke(where->address + i, static_cast<std::uint8_t>(*byte))) return error_reply;
    }
    return "OK";
}

std::string gdb_server::change_point(const std::string& packet) {
    if (packet.size() < 4 || packet[2] != ',' || packet[1] < '0' || packet[1] > '4') return {};
    std::string_view rest = std::string_view(packet).substr(3);
    rest = rest.substr(0, rest.find(';'));
    const auto place = place_in(rest);
    if (!place) return error_reply;
    const bool insert = packet[0] == 'Z';
    if (packet[1] <= '1') {
        if (insert) {
            breakpoints_.insert(place->address);
        } else {
            breakpoints_.erase(place->address);
        }
        return "OK";
    }
    const watchpoint point{place->address, std::max(place->length, 1u), packet[1]};
    if (insert) {
        watchpoints_.insert(point);
    } else {
        watchpoints_.erase(point);
    }
    return "OK";
}

bool gdb_server::go_on(const std::string& packet) {
    if (packet.size() > 1) {
        const auto address = number_in(std::string_view(packet).substr(1));
        if (!address) return false;
        cpu_->set_pc(*address);
    }
    stepping_ = packet[0] == 's';
    resume_ = true;
    return true;
}

}  // namespace polycast::hw::riscv
