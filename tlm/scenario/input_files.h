// SPDX-License-Identifier: Apache-2.0
/// \file The files that a scenario names: read once, however often they are asked for.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace polycast::tlm::scenario {

/// Texts of files by path. A file that changes or goes while a run goes on does not change the run, and pipes can be
/// read.
class input_files {
public:
    /// \param what for messages: "topology file" \throws hw::input_error if it cannot be read
    const std::string& text_of(const std::string& path, const std::string& what);

    /// What `make` makes of files, once for all who ask for `key`; it may ask for their texts. Of one type for a key.
    template <typename made>
    std::shared_ptr<const made> once(const std::string& key, const std::function<std::shared_ptr<const made>()>& make) {
        const std::scoped_lock guard(making_);
        std::shared_ptr<const void>& known = made_[key];
        if (!known) known = make();
        return std::static_pointer_cast<const made>(known);
    }

    /// What has been read so far, by path.
    const std::map<std::string, std::string>& all() const { return texts_; }

private:
    std::mutex mutex_, making_;
    std::map<std::string, std::string> texts_;
    std::map<std::string, std::shared_ptr<const void>> made_;
};

}  // namespace polycast::tlm::scenario
