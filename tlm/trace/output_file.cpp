// SPDX-License-Identifier: Apache-2.0
#include "tlm/trace/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "hw/input_error.h"

namespace polycast::tlm::trace {

partial_file::partial_file(std::filesystem::path file) : file_(std::move(file)), partial_(file_) {
    std::error_code unknown;
    const std::filesystem::file_status there = std::filesystem::status(file_, unknown);
    in_place_ = std::filesystem::exists(there) && !std::filesystem::is_regular_file(there);
    if (!in_place_) partial_ += ".partial";
}

partial_file::~partial_file() {
    std::error_code ignored;  // nothing more can be done about a file that cannot be removed
    if (!committed_ && !in_place_) std::filesystem::remove(partial_, ignored);
}

void partial_file::commit() {
    if (in_place_) return;
    std::error_code error;
    std::filesystem::rename(partial_, file_, error);
    if (error) fail(error.value());
    committed_ = true;
}

void partial_file::fail(int error_number) const {
    const std::string reason = error_number == 0 ? "write error" : std::generic_category().message(error_number);
    throw hw::input_error(
        file_.string(), {}, "cannot write: " + reason,
        error_number == ENOSPC ? "free some space, record fewer chips or cycles, or choose another folder" : "");
}

text_file::text_file(std::filesystem::path file) : file_(std::move(file)) {
    descriptor_ = ::open(file_.path().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor_ < 0) file_.fail(errno);
    buffer_.reserve(buffer_limit + 4096);
}

text_file::~text_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

void text_file::flush() {
    for (std::string_view rest = buffer_; !rest.empty();) {
        const ::ssize_t written = ::write(descriptor_, rest.data(), rest.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) file_.fail(errno);
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
    buffer_.clear();
}

void text_file::commit() {
    flush();
    if (::close(std::exchange(descriptor_, -1)) != 0) file_.fail(errno);
    file_.commit();
}

}  // namespace polycast::tlm::trace
