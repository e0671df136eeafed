// SPDX-License-Identifier: Apache-2.0
/// \file The files that a scenario names: read once, however often they are asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "hw/programs/mapped_file.h"
#include "hw/subnet/kept_bytes.h"
#include "hw/topology/text_file.h"

namespace polycast::tlm::scenario {

/// Files by path. A file that changes or goes while a run goes on does not change the run, and pipes can be read.
class input_files {
public:
    /// \param most_text bytes of a text \param most_plain bytes of a dump that is not packed in memory, and of a file
    /// that is not mapped
    explicit input_files(std::size_t most_text = hw::topology::max_text_bytes,
                         std::size_t most_plain = std::size_t{4} << 20)
        : most_text_(most_text), most_plain_(most_plain) {}

    /// A text. \param what for messages: "topology file" \throws hw::input_error if it cannot be read, or is too long
    const std::string& text_of(const std::string& path, const std::string& what);

    /// A file of any length. Regular files of more than `most_plain` bytes are mapped, so that they take no memory:
    /// nobody may shorten them until release() has been told that they are read. \throws as text_of()
    std::string_view bytes_of(const std::string& path, const std::string& what);

    /// The bytes before `end` have been read and are not needed any more.
    void release(const std::string& path, std::size_t end);

    /// Whether copy() would give the bytes that were read: not if a mapped file has other ones by now.
    bool unchanged(const std::string& path) const;

    /// What `make` makes of files, once for all who ask for `key`, which wait for it; it may ask for their texts, and
    /// for what other keys stand for, but never, through them, for its own. What throws is made again for the next who
    /// asks. Of one type for a key.
    template <typename made>
    std::shared_ptr<const made> once(const std::string& key, const std::function<std::shared_ptr<const made>()>& make) {
        product& known = product_of(key);
        const std::scoped_lock guard(known.making);
        if (!known.made) known.made = make();
        return std::static_pointer_cast<const made>(known.made);
    }

    /// A dump of any length, as it is in the file: perhaps packed by gzip. The source must not outlive this object.
    /// \throws hw::input_error if it cannot be read
    std::unique_ptr<hw::subnet::byte_source> dump(const std::string& path);

    /// Gives the bytes of a file piece by piece, for a copy; it is read now if it was not before, or is mapped.
    void copy(const std::string& path, const std::function<void(std::string_view)>& put);

    /// Stands for all that has been read so far.
    std::uint64_t hash() const;

private:
    struct product {
        std::mutex making;
        std::shared_ptr<const void> made;
    };

    /// What lies on the disk and has been read from there, and what its bytes were by then.
    struct mapped {
        hw::programs::mapped_file file;
        std::size_t hashed = 0;
        std::uint64_t hash = 0;

        explicit mapped(const std::string& path) : file(path, hw::programs::mapped_file::after_that::read) {}
        void add(std::size_t end);
    };

    product& product_of(const std::string& key);
    const hw::subnet::kept_bytes& kept(const std::string& path);

    std::size_t most_text_, most_plain_;
    mutable std::mutex mutex_;
    std::map<std::string, std::string> texts_;
    std::map<std::string, hw::subnet::kept_bytes> dumps_;
    std::map<std::string, mapped> mapped_;
    std::map<std::string, product> products_;
};

}  // namespace polycast::tlm::scenario
