// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include "hw/input_error.h"
#include "tlm/sim/usage.h"

namespace polycast::tlm::sim {

namespace {

// The first byte says what the rest is.
constexpr std::uint8_t good = 'g';
constexpr std::uint8_t bad_input = 'i';
constexpr std::uint8_t broken = 'b';

void send(int pipe, const std::uint8_t* data, std::size_t count) {
    while (count > 0) {
        const ssize_t written = ::write(pipe, data, count);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) ::_exit(1);
        data += written;
        count -= static_cast<std::size_t>(written);
    }
}

void send_text(int pipe, std::uint8_t tag, const char* text) {
    send(pipe, &tag, 1);
    send(pipe, reinterpret_cast<const std::uint8_t*>(text), std::strlen(text));
}

[[noreturn]] void fail(int error_number) {
    throw hw::input_error("cannot start a process: " + std::generic_category().message(error_number), "lower --jobs");
}

}  // namespace

child_process::child_process(const std::function<bytes()>& work) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail(errno);
    std::fflush(nullptr);
    const pid_t parent = ::getpid();
    process_ = ::fork();
    if (process_ < 0) {
        const int reason = errno;
        ::close(ends[0]);
        ::close(ends[1]);
        fail(reason);
    }
    if (process_ != 0) {
        ::close(ends[1]);
        pipe_ = ends[0];
        return;
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    ::close(ends[0]);
    try {
        const bytes result = work();
        send(ends[1], &good, 1);
        send(ends[1], result.data(), result.size());
    } catch (const hw::input_error& error) {
        send_text(ends[1], bad_input, error.what());
    } catch (const std::bad_alloc&) {
        send_text(ends[1], bad_input, out_of_memory().c_str());
    } catch (const std::exception& error) {
        send_text(ends[1], broken, error.what());
    } catch (...) {
        send_text(ends[1], broken, "something that is no exception was thrown");
    }
    // Destructors and exit handlers belong to the parent.
    std::fflush(nullptr);
    ::_exit(0);
}

child_process::~child_process() {
    if (pipe_ >= 0) ::close(pipe_);
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

bool child_process::read() {
    std::array<std::uint8_t, 65536> block;
    ssize_t count = 0;
    do {
        count = ::read(pipe_, block.data(), block.size());
    } while (count < 0 && errno == EINTR);
    if (count <= 0) return false;
    received_.insert(received_.end(), block.begin(), block.begin() + count);
    return true;
}

child_process::bytes child_process::result() {
    while (read()) {
    }
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        throw hw::input_error("a simulation process was killed: either by somebody, or as memory ran out",
                              "give it more, take a smaller network, or lower --jobs");
    if (WIFSIGNALED(status)) {
        throw std::runtime_error(std::string("a simulation process was ended by signal ") +
                                 std::to_string(WTERMSIG(status)) + " (" + ::strsignal(WTERMSIG(status)) + ")");
    }
    if (received_.empty()) throw std::runtime_error("a simulation process ended without a result");
    const std::string text(received_.begin() + 1, received_.end());
    if (received_.front() == bad_input) throw hw::input_error(text);
    if (received_.front() != good) throw std::runtime_error(text);
    return {received_.begin() + 1, received_.end()};
}

}  // namespace polycast::tlm::sim
