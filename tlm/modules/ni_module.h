// SPDX-License-Identifier: Apache-2.0
/// \file A network interface between link sockets and the user's own host, which attaches through plain TLM-2.0.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <deque>
#include <span>

#include "hw/ni/host_side.h"
#include "hw/ni/network_interface.h"
#include "tlm/modules/chip_module.h"
#include "tlm/modules/memory_port.h"

namespace polycast::tlm::modules {

/// The chip of an ni_module: one port, and no host inside.
class ni_chip final : public hw::engine::chip {
public:
    /// All must outlive the chip. \throws input_error as network_interface does.
    ni_chip(const hw::ni::ni_params& params, hw::ni::host_side& host, hw::ni::observer* watcher,
            const hw::ni::processor_factory& make_processor);

    const hw::engine::pin_shape& shape() const override { return shape_; }
    void reset() override;
    hw::engine::cycle step(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins& out) override;
    bool idle() const override { return interface_.idle(); }
    void probe(hw::engine::chip_probe& probe) const override;

    /// The host does something in cycle `when`; the cycles before have been stepped, or slept through.
    void reach(hw::engine::cycle when);
    hw::ni::network_interface& interface() { return interface_; }
    const hw::ni::network_interface& interface() const { return interface_; }

private:
    hw::engine::pin_shape shape_;
    hw::ni::timeline time_;
    hw::ni::network_interface interface_;
};

/// The interface's registers and doorbells are a target (`registers`, addresses of `ni_host` in hw/ni/registers.rdl);
/// its host transfers go out through an initiator (`memory`), by DMI where the target grants it. Both sockets speak the
/// base protocol, blocking and non-blocking; own_host.md says what is guaranteed. In short:
///
/// An access takes effect at sc_time_stamp() + delay, in the cycle whose sampling moment comes after it; with a delay
/// the module waits, so that an initiator that runs ahead is brought back in step. Registers answer at once: their time
/// is the host's. There is no DMI to them: the module must see reads and doorbells.
///
/// A transfer reaches `memory` when it has left the I/O bus, and keeps the bus until the memory has answered. The host
/// has no other interface: counters are its own only.
class ni_module final : public chip_module, private hw::ni::host_side {
public:
    SC_HAS_PROCESS(ni_module);

    using interrupt_port = sc_core::sc_port<sc_core::sc_signal_inout_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;

    tlm_utils::simple_target_socket<ni_module> registers{"registers"};
    tlm_utils::simple_initiator_socket<ni_module> memory{"memory"};
    /// [process]: high while QUEUE_INTERRUPT is on and entries of its completion queue are unread. May stay unbound.
    sc_core::sc_vector<interrupt_port> interrupt;

    /// `watcher` may be null; it and `state` must outlive the module. \throws input_error on bad parameters.
    ni_module(const sc_core::sc_module_name& name, const hw::ni::ni_params& params,
              const hw::ni::processor_factory& make_processor, hw::ni::observer* watcher, const module_params& module,
              run_state& state);

    const hw::ni::network_interface& interface() const { return chip_of().interface(); }
    /// Host transfers that went by DMI, and by b_transport.
    std::uint64_t direct_transfers() const { return memory_.direct_transfers(); }
    std::uint64_t transported_transfers() const { return memory_.transported_transfers(); }

private:
    /// A transaction whose time has not yet come.
    struct request {
        ::tlm::tlm_generic_payload* trans;
        sc_core::sc_time at;
    };

    ni_module(const sc_core::sc_module_name& name, std::unique_ptr<ni_chip> chip, unsigned processes,
              const module_params& module, run_state& state);

    const ni_chip& chip_of() const { return static_cast<const ni_chip&>(chip()); }
    hw::ni::network_interface& own_interface();
    void step(cycle now) override;

    // The host's accesses.
    bool settled() const;
    void settle();
    void access(::tlm::tlm_generic_payload& trans, sc_core::sc_time& delay);
    ::tlm::tlm_sync_enum forward(::tlm::tlm_generic_payload& trans, ::tlm::tlm_phase& phase, sc_core::sc_time& delay);
    ::tlm::tlm_sync_enum begin(::tlm::tlm_generic_payload& trans, const sc_core::sc_time& delay);
    ::tlm::tlm_sync_enum violated(const ::tlm::tlm_generic_payload& trans, const std::string& what);
    void serve();
    void respond(::tlm::tlm_generic_payload& trans);
    void answer(::tlm::tlm_generic_payload& trans);
    ::tlm::tlm_response_status perform(::tlm::tlm_generic_payload& trans);
    unsigned debug(::tlm::tlm_generic_payload& trans);

    // The host's memory and interrupts.
    void memory_answered();
    hw::ni::host_answer dma_read(cycle when, unsigned process, std::uint64_t address,
                                 std::span<std::uint8_t> bytes) override;
    hw::ni::host_answer dma_write(cycle when, unsigned process, std::uint64_t address,
                                  std::span<const std::uint8_t> bytes) override;
    void forget_direct(sc_dt::uint64 first, sc_dt::uint64 last) { memory_.forget(first, last); }
    void completion(cycle when, unsigned process) override;
    void command_space(cycle, unsigned) override {}
    bool count(cycle when, unsigned interface, unsigned counter) override;
    void update_interrupts();

    memory_port memory_;
    sc_core::sc_event interrupts_changed_;
    bool stepping_ = false;
    sc_core::sc_event stepped_;
    std::deque<request> requests_;                     ///< the first is being served
    ::tlm::tlm_generic_payload* responded_ = nullptr;  ///< whose END_RESP has not come
    sc_core::sc_time response_end_;                    ///< when it has
    sc_core::sc_event asked_;
    sc_core::sc_event response_ended_;
};

}  // namespace polycast::tlm::modules
