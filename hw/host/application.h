// SPDX-License-Identifier: Apache-2.0
/// \file What runs in a host process.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hw/engine/effects.h"
#include "hw/host/process.h"
#include "hw/ni/timeline.h"

namespace polycast::hw::host {

/// Uses a process from its start to the end of the run. Programs written as coroutines run in one kind of it, endpoint;
/// what drives a workload may be another.
class application : public process_client {
public:
    /// Called once, in the first cycle of the run, when the process is ready.
    virtual void start() = 0;
    /// It is finished.
    virtual bool finished() const = 0;
    /// Its errors; the run fails if there are any.
    virtual std::vector<std::string> failures() const { return {}; }
    /// What it counts, for whoever knows its kind.
    virtual std::vector<std::uint64_t> counts() const { return {}; }
    /// The client of the process at an interface of a host that has several; null: the process is not used there, and
    /// what arrives for it is dropped.
    virtual process_client* client(unsigned interface) { return interface == 0 ? this : nullptr; }
};

/// All outlive the application.
struct host_context {
    process& own;  ///< at interface 0
    ni::timeline& time;
    engine::effects& told;                   ///< what is done to objects that other hosts use, too
    std::span<process* const> everywhere{};  ///< [interface] the same process at each of them
    std::span<host_processor> processors{};  ///< of the host, for programs that pay overheads themselves
    std::span<manager* const> managers{};    ///< [interface] for drivers of the whole host
};

using application_factory = std::function<std::unique_ptr<application>(const host_context&)>;

}  // namespace polycast::hw::host
