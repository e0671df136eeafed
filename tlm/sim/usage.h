// SPDX-License-Identifier: Apache-2.0
/// \file Processor time and memory that the program has used.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace polycast::tlm::sim {

/// Time of the calling thread, in seconds.
double thread_cpu_seconds();

/// Time of all threads of this process, in seconds.
double process_cpu_seconds();

/// Time of this process and of its children that have ended, in seconds.
double family_cpu_seconds();

/// Peak memory of this process, or of the child with the most.
std::uint64_t peak_bytes();

/// Number behind a word of one of the kernel's text files, "VmHWM:" of /proc/self/status; 0 if there is none.
std::uint64_t value_in(const std::filesystem::path& file, const std::string& word);

/// "950 B", "1.2 KB", "34.5 MB", "1.2 GB": powers of ten.
std::string size_text(std::uint64_t bytes);

/// What to say where memory has run out.
std::string out_of_memory();

}  // namespace polycast::tlm::sim
