// SPDX-License-Identifier: Apache-2.0
/// \file What runs in a host process.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hw/host/process.h"
#include "hw/ni/timeline.h"

namespace polycast::hw::host {

/// Uses a process from its start to the end of the run. Programs written as coroutines run in one kind of it, endpoint;
/// what drives a workload may be another.
class application : public process_client {
public:
    /// Called once, in the first cycle of the run, when the process is ready.
    virtual void start() = 0;
    /// It has nothing more to do.
    virtual bool finished() const = 0;
    /// What went wrong in it; the run fails if there is any.
    virtual std::vector<std::string> failures() const { return {}; }
};

/// Both outlive the application.
struct host_context {
    process& own;
    ni::timeline& time;
};

using application_factory = std::function<std::unique_ptr<application>(const host_context&)>;

}  // namespace polycast::hw::host
