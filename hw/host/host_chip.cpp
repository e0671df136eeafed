// SPDX-License-Identifier: Apache-2.0
#include "hw/host/host_chip.h"

#include <algorithm>
#include <utility>

#include "hw/engine/packing.h"
#include "hw/host/ni_port.h"
#include "hw/input_error.h"
#include "hw/ni/host_side.h"

namespace polycast::hw::host {

namespace {

// Tags on the timeline: from tag_hang on, orders.
constexpr std::uint64_t tag_start = 0;
constexpr std::uint64_t tag_hang = 1;

constexpr unsigned most_processors = 256;

}  // namespace

template <typename archive>
void serialize(archive& all, host_report& r) {
    ni::ni_statistics& s = r.interfaces;
    all(s.packets_in, s.packets_out, s.transfers_refused, s.completions_lost, s.commands_refused, s.jobs_refused,
        s.errors, s.panic, s.restarts, s.receive_slots_peak, s.send_slots_peak, s.residency_cycles, s.residency_count,
        s.residency_max, s.corrected, s.bus_busy, s.link_busy);
    all(r.busy, r.dropped, r.jobs_refused, r.applications, r.findings);
}

/// An interface and what the host has for it: its I/O bus and the processes' drivers.
class host_chip::side final : public ni::host_side, public ni_port {
public:
    side(host_chip& chip, unsigned number, const ni::processor_factory& make_processor, ni::observer* watcher)
        : chip_(chip),
          number_(number),
          interface_(chip.params_.interface, chip.time_, *this, watcher, make_processor),
          manager_(chip.time_, *this) {
        make_processes();
        std::vector<ni::memory_upset> own;
        for (const upset_order& order : chip.params_.upsets)
            if (order.host == chip.number() && order.interface == number) own.push_back(order.what);
        if (!own.empty()) interface_.upset(std::move(own));
    }

    void reset() {
        make_processes();
        interface_.reset(chip_.time_.now());
    }

    // The manager grants each process only its own part of memory, so there is no IOMMU.
    ni::host_answer dma_read(cycle /*when*/, unsigned /*process*/, std::uint64_t address,
                             std::span<std::uint8_t> bytes) override {
        return chip_.memory_.read(address, bytes) ? ni::host_answer::done : ni::host_answer::refused;
    }
    ni::host_answer dma_write(cycle /*when*/, unsigned /*process*/, std::uint64_t address,
                              std::span<const std::uint8_t> bytes) override {
        return chip_.memory_.write(address, bytes) ? ni::host_answer::done : ni::host_answer::refused;
    }
    void completion(cycle when, unsigned process) override { processes_[process]->completion(when); }
    void command_space(cycle when, unsigned process) override { processes_[process]->command_space(when); }
    void hung(cycle when) override {
        for (const std::unique_ptr<process>& each : processes_) each->hung(when);
    }
    bool count(cycle /*when*/, unsigned interface, unsigned counter) override {
        if (interface >= chip_.sides_.size()) return false;
        chip_.sides_[interface]->interface_.count(counter);
        return true;
    }
    bool host_read(cycle when, std::uint32_t address, std::span<std::uint8_t> bytes) override {
        return interface_.host_read(when, address, bytes);
    }
    bool host_write(cycle when, std::uint32_t address, std::span<const std::uint8_t> bytes) override {
        return interface_.host_write(when, address, bytes);
    }

    ni::network_interface& interface() { return interface_; }
    manager& own_manager() { return manager_; }
    process& process_at(unsigned number) { return *processes_[number]; }

private:
    void make_processes();

    host_chip& chip_;
    unsigned number_;
    ni::network_interface interface_;
    manager manager_;
    std::vector<std::unique_ptr<process>> processes_;
};

void host_chip::side::make_processes() {
    processes_.clear();
    const host_params& params = chip_.params_;
    for (unsigned number = 0; number < params.interface.processes; ++number) {
        process_params own;
        own.host = params.interface.host;
        own.hosts = params.interface.hosts;
        own.units = params.interface.units;
        own.header_ports = params.interface.header_ports;
        own.header_stops = params.interface.header_stops;
        own.process = number;
        own.interface = number_;
        own.processes = params.interface.processes;
        own.command_bytes = ni::command_bytes(params.interface);
        own.message_bytes = params.message_bytes;
        own.receive_buffers = params.receive_buffers;
        own.queue_entries = params.queue_entries;
        own.send_overhead = params.send_overhead;
        own.receive_overhead = params.receive_overhead;
        own.overheads_per_packet = params.overheads_per_packet;
        own.overheads_by_program = params.overheads_by_programs;
        own.payload_bytes = params.interface.payload_bytes;
        if (number < params.jobs.size()) own.job = params.jobs[number];
        processes_.push_back(std::make_unique<process>(own, chip_.time_, chip_.memory_, chip_.processors_.front(),
                                                       static_cast<ni_port&>(*this), manager_));
    }
}

host_chip::host_chip(const host_params& params, std::vector<application_factory> applications,
                     const ni::processor_factory& make_processor, ni::observer* watcher, const void* together)
    : params_(params),
      shape_(params.interface.pin_shape()),
      together_(together),
      factories_(std::move(applications)),
      memory_(params.memory_bytes),
      processors_(
          std::max(1u, params.processors),
          host_processor(params.interface.host, watcher != nullptr ? &watcher_.emplace(told_, *watcher) : nullptr)) {
    if (params_.interfaces == 0 || params_.interfaces > engine::max_ports)
        throw input_error("host: 1.." + std::to_string(engine::max_ports) + " network interfaces, not " +
                          std::to_string(params_.interfaces));
    if (params_.processors == 0 || params_.processors > most_processors)
        throw input_error("host: 1.." + std::to_string(most_processors) + " processors, not " +
                          std::to_string(params_.processors));
    if (factories_.size() > params_.interface.processes)
        throw input_error("host: " + std::to_string(factories_.size()) + " applications for " +
                          std::to_string(params_.interface.processes) + " processes");
    shape_.ports = params_.interfaces;
    factories_.resize(params_.interface.processes);
    applications_.resize(factories_.size());
    everywhere_.resize(factories_.size());
    for (unsigned number = 0; number < params_.interfaces; ++number)
        sides_.push_back(std::make_unique<side>(*this, number, make_processor, watcher_ ? &*watcher_ : nullptr));
    for (const std::unique_ptr<side>& each : sides_) managers_.push_back(&each->own_manager());
}

host_chip::~host_chip() = default;

const process& host_chip::process_at(unsigned number, unsigned interface) const {
    return sides_[interface]->process_at(number);
}

const ni::network_interface& host_chip::interface(unsigned number) const {
    return sides_[number]->interface();
}

void host_chip::reset() {
    for (std::unique_ptr<application>& each : applications_) each.reset();
    time_.clear();
    memory_.clear();
    for (host_processor& each : processors_) each.reset();
    for (const std::unique_ptr<side>& each : sides_) each->reset();
    started_ = false;
}

/// What a driver does for the whole interface, and what is known to go wrong there.
void host_chip::start_watching(cycle now) {
    for (const std::unique_ptr<side>& each : sides_)
        if (params_.watchdog != 0) each->own_manager().watch(params_.watchdog, params_.restart);
    for (std::size_t i = 0; i < params_.hangs.size(); ++i)
        if (params_.hangs[i].host == number()) time_.schedule(std::max(params_.hangs[i].at, now), *this, tag_hang + i);
}

void host_chip::make_application(unsigned number) {
    std::vector<process*>& everywhere = everywhere_[number];
    everywhere.clear();
    for (const std::unique_ptr<side>& each : sides_) everywhere.push_back(&each->process_at(number));
    applications_[number] = factories_[number]({*everywhere.front(), time_, told_, everywhere, processors_, managers_});
}

void host_chip::due(cycle when, std::uint64_t tag) {
    if (tag != tag_start) {
        const hang_order& order = params_.hangs[tag - tag_hang];
        sides_[order.interface]->interface().hang(order.until);
        return;
    }
    start_watching(when);
    for (unsigned number = 0; number < factories_.size(); ++number) {
        if (!factories_[number]) continue;
        make_application(number);
        application& own = *applications_[number];
        for (unsigned interface = 0; interface < sides_.size(); ++interface)
            if (process_client* const client = own.client(interface)) everywhere_[number][interface]->start(*client);
        own.start();
    }
}

void host_chip::listen() {
    for (unsigned number = 0; number < factories_.size(); ++number)
        if (factories_[number]) make_application(number);
}

cycle host_chip::step(cycle now, const engine::pins& in, engine::pins& out) {
    if (!started_) {
        started_ = true;
        time_.schedule(now, *this, tag_start);
    }
    // What is due by now, because the chip may have slept and what arrives is dated.
    time_.run(now);
    for (unsigned port = 0; port < sides_.size(); ++port) sides_[port]->interface().receive(now, in, out, port);
    time_.run(now + 1);
    cycle next = engine::never;
    for (unsigned port = 0; port < sides_.size(); ++port) {
        sides_[port]->interface().transmit(now, out, port);
        next = std::min(next, sides_[port]->interface().next(now));
    }
    return next;
}

bool host_chip::idle() const {
    return std::ranges::all_of(sides_, [this](const std::unique_ptr<side>& each) {
        for (unsigned number = 0; number < processes(); ++number)
            if (!each->process_at(number).idle()) return false;
        return each->interface().idle();
    });
}

void host_chip::probe(engine::chip_probe& probe) const {
    sides_.front()->interface().probe(probe);
    engine::chip_probe more;
    for (unsigned number = 1; number < sides_.size(); ++number) {
        sides_[number]->interface().probe(more);
        probe.inputs.insert(probe.inputs.end(), more.inputs.begin(), more.inputs.end());
        probe.outputs.insert(probe.outputs.end(), more.outputs.begin(), more.outputs.end());
        probe.interfaces.insert(probe.interfaces.end(), more.interfaces.begin(), more.interfaces.end());
    }
}

unsigned host_chip::step_cost() const {
    unsigned all = 10;
    for (const std::unique_ptr<side>& each : sides_) all += each->interface().cpu().step_cost();
    return all;
}

bool host_chip::finished() const {
    if (!started_) return false;
    for (std::size_t number = 0; number < factories_.size(); ++number)
        if (factories_[number] && !(applications_[number] && applications_[number]->finished())) return false;
    return true;
}

std::vector<std::string> host_chip::failures() const {
    std::vector<std::string> all;
    const std::string host = "host " + std::to_string(number());
    for (const std::unique_ptr<application>& each : applications_) {
        if (!each) continue;
        for (std::string& text : each->failures()) all.push_back(std::move(text));
    }
    for (unsigned interface = 0; interface < interfaces(); ++interface) {
        const std::string at = interfaces() == 1 ? host : host + ", interface " + std::to_string(interface);
        for (unsigned number = 0; number < processes(); ++number) {
            if (std::ranges::find(params_.hostile, number) != params_.hostile.end()) continue;
            const process_statistics& counts = process_at(number, interface).statistics();
            const std::string name = at + ", process " + std::to_string(number) + ": ";
            if (counts.bus_errors != 0)
                all.push_back(name + std::to_string(counts.bus_errors) + " accesses to the interface were refused");
            if (counts.bad_completions != 0)
                all.push_back(name + std::to_string(counts.bad_completions) + " completions that answer nothing");
        }
        if (const std::uint64_t errors = managers_[interface]->bus_errors(); errors != 0)
            all.push_back(at + ": " + std::to_string(errors) + " accesses of the driver to the interface were refused");
        const ni::ni_statistics counts = sides_[interface]->interface().statistics();
        if (counts.panic != 0) all.push_back(at + ": firmware gave up, reason " + std::to_string(counts.panic));
        // Interfaces do not say whose these are. A process that lost completions lacks its messages anyway.
        if (!params_.hostile.empty()) continue;
        if (counts.completions_lost != 0)
            all.push_back(at + ": " + std::to_string(counts.completions_lost) + " completions were lost");
        if (counts.commands_refused != 0)
            all.push_back(at + ": " + std::to_string(counts.commands_refused) + " doorbells were ignored");
    }
    return all;
}

engine::chip_report host_chip::report() const {
    host_report own;
    for (const host_processor& each : processors_) own.busy += each.busy();
    for (const std::unique_ptr<side>& each : sides_) {
        own.interfaces += each->interface().statistics();
        own.findings.push_back(each->interface().cpu().findings());
        for (unsigned number = 0; number < processes(); ++number)
            for (const std::uint64_t count : each->process_at(number).statistics().errors) own.dropped += count;
    }
    if (params_.interface.jobs && started_) {
        own.jobs_refused.resize(processes());
        for (manager* const each : managers_)
            for (unsigned number = 0; number < processes(); ++number)
                own.jobs_refused[number] += each->jobs_refused(number);
    }
    for (const std::unique_ptr<application>& each : applications_) {
        if (!each) continue;
        const std::vector<std::uint64_t> counts = each->counts();
        own.applications.resize(std::max(own.applications.size(), counts.size()));
        for (std::size_t i = 0; i < counts.size(); ++i) own.applications[i] += counts[i];
    }
    return {failures(), engine::packed(own)};
}

std::optional<host_report> host_report::of(const engine::chip_report& report) {
    if (report.counts.empty()) return std::nullopt;
    return engine::unpacked<host_report>(report.counts);
}

std::size_t host_chip::memory_bytes() const {
    std::size_t bytes = sizeof(host_chip) + memory_.memory_bytes();
    for (const std::unique_ptr<side>& each : sides_) {
        bytes += sizeof(side) + each->interface().memory_bytes();
        for (unsigned number = 0; number < processes(); ++number) bytes += each->process_at(number).memory_bytes();
    }
    return bytes;
}

}  // namespace polycast::hw::host
