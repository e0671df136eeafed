// SPDX-License-Identifier: Apache-2.0
/// \file A network interface between link sockets and a host of the user's own, which it meets by plain TLM-2.0.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <map>
#include <span>

#include "hw/ni/host_side.h"
#include "hw/ni/network_interface.h"
#include "tlm/modules/chip_module.h"

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

    hw::ni::network_interface& interface() { return interface_; }
    const hw::ni::network_interface& interface() const { return interface_; }

private:
    hw::engine::pin_shape shape_;
    hw::ni::timeline time_;
    hw::ni::network_interface interface_;
};

/// The interface's registers and doorbells are a target (`registers`, addresses of `ni_host` in hw/ni/registers.rdl);
/// its host transfers go out through an initiator (`memory`), by DMI where the target grants it. Both sockets speak the
/// base protocol.
///
/// Times: an access is made in the clock cycle of sc_time_stamp() + delay; with a delay the module waits, so that an
/// initiator that runs ahead is brought back in step. Registers answer at once and add no delay: their time is the
/// host's. A transfer reaches `memory` when it has left the I/O bus; the delay that its target adds is ignored, because
/// the bus is modelled here; it must not wait. The host has no other interface: counters are its own only.
class ni_module final : public chip_module, private hw::ni::host_side {
public:
    SC_HAS_PROCESS(ni_module);

    tlm_utils::simple_target_socket<ni_module> registers{"registers"};
    tlm_utils::simple_initiator_socket<ni_module> memory{"memory"};
    /// [process]: high while QUEUE_INTERRUPT is on and entries of its completion queue are unread.
    sc_core::sc_vector<sc_core::sc_out<bool>> interrupt;

    /// `watcher` may be null; it and `state` must outlive the module. \throws input_error on bad parameters.
    ni_module(const sc_core::sc_module_name& name, const hw::ni::ni_params& params,
              const hw::ni::processor_factory& make_processor, hw::ni::observer* watcher, const module_params& module,
              run_state& state);

    const hw::ni::network_interface& interface() const { return chip_of().interface(); }
    /// Host transfers that went by DMI, and by b_transport.
    std::uint64_t direct_transfers() const { return direct_; }
    std::uint64_t transported_transfers() const { return transported_; }

private:
    ni_module(const sc_core::sc_module_name& name, std::unique_ptr<ni_chip> chip, unsigned processes,
              const module_params& module, run_state& state);

    const ni_chip& chip_of() const { return static_cast<const ni_chip&>(chip()); }
    hw::ni::network_interface& own_interface();

    void access(::tlm::tlm_generic_payload& trans, sc_core::sc_time& delay);
    unsigned debug(::tlm::tlm_generic_payload& trans);
    bool perform(::tlm::tlm_generic_payload& trans);
    void forget_direct(sc_dt::uint64 first, sc_dt::uint64 last);

    bool dma_read(cycle when, std::uint64_t address, std::span<std::uint8_t> bytes) override;
    bool dma_write(cycle when, std::uint64_t address, std::span<const std::uint8_t> bytes) override;
    bool transfer(::tlm::tlm_command command, std::uint64_t address, std::uint8_t* bytes, std::size_t count);
    std::uint8_t* direct(::tlm::tlm_command command, std::uint64_t address, std::size_t count);
    void completion(cycle when, unsigned process) override;
    void command_space(cycle, unsigned) override {}
    bool count(cycle when, unsigned interface, unsigned counter) override;
    void update_interrupts();

    std::map<std::uint64_t, ::tlm::tlm_dmi> granted_;  ///< by first address
    sc_core::sc_event interrupts_changed_;
    std::uint64_t direct_ = 0;
    std::uint64_t transported_ = 0;
};

}  // namespace polycast::tlm::modules
