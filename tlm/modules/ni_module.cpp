// SPDX-License-Identifier: Apache-2.0
#include "tlm/modules/ni_module.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

#include "firmware/include/ni_registers.h"

namespace polycast::tlm::modules {

using hw::engine::cycle;

ni_chip::ni_chip(const hw::ni::ni_params& params, hw::ni::host_side& host, hw::ni::observer* watcher,
                 const hw::ni::processor_factory& make_processor)
    : shape_(params.pin_shape()), interface_(params, time_, host, watcher, make_processor) {}

void ni_chip::reset() {
    time_.clear();
    interface_.reset(time_.now());
}

cycle ni_chip::step(cycle now, const hw::engine::pins& in, hw::engine::pins& out) {
    return interface_.step(now, in, out, 0);
}

void ni_chip::probe(hw::engine::chip_probe& probe) const {
    interface_.probe(probe);
}

// A reference to the second base may be passed on before that base is constructed; the interface keeps it for later.
ni_module::ni_module(const sc_core::sc_module_name& name, const hw::ni::ni_params& params,
                     const hw::ni::processor_factory& make_processor, hw::ni::observer* watcher,
                     const module_params& module, run_state& state)
    : ni_module(name,
                std::make_unique<ni_chip>(params, static_cast<hw::ni::host_side&>(*this), watcher, make_processor),
                params.processes, module, state) {}

ni_module::ni_module(const sc_core::sc_module_name& name, std::unique_ptr<ni_chip> chip, unsigned processes,
                     const module_params& module, run_state& state)
    : chip_module(name, std::move(chip), module, state),
      interrupt("interrupt", processes),
      interrupts_changed_("interrupts_changed") {
    registers.register_b_transport(this, &ni_module::access);
    registers.register_transport_dbg(this, &ni_module::debug);
    memory.register_invalidate_direct_mem_ptr(this, &ni_module::forget_direct);
    SC_METHOD(update_interrupts);
    sensitive << interrupts_changed_;
    dont_initialize();
}

hw::ni::network_interface& ni_module::own_interface() {
    return static_cast<ni_chip&>(own_chip()).interface();
}

/// Runs in the initiator's process.
void ni_module::access(::tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
    if (delay != sc_core::SC_ZERO_TIME) {
        sc_core::wait(delay);
        delay = sc_core::SC_ZERO_TIME;
    }
    const bool shaped = trans.get_byte_enable_ptr() == nullptr &&
                        trans.get_streaming_width() >= trans.get_data_length() && trans.get_data_length() != 0;
    if (!shaped) {
        trans.set_response_status(trans.get_byte_enable_ptr() != nullptr ? ::tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE
                                                                         : ::tlm::TLM_BURST_ERROR_RESPONSE);
        return;
    }
    if (trans.get_command() == ::tlm::TLM_IGNORE_COMMAND) {
        trans.set_response_status(::tlm::TLM_OK_RESPONSE);
        return;
    }
    try {
        trans.set_response_status(perform(trans) ? ::tlm::TLM_OK_RESPONSE : ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
        if (trans.is_write()) {
            wake_at(grid().cycle_at(sc_core::sc_time_stamp()));
            interrupts_changed_.notify(sc_core::SC_ZERO_TIME);
        }
    } catch (const std::exception& error) {
        trans.set_response_status(::tlm::TLM_GENERIC_ERROR_RESPONSE);
        state_.fail(std::string(this->name()) + ": " + error.what());
    }
}

bool ni_module::perform(::tlm::tlm_generic_payload& trans) {
    if (trans.get_address() > ~std::uint32_t{0}) return false;
    const auto address = static_cast<std::uint32_t>(trans.get_address());
    const cycle when = grid().cycle_at(sc_core::sc_time_stamp());
    const std::span<std::uint8_t> bytes(trans.get_data_ptr(), trans.get_data_length());
    if (trans.is_write()) return own_interface().host_write(when, address, bytes);
    return own_interface().host_read(when, address, bytes);
}

/// Reads only: a debugger must not ring doorbells.
unsigned ni_module::debug(::tlm::tlm_generic_payload& trans) {
    return trans.is_read() && perform(trans) ? trans.get_data_length() : 0;
}

void ni_module::forget_direct(sc_dt::uint64 first, sc_dt::uint64 last) {
    std::erase_if(granted_, [&](const auto& entry) {
        return entry.second.get_start_address() <= last && entry.second.get_end_address() >= first;
    });
}

bool ni_module::dma_read(cycle, std::uint64_t address, std::span<std::uint8_t> bytes) {
    return transfer(::tlm::TLM_READ_COMMAND, address, bytes.data(), bytes.size());
}

/// The only interface of its host that there is.
bool ni_module::count(cycle, unsigned interface, unsigned counter) {
    if (interface != 0) return false;
    own_interface().count(counter);
    return true;
}

bool ni_module::dma_write(cycle, std::uint64_t address, std::span<const std::uint8_t> bytes) {
    // The payload's pointer is not const, but a target must not write through it for a write command (IEEE 1666-2011,
    // 14.7): so no copy is made.
    return transfer(::tlm::TLM_WRITE_COMMAND, address, const_cast<std::uint8_t*>(bytes.data()), bytes.size());
}

/// The memory behind a range of addresses, if it may be used directly.
std::uint8_t* ni_module::direct(::tlm::tlm_command command, std::uint64_t address, std::size_t count) {
    const auto after = granted_.upper_bound(address);
    if (after == granted_.begin()) return nullptr;
    const ::tlm::tlm_dmi& region = std::prev(after)->second;
    const bool inside = address <= region.get_end_address() && count - 1 <= region.get_end_address() - address;
    const bool allowed = command == ::tlm::TLM_READ_COMMAND ? region.is_read_allowed() : region.is_write_allowed();
    return inside && allowed ? region.get_dmi_ptr() + (address - region.get_start_address()) : nullptr;
}

bool ni_module::transfer(::tlm::tlm_command command, std::uint64_t address, std::uint8_t* bytes, std::size_t count) {
    if (count == 0) return true;
    if (std::uint8_t* at = direct(command, address, count)) {
        if (command == ::tlm::TLM_READ_COMMAND) {
            std::memcpy(bytes, at, count);
        } else {
            std::memcpy(at, bytes, count);
        }
        ++direct_;
        return true;
    }
    ::tlm::tlm_generic_payload trans;
    trans.set_command(command);
    trans.set_address(address);
    trans.set_data_ptr(bytes);
    trans.set_data_length(static_cast<unsigned>(count));
    trans.set_streaming_width(static_cast<unsigned>(count));
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    memory->b_transport(trans, delay);
    ++transported_;
    if (!trans.is_response_ok()) return false;
    if (trans.is_dmi_allowed()) {
        ::tlm::tlm_dmi region;
        if (memory->get_direct_mem_ptr(trans, region)) granted_[region.get_start_address()] = region;
    }
    return true;
}

void ni_module::completion(cycle when, unsigned) {
    const sc_core::sc_time at = grid().start_of(when);
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    interrupts_changed_.notify(at > now ? at - now : sc_core::SC_ZERO_TIME);
}

void ni_module::update_interrupts() {
    const auto word = [&](unsigned process, std::uint32_t offset) {
        std::array<std::uint8_t, 4> bytes{};
        const std::uint32_t page = NI_HOST_PROCESS_BASE + process * NI_HOST_PROCESS_STRIDE;
        own_interface().host_read(grid().cycle_at(sc_core::sc_time_stamp()), page + offset, bytes);
        return std::uint32_t{bytes[0]} | std::uint32_t{bytes[1]} << 8 | std::uint32_t{bytes[2]} << 16 |
               std::uint32_t{bytes[3]} << 24;
    };
    for (unsigned process = 0; process < interrupt.size(); ++process) {
        if (interrupt[process].get_interface() == nullptr) continue;
        interrupt[process]->write((word(process, NI_HOST_PROCESS_QUEUE_INTERRUPT) & 1) != 0 &&
                                  word(process, NI_HOST_PROCESS_QUEUE_WRITTEN) !=
                                      word(process, NI_HOST_PROCESS_QUEUE_READ));
    }
}

}  // namespace polycast::tlm::modules
