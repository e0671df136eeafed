// SPDX-License-Identifier: Apache-2.0
#include "tlm/modules/ni_module.h"

#include <algorithm>
#include <array>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>

#include "hw/ni/abi/ni_registers.h"

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

/// Nothing is due up to `when` except effects of other accesses in that cycle, which wait for the step.
void ni_chip::reach(cycle when) {
    if (time_.next() > when) time_.run(when);
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
    : chip_module(name, std::move(chip), module, state, process_kind::thread),
      interrupt("interrupt", processes),
      memory_([this] { return memory.operator->(); }, [this] { memory_answered(); },
              [this](const std::string& what) { state_.fail(std::string(this->name()) + ": " + what); }),
      interrupts_changed_("interrupts_changed") {
    registers.register_b_transport(this, &ni_module::access);
    registers.register_nb_transport_fw(this, &ni_module::forward);
    registers.register_transport_dbg(this, &ni_module::debug);
    memory.register_invalidate_direct_mem_ptr(this, &ni_module::forget_direct);
    SC_METHOD(update_interrupts);
    sensitive << interrupts_changed_;
    dont_initialize();
    SC_THREAD(serve);
}

hw::ni::network_interface& ni_module::own_interface() {
    return static_cast<ni_chip&>(own_chip()).interface();
}

void ni_module::step(cycle now) {
    stepping_ = true;
    chip_module::step(now);
    stepping_ = false;
    stepped_.notify();
}

/// No step at this time is pending or unfinished: what the host does now comes after it.
bool ni_module::settled() const {
    if (stepping_) return false;
    return planned() == hw::engine::never || grid().sampling_of(planned()) > sc_core::sc_time_stamp();
}

void ni_module::settle() {
    while (!settled() && !state_.over()) {
        if (stepping_) {
            wait(stepped_);
        } else {
            wait(sc_core::SC_ZERO_TIME);
        }
    }
}

/// Runs in the initiator's process.
void ni_module::access(::tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
    if (delay != sc_core::SC_ZERO_TIME) {
        wait(delay);
        delay = sc_core::SC_ZERO_TIME;
    }
    settle();
    answer(trans);
}

::tlm::tlm_sync_enum ni_module::forward(::tlm::tlm_generic_payload& trans, ::tlm::tlm_phase& phase,
                                        sc_core::sc_time& delay) {
    if (phase == ::tlm::BEGIN_REQ) return begin(trans, delay);
    if (phase == ::tlm::END_RESP) {
        if (&trans != responded_) return violated(trans, "END_RESP of a transaction that has had no BEGIN_RESP");
        responded_ = nullptr;
        response_end_ = sc_core::sc_time_stamp() + delay;
        response_ended_.notify(delay);
        trans.release();
        return ::tlm::TLM_COMPLETED;
    }
    if (phase == ::tlm::END_REQ || phase == ::tlm::BEGIN_RESP) return violated(trans, "a phase that is the target's");
    return ::tlm::TLM_ACCEPTED;  // of an extended protocol, and ignorable
}

/// Early completion, if it is the transaction's turn and time.
::tlm::tlm_sync_enum ni_module::begin(::tlm::tlm_generic_payload& trans, const sc_core::sc_time& delay) {
    const bool free = requests_.empty() && responded_ == nullptr && response_end_ <= sc_core::sc_time_stamp();
    if (free && delay == sc_core::SC_ZERO_TIME && settled()) {
        answer(trans);
        return ::tlm::TLM_COMPLETED;
    }
    if (!trans.has_mm()) return violated(trans, "a non-blocking transaction without a memory manager");
    trans.acquire();
    requests_.push_back({&trans, sc_core::sc_time_stamp() + delay});
    asked_.notify();
    return ::tlm::TLM_ACCEPTED;
}

::tlm::tlm_sync_enum ni_module::violated(const ::tlm::tlm_generic_payload& trans, const std::string& what) {
    std::ostringstream address;
    address << std::hex << trans.get_address();
    state_.fail(std::string(name()) + ".registers: address 0x" + address.str() + ": " + what +
                " breaks the base protocol");
    return ::tlm::TLM_ACCEPTED;
}

/// Non-blocking transactions that could not be completed early, in their order.
void ni_module::serve() {
    while (true) {
        while (requests_.empty()) wait(asked_);
        const request next = requests_.front();
        if (next.at > sc_core::sc_time_stamp()) wait(next.at - sc_core::sc_time_stamp());
        settle();
        answer(*next.trans);
        respond(*next.trans);
        requests_.pop_front();
    }
}

/// One response at a time: if the previous one has not ended, END_REQ is sent separately.
void ni_module::respond(::tlm::tlm_generic_payload& trans) {
    const auto open = [this] { return responded_ != nullptr || response_end_ > sc_core::sc_time_stamp(); };
    if (open()) {
        ::tlm::tlm_phase phase = ::tlm::END_REQ;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        registers->nb_transport_bw(trans, phase, delay);
        while (open()) wait(response_ended_);
    }
    ::tlm::tlm_phase phase = ::tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    responded_ = &trans;  // END_RESP may come before the call returns
    const ::tlm::tlm_sync_enum said = registers->nb_transport_bw(trans, phase, delay);
    if (said == ::tlm::TLM_ACCEPTED || responded_ != &trans) return;
    responded_ = nullptr;
    response_end_ = sc_core::sc_time_stamp() + delay;
    trans.release();
}

void ni_module::answer(::tlm::tlm_generic_payload& trans) {
    try {
        trans.set_response_status(perform(trans));
    } catch (const std::exception& error) {
        trans.set_response_status(::tlm::TLM_GENERIC_ERROR_RESPONSE);
        state_.fail(std::string(this->name()) + ": " + error.what());
    }
}

::tlm::tlm_response_status ni_module::perform(::tlm::tlm_generic_payload& trans) {
    if (trans.get_command() == ::tlm::TLM_IGNORE_COMMAND) return ::tlm::TLM_OK_RESPONSE;
    if (!trans.is_read() && !trans.is_write()) return ::tlm::TLM_COMMAND_ERROR_RESPONSE;
    if (trans.get_byte_enable_ptr() != nullptr) return ::tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    if (trans.get_data_length() == 0 || trans.get_streaming_width() < trans.get_data_length())
        return ::tlm::TLM_BURST_ERROR_RESPONSE;
    if (trans.get_data_ptr() == nullptr) return ::tlm::TLM_GENERIC_ERROR_RESPONSE;
    if (trans.get_address() > ~std::uint32_t{0}) return ::tlm::TLM_ADDRESS_ERROR_RESPONSE;
    const auto address = static_cast<std::uint32_t>(trans.get_address());
    const cycle when = grid().cycle_at(sc_core::sc_time_stamp());
    const std::span<std::uint8_t> bytes(trans.get_data_ptr(), trans.get_data_length());
    bool there = false;
    if (trans.is_read()) {
        there = own_interface().host_read(when, address, bytes);
    } else {
        static_cast<ni_chip&>(own_chip()).reach(when);
        there = own_interface().host_write(when, address, bytes);
        wake_at(when);
        interrupts_changed_.notify(sc_core::SC_ZERO_TIME);
    }
    return there ? ::tlm::TLM_OK_RESPONSE : ::tlm::TLM_ADDRESS_ERROR_RESPONSE;
}

/// Reads only, of any bytes: a debugger must not ring doorbells. \returns how many there are.
unsigned ni_module::debug(::tlm::tlm_generic_payload& trans) {
    if (!trans.is_read() || trans.get_data_ptr() == nullptr) return 0;
    const cycle when = grid().cycle_at(sc_core::sc_time_stamp());
    unsigned done = 0;
    while (done < trans.get_data_length() && trans.get_address() + done <= ~std::uint32_t{0}) {
        const auto address = static_cast<std::uint32_t>(trans.get_address() + done);
        std::array<std::uint8_t, 4> word{};
        if (!own_interface().host_read(when, address & ~3u, word)) break;
        for (unsigned byte = address % 4; byte < word.size() && done < trans.get_data_length(); ++byte)
            trans.get_data_ptr()[done++] = word[byte];
    }
    return done;
}

/// A late transfer ends in this cycle.
void ni_module::memory_answered() {
    settle();
    if (state_.over()) return;
    const cycle when = grid().cycle_at(sc_core::sc_time_stamp());
    static_cast<ni_chip&>(own_chip()).reach(when);
    own_interface().host_answered(when);
    wake_at(when);
}

/// The only interface of its host.
bool ni_module::count(cycle, unsigned interface, unsigned counter) {
    if (interface != 0) return false;
    own_interface().count(counter);
    return true;
}

hw::ni::host_answer ni_module::dma_read(cycle, unsigned process, std::uint64_t address, std::span<std::uint8_t> bytes) {
    return memory_.transfer(::tlm::TLM_READ_COMMAND, process, address, bytes);
}

hw::ni::host_answer ni_module::dma_write(cycle, unsigned process, std::uint64_t address,
                                         std::span<const std::uint8_t> bytes) {
    // A write takes bytes, and gives none back.
    return memory_.transfer(::tlm::TLM_WRITE_COMMAND, process, address,
                            {const_cast<std::uint8_t*>(bytes.data()), bytes.size()});
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
        if (interrupt[process].size() == 0) continue;
        interrupt[process]->write((word(process, NI_HOST_PROCESS_QUEUE_INTERRUPT) & 1) != 0 &&
                                  word(process, NI_HOST_PROCESS_QUEUE_WRITTEN) !=
                                      word(process, NI_HOST_PROCESS_QUEUE_READ));
    }
}

}  // namespace polycast::tlm::modules
