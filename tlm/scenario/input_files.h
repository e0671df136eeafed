// SPDX-License-Identifier: Apache-2.0
/// \file The files that a scenario names: read once, however often they are asked for.
#pragma once

#include <map>
#include <mutex>
#include <string>

namespace polycast::tlm::scenario {

/// Texts of files by path. A file that changes or goes while a run goes on does not change the run, and pipes can be
/// read.
class input_files {
public:
    /// \param what for messages: "topology file" \throws hw::input_error if it cannot be read
    const std::string& text_of(const std::string& path, const std::string& what);

    /// What has been read so far, by path.
    const std::map<std::string, std::string>& all() const { return texts_; }

private:
    std::mutex mutex_;
    std::map<std::string, std::string> texts_;
};

}  // namespace polycast::tlm::scenario
