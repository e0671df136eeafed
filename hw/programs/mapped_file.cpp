// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "hw/input_error.h"
#include "hw/topology/text_file.h"

namespace polycast::hw::programs {

namespace {

constexpr std::size_t page = 4096, least_released = std::size_t{1} << 24;

[[noreturn]] void fail(const std::string& path, int error) {
    throw input_error(path, {}, std::string("cannot be read: ") + std::strerror(error));
}

}  // namespace

mapped_file::mapped_file(const std::string& path, after_that wanted) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) fail(path, errno);
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) {
        const int error = errno;
        ::close(descriptor);
        fail(path, error);
    }
    if (!S_ISREG(status.st_mode)) {
        ::close(descriptor);
        read_ = topology::read_text_file(path, "program");
        bytes_ = read_;
        return;
    }
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size != 0) mapped_ = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    const int error = errno;
    if (wanted == after_that::read && mapped_ != MAP_FAILED)
        descriptor_ = descriptor;
    else
        ::close(descriptor);
    if (size == 0) return;
    if (mapped_ == MAP_FAILED) fail(path, error);
    ::madvise(mapped_, size, MADV_SEQUENTIAL);
    bytes_ = {static_cast<const char*>(mapped_), size};
}

mapped_file::~mapped_file() {
    if (!bytes_.empty() && mapped_ != nullptr) ::munmap(mapped_, bytes_.size());
    if (descriptor_ >= 0) ::close(descriptor_);
}

std::size_t mapped_file::read(std::size_t begin, std::span<char> into) const {
    if (descriptor_ < 0)
        return std::string_view(read_).substr(std::min(begin, read_.size())).copy(into.data(), into.size());
    std::size_t got = 0;
    while (got < into.size()) {
        const ssize_t more =
            ::pread(descriptor_, into.data() + got, into.size() - got, static_cast<off_t>(begin + got));
        if (more < 0 && errno == EINTR) continue;
        if (more <= 0) break;
        got += static_cast<std::size_t>(more);
    }
    return got;
}

void mapped_file::release(std::size_t end) {
    const std::size_t whole = end / page * page;
    if (mapped_ == nullptr || whole < released_ + least_released) return;
    ::madvise(static_cast<char*>(mapped_) + released_, whole - released_, MADV_DONTNEED);
    released_ = whole;
}

}  // namespace polycast::hw::programs
