// SPDX-License-Identifier: Apache-2.0
/// \file Hosts that know nothing but TLM-2.0, in every style that its base protocol has.
#pragma once

#define SC_INCLUDE_DYNAMIC_PROCESSES  // sc_spawn
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <string>
#include <systemc>
#include <vector>

#include "tlm/modules/ni_module.h"

namespace polycast::testbench {

using sc_core::sc_time;

/// How a host memory answers.
enum class memory_style {
    blocking,     ///< b_transport
    direct,       ///< and DMI
    withdrawing,  ///< DMI that is taken back 2 us after every grant
    phases,       ///< nb_transport only, with END_REQ and BEGIN_RESP
};
/// Where its latency goes.
enum class latency_style { annotated, waited };

struct memory_params {
    memory_style style = memory_style::blocking;
    sc_time per_byte = sc_core::SC_ZERO_TIME;  ///< latency
    latency_style latency = latency_style::annotated;
};

class own_memory final : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(own_memory);

    tlm_utils::simple_target_socket<own_memory> socket{"socket"};
    std::vector<unsigned char> bytes = std::vector<unsigned char>(0x20000);
    unsigned transports = 0;
    unsigned grants = 0;

    own_memory(const sc_core::sc_module_name& name, const memory_params& params) : sc_module(name), params_(params) {
        if (params.style == memory_style::phases) {
            socket.register_nb_transport_fw(this, &own_memory::forward);
            SC_THREAD(respond);
        } else {
            socket.register_b_transport(this, &own_memory::transport);
        }
        socket.register_get_direct_mem_ptr(this, &own_memory::grant);
        SC_METHOD(withdraw);
        sensitive << withdrawn_;
        dont_initialize();
    }

private:
    using payload = ::tlm::tlm_generic_payload;

    void withdraw() { socket->invalidate_direct_mem_ptr(0, bytes.size() - 1); }
    sc_time latency_of(const payload& trans) const {
        return params_.per_byte * static_cast<double>(trans.get_data_length());
    }
    void copy(payload& trans) {
        ++transports;
        if (trans.get_address() + trans.get_data_length() > bytes.size()) {
            trans.set_response_status(::tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        unsigned char* const at = bytes.data() + trans.get_address();
        if (trans.is_read()) {
            std::memcpy(trans.get_data_ptr(), at, trans.get_data_length());
        } else {
            std::memcpy(at, trans.get_data_ptr(), trans.get_data_length());
        }
        trans.set_dmi_allowed(params_.style == memory_style::direct || params_.style == memory_style::withdrawing);
        trans.set_response_status(::tlm::TLM_OK_RESPONSE);
    }
    void transport(payload& trans, sc_time& delay) {
        if (params_.latency == latency_style::waited) {
            wait(delay + latency_of(trans));
            delay = sc_core::SC_ZERO_TIME;
        } else {
            delay += latency_of(trans);
        }
        copy(trans);
    }
    bool grant(payload&, ::tlm::tlm_dmi& region) {
        ++grants;
        region.init();
        region.set_dmi_ptr(bytes.data());
        region.set_end_address(bytes.size() - 1);
        region.allow_read_write();
        region.set_read_latency(params_.per_byte);
        region.set_write_latency(params_.per_byte);
        if (params_.style == memory_style::withdrawing) withdrawn_.notify(sc_time(2, sc_core::SC_US));
        return params_.style == memory_style::direct || params_.style == memory_style::withdrawing;
    }
    ::tlm::tlm_sync_enum forward(payload& trans, ::tlm::tlm_phase& phase, sc_time& delay) {
        if (phase == ::tlm::BEGIN_REQ) {
            trans.acquire();
            asked_.push_back({&trans, sc_core::sc_time_stamp() + delay});
            woken_.notify();
            return ::tlm::TLM_ACCEPTED;
        }
        ended_.notify(delay);
        return ::tlm::TLM_COMPLETED;
    }
    void respond() {
        while (true) {
            while (asked_.empty()) wait(woken_);
            const auto [trans, at] = asked_.front();
            asked_.erase(asked_.begin());
            if (at > sc_core::sc_time_stamp()) wait(at - sc_core::sc_time_stamp());
            ::tlm::tlm_phase phase = ::tlm::END_REQ;
            sc_time delay = sc_core::SC_ZERO_TIME;
            socket->nb_transport_bw(*trans, phase, delay);
            if (latency_of(*trans) != sc_core::SC_ZERO_TIME) wait(latency_of(*trans));
            copy(*trans);
            phase = ::tlm::BEGIN_RESP;
            delay = sc_core::SC_ZERO_TIME;
            if (socket->nb_transport_bw(*trans, phase, delay) == ::tlm::TLM_ACCEPTED) wait(ended_);
            trans->release();
        }
    }

    memory_params params_;
    std::vector<std::pair<payload*, sc_time>> asked_;
    sc_core::sc_event woken_, ended_, withdrawn_;
};

/// How a host's processor makes its accesses.
enum class access_style {
    blocking,     ///< b_transport, in step
    decoupled,    ///< b_transport, ahead of time by up to a quantum
    early,        ///< nb_transport, delay 0
    two_phases,   ///< nb_transport ahead of time; BEGIN_RESP is answered with TLM_COMPLETED
    four_phases,  ///< the same; END_RESP comes 2 ns after BEGIN_RESP
};

struct own_payload_manager final : ::tlm::tlm_mm_interface {
    void free(::tlm::tlm_generic_payload* trans) override {
        ++freed;
        trans->reset();
    }
    unsigned freed = 0;
};

/// A processor without instructions: calls of its program, one after the other, each at its own time.
class own_processor final : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(own_processor);

    tlm_utils::simple_initiator_socket<own_processor> socket{"socket"};
    sc_core::sc_in<bool> interrupt{"interrupt"};

    /// One access: when it was over, what it was, and what it said.
    struct record {
        std::uint64_t picoseconds;
        std::uint64_t address;
        bool write;
        std::uint32_t value;
        bool operator==(const record&) const = default;
    };
    std::vector<record> trace;
    std::vector<std::string> failures;  ///< response statuses that are none of success
    std::function<void(own_processor&)> program;
    bool done = false;

    own_processor(const sc_core::sc_module_name& name, access_style style, const sc_time& quantum)
        : sc_module(name), style_(style), quantum_(quantum) {
        socket.register_nb_transport_bw(this, &own_processor::backward);
        SC_THREAD(run);
    }

    sc_time local() const { return sc_core::sc_time_stamp() + ahead_; }
    void pass(const sc_time& time) {
        ahead_ += time;
        const bool in_step = style_ == access_style::blocking || style_ == access_style::early;
        if (in_step || ahead_ > quantum_) sync();
    }
    void sync() {
        if (ahead_ == sc_core::SC_ZERO_TIME) return;
        const sc_time step = ahead_;
        ahead_ = sc_core::SC_ZERO_TIME;
        wait(step);
    }
    void wait_for_interrupt() {
        sync();
        if (!interrupt.read()) wait(interrupt.posedge_event());
    }

    void write(std::uint64_t address, std::uint32_t value) { access(::tlm::TLM_WRITE_COMMAND, address, &value, 4); }
    std::uint32_t read(std::uint64_t address) {
        std::uint32_t value = 0;
        access(::tlm::TLM_READ_COMMAND, address, &value, 4);
        return value;
    }
    void write(std::uint64_t address, std::vector<std::uint32_t> words) {
        access(::tlm::TLM_WRITE_COMMAND, address, words.data(), static_cast<unsigned>(4 * words.size()));
    }

private:
    using payload = ::tlm::tlm_generic_payload;

    void run() {
        if (program) program(*this);
        done = true;
    }

    void access(::tlm::tlm_command command, std::uint64_t address, void* data, unsigned count) {
        payload* const trans = &kept_.emplace_back(&manager_);
        trans->acquire();
        trans->set_command(command);
        trans->set_address(address);
        trans->set_data_ptr(static_cast<unsigned char*>(data));
        trans->set_data_length(count);
        trans->set_streaming_width(count);
        sc_time delay = ahead_;
        ahead_ = sc_core::SC_ZERO_TIME;
        if (style_ == access_style::blocking || style_ == access_style::decoupled) {
            socket->b_transport(*trans, delay);
            ahead_ = delay;
        } else {
            ::tlm::tlm_phase phase = ::tlm::BEGIN_REQ;
            if (socket->nb_transport_fw(*trans, phase, delay) != ::tlm::TLM_COMPLETED) wait(answered_);
            ahead_ = sc_core::SC_ZERO_TIME;
        }
        if (!trans->is_response_ok()) failures.push_back(trans->get_response_string());
        std::uint32_t value = 0;
        std::memcpy(&value, data, 4);
        trace.push_back({local().value(), address, command == ::tlm::TLM_WRITE_COMMAND, value});
        trans->release();
        pass(sc_time(3, sc_core::SC_NS));
    }

    ::tlm::tlm_sync_enum backward(payload& trans, ::tlm::tlm_phase& phase, sc_time& delay) {
        if (phase != ::tlm::BEGIN_RESP) return ::tlm::TLM_ACCEPTED;
        answered_.notify(delay);
        if (style_ != access_style::four_phases) return ::tlm::TLM_COMPLETED;
        sc_core::sc_spawn([this, &trans] {
            wait(sc_time(2, sc_core::SC_NS));
            ::tlm::tlm_phase end = ::tlm::END_RESP;
            sc_time now = sc_core::SC_ZERO_TIME;
            socket->nb_transport_fw(trans, end, now);
        });
        return ::tlm::TLM_ACCEPTED;
    }

    access_style style_;
    sc_time quantum_;
    sc_time ahead_;
    sc_core::sc_event answered_;
    own_payload_manager manager_;
    std::deque<payload> kept_;  ///< END_RESP may come late
};

}  // namespace polycast::testbench
