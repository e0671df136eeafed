// SPDX-License-Identifier: Apache-2.0
/// \file A host with its network interfaces as a chip of a network.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hw/engine/chip.h"
#include "hw/host/application.h"
#include "hw/host/host_memory.h"
#include "hw/host/host_processor.h"
#include "hw/host/process.h"
#include "hw/ni/network_interface.h"
#include "hw/ni/timeline.h"
#include "hw/ni/waiting_observer.h"

namespace polycast::hw::host {

/// The processor of an interface of host `host` stands still.
struct hang_order {
    std::uint32_t host = 0;
    unsigned interface = 0;
    cycle at = 0;
    cycle until = engine::never;
};

/// A bit of a memory of an interface of host `host` flips.
struct upset_order {
    std::uint32_t host = 0;
    unsigned interface = 0;
    ni::memory_upset what = {};
};

/// Parameters of a host. Times in cycles.
struct host_params {
    ni::ni_params interface;  ///< of all its interfaces; host number, number of hosts and processes are taken from here
    unsigned interfaces = 1;  ///< 1..64, each with an I/O bus and a network of its own: rails
    cycle send_overhead = 1000;                              ///< t_hs
    cycle receive_overhead = 1000;                           ///< t_hr
    bool overheads_per_packet = false;                       ///< see process_params
    bool overheads_by_programs = false;                      ///< likewise
    unsigned processors = 1;                                 ///< 1..256; processes use the first one
    std::uint32_t message_bytes = 65536;                     ///< longest message that a process receives
    unsigned receive_buffers = 0;                            ///< of each process, see process_params
    unsigned queue_entries = 64;                             ///< of each completion queue
    std::uint64_t memory_bytes = host_memory::default_size;  ///< addresses with memory behind them
    std::uint32_t watchdog = 0;                              ///< of each interface: cycles, 0: off
    std::uint32_t restart = 1;                               ///< cycles from its expiry to the restart
    std::vector<std::uint32_t> jobs = {};                    ///< [process] JobID; of those that are missing 0
    std::vector<unsigned> hostile = {};                      ///< processes whose programs do anything: what goes
                                                             ///< wrong there is no failure of the host
    std::vector<hang_order> hangs = {};                      ///< of the processors of its interfaces
    std::vector<upset_order> upsets = {};                    ///< of their memories; by cycle
};

/// What a host did.
struct host_report {
    ni::ni_statistics interfaces;               ///< of all its interfaces
    cycle busy = 0;                             ///< its processor: send and receive overheads
    std::uint64_t dropped = 0;                  ///< errors that firmware reported to processes
    std::vector<std::uint64_t> jobs_refused{};  ///< [process] packets of other jobs that were for it
    std::vector<std::uint64_t> applications{};  ///< counts() of its applications, added up
    std::vector<std::string> findings{};        ///< [interface] of its processor

    /// Of what a host_chip reports; nothing of other chips'.
    static std::optional<host_report> of(const engine::chip_report& report);
};

/// A chip with host memory, one host processor or more, one network interface for each port, and a process for each
/// application, which has a driver at every interface. In the first cycle in which it is stepped the processes
/// register their resources, then the applications start. Latency of a one-packet message of f flits over h switches at
/// zero load, with firmware that costs t_ns and t_nr and nothing else: t_hs + DMA + t_ns + (1 + 3h + f - 1) + t_nr +
/// DMA + t_hr.
class host_chip final : public engine::chip, private ni::timeline::task {
public:
    /// `applications`: one for each process, an empty one for a process that is never started; missing ones are empty.
    /// `watcher` may be null and must outlive the chip. `together`: as shared(), for applications that use objects of
    /// others at once and not by `told` of their context. \throws input_error on parameters out of range
    host_chip(const host_params& params, std::vector<application_factory> applications,
              const ni::processor_factory& make_processor, ni::observer* watcher, const void* together = nullptr);
    ~host_chip() override;

    const engine::pin_shape& shape() const override { return shape_; }
    /// Restarts everything, including the applications.
    void reset() override;
    cycle step(cycle now, const engine::pins& in, engine::pins& out) override;
    bool idle() const override;
    void probe(engine::chip_probe& probe) const override;
    unsigned step_cost() const override;
    const void* shared() const override { return together_; }
    engine::effects* told() override { return &told_; }
    void listen() override;

    std::uint32_t number() const { return params_.interface.host; }
    const host_params& params() const { return params_; }
    unsigned processes() const { return params_.interface.processes; }
    unsigned interfaces() const { return static_cast<unsigned>(sides_.size()); }
    const process& process_at(unsigned number, unsigned interface = 0) const;
    /// Null before the first step, and if there is none.
    const application* application_at(unsigned number) const { return applications_[number].get(); }
    const ni::network_interface& interface(unsigned number = 0) const;
    const host_memory& memory() const { return memory_; }
    const host_processor& processor(unsigned number = 0) const { return processors_[number]; }

    /// All applications are finished.
    bool finished() const override;
    /// Errors of the applications, the driver and the interface. Dropped messages are in the statistics of the
    /// processes.
    std::vector<std::string> failures() const;
    /// Failures, and a host_report.
    engine::chip_report report() const override;
    /// Bytes of the host machine's memory.
    std::size_t memory_bytes() const;

private:
    class side;
    void make_application(unsigned number);
    void start_watching(cycle now);

    void due(cycle when, std::uint64_t tag) override;

    host_params params_;
    engine::pin_shape shape_;
    const void* together_;
    engine::effects told_;
    std::optional<ni::waiting_observer> watcher_;
    std::vector<application_factory> factories_;
    ni::timeline time_;
    host_memory memory_;
    std::vector<host_processor> processors_;
    std::vector<std::unique_ptr<side>> sides_;       ///< [interface]
    std::vector<std::vector<process*>> everywhere_;  ///< [process][interface]
    std::vector<manager*> managers_;                 ///< [interface]
    bool started_ = false;
    std::vector<std::unique_ptr<application>> applications_;  ///< destroyed first: they use all of the above
};

}  // namespace polycast::hw::host
