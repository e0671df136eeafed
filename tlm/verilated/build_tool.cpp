// SPDX-License-Identifier: Apache-2.0
#include "tlm/verilated/build_tool.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <sstream>

namespace polycast::tlm {

namespace fs = std::filesystem;

namespace {

/// The new process: nothing between fork and exec may take a lock.
[[noreturn]] void become(char* const* argv, const char* log, pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(1);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    const int in = ::open("/dev/null", O_RDONLY);
    const int out = ::open(log, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (in < 0 || out < 0) ::_exit(1);
    ::dup2(in, STDIN_FILENO);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    ::execvp(argv[0], argv);
    ::_exit(127);
}

}  // namespace

bool run_build_tool(const std::vector<std::string>& arguments, const fs::path& log) {
    std::vector<std::string> copy = arguments;
    std::vector<char*> argv;
    std::transform(copy.begin(), copy.end(), std::back_inserter(argv), [](std::string& text) { return text.data(); });
    argv.push_back(nullptr);
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) return false;
    if (child == 0) become(argv.data(), log.c_str(), parent);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return false;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string compiler_identity() {
    const char* chosen = std::getenv("CXX");
    const std::string name = chosen != nullptr && *chosen != '\0' ? chosen : "c++";
    const char* path = std::getenv("PATH");
    std::istringstream folders(name.find('/') != std::string::npos || path == nullptr ? "" : path);
    std::string folder;
    fs::path file = name;
    std::error_code error;
    while (std::getline(folders, folder, ':')) {
        if (!fs::exists(fs::path(folder) / name, error)) continue;
        file = fs::path(folder) / name;
        break;
    }
    const fs::path real = fs::canonical(file, error);
    if (error) return name;
    const std::uintmax_t bytes = fs::file_size(real, error);
    return real.string() + " " + std::to_string(error ? 0 : bytes);
}

}  // namespace polycast::tlm
