// SPDX-License-Identifier: Apache-2.0
/// \file A host with its network interface as a chip of a network.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hw/engine/chip.h"
#include "hw/host/application.h"
#include "hw/host/host_memory.h"
#include "hw/host/host_processor.h"
#include "hw/host/ni_port.h"
#include "hw/host/process.h"
#include "hw/ni/host_side.h"
#include "hw/ni/network_interface.h"
#include "hw/ni/timeline.h"

namespace polycast::hw::host {

/// What a host is made of. Times in cycles.
struct host_params {
    ni::ni_params interface;              ///< host number, number of hosts and processes are taken from here
    cycle send_overhead = 1000;           ///< t_hs
    cycle receive_overhead = 1000;        ///< t_hr
    bool overheads_per_packet = false;    ///< see process_params
    std::uint32_t message_bytes = 65536;  ///< longest message that a process receives
    unsigned receive_buffers = 0;         ///< of each process, see process_params
    unsigned queue_entries = 64;          ///< of each completion queue
    std::uint64_t memory_bytes = host_memory::default_size;  ///< addresses with memory behind them
};

/// A chip with one port: host memory, one host processor, one network interface, and a process for each application.
/// In the first cycle that it is stepped the processes register what they have, then the applications start. Latency
/// of a one-packet message of f flits over h switches at zero load, with firmware that costs t_ns and t_nr and nothing
/// else: t_hs + DMA + t_ns + (1 + 3h + f - 1) + t_nr + DMA + t_hr.
class host_chip final : public engine::chip, private ni::host_side, private ni_port, private ni::timeline::task {
public:
    /// `applications`: one for each process, an empty one for a process that is never started; missing ones are empty.
    /// `watcher` may be null and must outlive the chip. \throws input_error on parameters out of range
    host_chip(const host_params& params, std::vector<application_factory> applications,
              const ni::processor_factory& make_processor, ni::observer* watcher);
    ~host_chip() override;

    const engine::pin_shape& shape() const override { return shape_; }
    /// Everything from the start, applications, too.
    void reset() override;
    cycle step(cycle now, const engine::pins& in, engine::pins& out) override;
    bool idle() const override;
    void probe(engine::chip_probe& probe) const override;

    std::uint32_t number() const { return params_.interface.host; }
    const host_params& params() const { return params_; }
    unsigned processes() const { return static_cast<unsigned>(processes_.size()); }
    const process& process_at(unsigned number) const { return *processes_[number]; }
    /// Null before the first step, and where there is none.
    const application* application_at(unsigned number) const { return applications_[number].get(); }
    const ni::network_interface& interface() const { return interface_; }
    const host_memory& memory() const { return memory_; }
    const host_processor& processor() const { return processor_; }

    /// All applications have nothing more to do.
    bool finished() const;
    /// What went wrong: in the applications, in the driver, in the interface. Dropped messages are in the statistics
    /// of the processes.
    std::vector<std::string> failures() const;
    /// Bytes of the machine that simulates.
    std::size_t memory_bytes() const;

private:
    void make_processes();
    void due(cycle when, std::uint64_t tag) override;
    bool dma_read(cycle when, std::uint64_t address, std::span<std::uint8_t> bytes) override;
    bool dma_write(cycle when, std::uint64_t address, std::span<const std::uint8_t> bytes) override;
    void completion(cycle when, unsigned process) override;
    void command_space(cycle when, unsigned process) override;
    bool host_read(cycle when, std::uint32_t address, std::span<std::uint8_t> bytes) override;
    bool host_write(cycle when, std::uint32_t address, std::span<const std::uint8_t> bytes) override;

    host_params params_;
    engine::pin_shape shape_;
    std::vector<application_factory> factories_;
    ni::timeline time_;
    host_memory memory_;
    host_processor processor_;
    ni::network_interface interface_;
    std::vector<std::unique_ptr<process>> processes_;
    bool started_ = false;
    std::vector<std::unique_ptr<application>> applications_;  ///< destroyed first: they use all of the above
};

}  // namespace polycast::hw::host
