// SPDX-License-Identifier: Apache-2.0
#include "tlm/ranks/ranks.h"

#include <dlfcn.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "hw/input_error.h"

namespace polycast::tlm::ranks {

namespace fs = std::filesystem;

namespace {

constexpr const char* program = "/proc/self/exe";

/// What Open MPI's mpirun, and srun with PMI or PMIx, tell the processes that they start.
bool started_with_others() {
    if (const char* const size = std::getenv("OMPI_COMM_WORLD_SIZE")) return std::string(size) != "1";
    if (const char* const size = std::getenv("PMI_SIZE")) return std::string(size) != "1";
    return std::getenv("PMIX_RANK") != nullptr;
}

/// Beside the program, or where it is installed.
fs::path library() {
    std::error_code failed;
    const fs::path folder = fs::read_symlink(program, failed).parent_path();
    for (const char* const place : {".", POLYCAST_INSTALLED_LIBRARIES})
        if (const fs::path found = folder / place / "libpolycast_mpi.so"; fs::exists(found)) return found;
    return {};
}

}  // namespace

std::shared_ptr<hw::engine::rank_group> started_ranks() {
    if (!started_with_others()) return nullptr;
    const fs::path file = library();
    if (file.empty())
        throw hw::input_error("this program was built without MPI, and was started as one of several ranks",
                              "install libboost-mpi-dev and openmpi-bin and build it again, or start one process");
    // Its symbols are not the program's; it is never unloaded, as MPI cannot be started twice.
    void* const loaded = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const make = loaded != nullptr ? ::dlsym(loaded, make_ranks_name) : nullptr;
    if (make == nullptr)
        throw hw::input_error("cannot load " + file.string() + ": " + ::dlerror(),
                              "MPI is in the package openmpi-bin, Boost.MPI in libboost-mpi1.74.0");
    std::shared_ptr<hw::engine::rank_group> made;
    reinterpret_cast<make_ranks*>(make)(made);
    if (made->size() == 1) return nullptr;
    return made;
}

bool started_first() {
    for (const char* const name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"})
        if (const char* const rank = std::getenv(name)) return std::string_view(rank) == "0";
    return true;
}

unsigned ranks_of_machine() {
    for (const char* const name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_NTASKS_PER_NODE"}) {
        const char* const text = std::getenv(name);
        if (text == nullptr) continue;
        unsigned count = 0;
        std::from_chars(text, text + std::strlen(text), count);
        if (count != 0) return count;
    }
    return 1;
}

void require_same(hw::engine::rank_group& ranks, const std::string& what, const std::string& meant) {
    std::string answer;
    const std::vector<std::string> all = ranks.gather(what);
    for (unsigned rank = 1; rank < all.size() && answer.empty(); ++rank)
        if (all[rank] != all.front())
            answer = "rank " + std::to_string(rank) + " has another " + meant + " than rank 0";
    answer = ranks.spread(answer);
    if (!answer.empty()) throw hw::input_error(answer, "the same program and files on all machines");
}

std::string program_digest() {
    std::ifstream file(program, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    return std::to_string(bytes.size()) + ":" + std::to_string(std::hash<std::string>()(bytes));
}

}  // namespace polycast::tlm::ranks
