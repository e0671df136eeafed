// SPDX-License-Identifier: Apache-2.0
#include "hw/host/host_chip.h"

#include <algorithm>
#include <utility>

#include "hw/input_error.h"

namespace polycast::hw::host {

host_chip::host_chip(const host_params& params, std::vector<application_factory> applications,
                     const ni::processor_factory& make_processor, ni::observer* watcher)
    : params_(params),
      shape_(params.interface.pin_shape()),
      factories_(std::move(applications)),
      memory_(params.memory_bytes),
      processor_(params.interface.host, watcher),
      interface_(params.interface, time_, *this, watcher, make_processor) {
    if (factories_.size() > params_.interface.processes)
        throw input_error("host: " + std::to_string(factories_.size()) + " applications for " +
                          std::to_string(params_.interface.processes) + " processes");
    factories_.resize(params_.interface.processes);
    applications_.resize(factories_.size());
    make_processes();
}

host_chip::~host_chip() = default;

void host_chip::make_processes() {
    processes_.clear();
    ni_port& port = *this;
    for (unsigned number = 0; number < params_.interface.processes; ++number) {
        process_params own;
        own.host = params_.interface.host;
        own.hosts = params_.interface.hosts;
        own.units = params_.interface.units;
        own.header_ports = params_.interface.header_ports;
        own.header_stops = params_.interface.header_stops;
        own.process = number;
        own.processes = params_.interface.processes;
        own.command_bytes = ni::command_bytes(params_.interface);
        own.message_bytes = params_.message_bytes;
        own.receive_buffers = params_.receive_buffers;
        own.queue_entries = params_.queue_entries;
        own.send_overhead = params_.send_overhead;
        own.receive_overhead = params_.receive_overhead;
        own.overheads_per_packet = params_.overheads_per_packet;
        own.payload_bytes = params_.interface.payload_bytes;
        processes_.push_back(std::make_unique<process>(own, time_, memory_, processor_, port));
    }
}

void host_chip::reset() {
    for (std::unique_ptr<application>& each : applications_) each.reset();
    time_.clear();
    memory_.clear();
    processor_.reset();
    make_processes();
    interface_.reset(time_.now());
    started_ = false;
}

void host_chip::due(cycle /*when*/, std::uint64_t /*tag*/) {
    for (std::size_t number = 0; number < factories_.size(); ++number) {
        if (!factories_[number]) continue;
        process& own = *processes_[number];
        applications_[number] = factories_[number]({own, time_});
        own.start(*applications_[number]);
        applications_[number]->start();
    }
}

cycle host_chip::step(cycle now, const engine::pins& in, engine::pins& out) {
    if (!started_) {
        started_ = true;
        time_.schedule(now, *this);
    }
    return interface_.step(now, in, out, 0);
}

bool host_chip::idle() const {
    return interface_.idle() && std::ranges::all_of(processes_, [](const auto& each) { return each->idle(); });
}

void host_chip::probe(engine::chip_probe& probe) const {
    interface_.probe(probe);
}

bool host_chip::dma_read(cycle /*when*/, std::uint64_t address, std::span<std::uint8_t> bytes) {
    return memory_.read(address, bytes);
}

bool host_chip::dma_write(cycle /*when*/, std::uint64_t address, std::span<const std::uint8_t> bytes) {
    return memory_.write(address, bytes);
}

void host_chip::completion(cycle when, unsigned process) {
    processes_[process]->completion(when);
}

void host_chip::command_space(cycle when, unsigned process) {
    processes_[process]->command_space(when);
}

bool host_chip::host_read(cycle when, std::uint32_t address, std::span<std::uint8_t> bytes) {
    return interface_.host_read(when, address, bytes);
}

bool host_chip::host_write(cycle when, std::uint32_t address, std::span<const std::uint8_t> bytes) {
    return interface_.host_write(when, address, bytes);
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
    for (const std::unique_ptr<process>& each : processes_) {
        const process_statistics& counts = each->statistics();
        const std::string name = host + ", process " + std::to_string(each->params().process) + ": ";
        if (counts.bus_errors != 0)
            all.push_back(name + std::to_string(counts.bus_errors) + " accesses to the interface were refused");
        if (counts.bad_completions != 0)
            all.push_back(name + std::to_string(counts.bad_completions) + " completions that answer nothing");
    }
    const ni::ni_statistics counts = interface_.statistics();
    if (counts.panic != 0) all.push_back(host + ": firmware gave up, reason " + std::to_string(counts.panic));
    if (counts.completions_lost != 0)
        all.push_back(host + ": " + std::to_string(counts.completions_lost) + " completions were lost");
    if (counts.commands_refused != 0)
        all.push_back(host + ": " + std::to_string(counts.commands_refused) + " doorbells were ignored");
    return all;
}

std::size_t host_chip::memory_bytes() const {
    std::size_t bytes = sizeof(host_chip) + memory_.memory_bytes() + interface_.memory_bytes();
    for (const std::unique_ptr<process>& each : processes_) bytes += each->memory_bytes();
    return bytes;
}

}  // namespace polycast::hw::host
