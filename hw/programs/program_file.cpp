// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/program_file.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <filesystem>

#include "hw/input_error.h"
#include "hw/programs/chakra_trace.h"
#include "hw/programs/goal_binary.h"
#include "hw/programs/goal_text.h"
#include "hw/programs/htsim_matrix.h"
#include "hw/programs/mapped_file.h"
#include "hw/programs/msccl.h"
#include "hw/programs/msccl_xml.h"
#include "hw/topology/text_cursor.h"

namespace polycast::hw::programs {

namespace {

/// The text behind blanks, ends of lines and comments of all text formats.
std::string_view begin_of_text(std::string_view text) {
    for (;;) {
        const std::size_t begin = text.find_first_not_of(" \t\r\n");
        if (begin == std::string_view::npos) return {};
        text.remove_prefix(begin);
        const bool line = text.starts_with("//") || text.starts_with("#");
        if (!line && !text.starts_with("/*")) return text;
        const std::string_view closing = line ? "\n" : "*/";
        const std::size_t end = text.find(closing, line ? 0 : 2);
        if (end == std::string_view::npos) return {};
        text.remove_prefix(end + closing.size());
    }
}

}  // namespace

std::optional<program_format> detect_program_format(std::string_view bytes) {
    if (begins_as_goal_binary(bytes)) return program_format::goal_binary;
    if (begin_of_text(bytes).starts_with("num_ranks")) return program_format::goal;
    if (begin_of_text(bytes).starts_with(htsim_matrix_word)) return program_format::htsim;
    if (msccl::begins_as_msccl(bytes)) return program_format::msccl;
    if (chakra::begins_as_trace(bytes)) return program_format::chakra;
    return std::nullopt;
}

program read_program_bytes(const std::string& name, std::string_view bytes, const read_options& options,
                           std::optional<program_format> format, const std::function<void(std::size_t)>& release) {
    if (!format) format = detect_program_format(bytes);
    if (!format)
        throw input_error(
            name, {},
            bytes.empty()
                ? "the file is empty"
                : "this is no program: it begins with " + topology::excerpt(begin_of_text(bytes).substr(0, 20)),
            "known: GOAL as text, which begins with num_ranks, binary GOAL, connection matrices of htsim, "
            "which begin with Nodes, algorithms of MSCCL, which begin with <algo, and Chakra traces, which begin with "
            "their metadata");
    switch (*format) {
        case program_format::goal: return read_goal_text(name, bytes, options, release);
        case program_format::goal_binary: return read_goal_binary(name, bytes, options, release);
        case program_format::htsim: return read_htsim_matrix(name, bytes, options);
        case program_format::msccl: return read_msccl(name, bytes, options);
        case program_format::chakra: break;
    }
    const program_bytes file{name, bytes};
    return read_chakra({&file, 1}, options);
}

std::vector<std::string> program_files(const std::string& path) {
    namespace fs = std::filesystem;
    const auto of_rank = [&](std::uint64_t rank) { return path + "." + std::to_string(rank) + ".et"; };
    std::error_code ignored;
    if (fs::exists(path, ignored) && !fs::is_directory(path, ignored)) return {path};
    std::uint64_t last = 0;
    bool found = false;
    const fs::path folder = fs::path(path).parent_path();
    const std::string begin = fs::path(path).filename().string() + ".";
    for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, ignored)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(begin) || !name.ends_with(".et") || name.size() < begin.size() + 4) continue;
        std::uint32_t rank = 0;
        const char* const end = name.data() + name.size() - 3;
        const auto [stop, error] = std::from_chars(name.data() + begin.size(), end, rank);
        if (error != std::errc{} || stop != end || of_rank(rank) != path + name.substr(begin.size() - 1)) continue;
        last = std::max<std::uint64_t>(last, rank);
        found = true;
    }
    if (!found) return {path};
    if (last >= most_ranks)
        throw input_error(of_rank(last), {},
                          "rank " + std::to_string(last) + "; a program has at most " + std::to_string(most_ranks));
    std::vector<std::string> files;
    for (std::uint64_t rank = 0; rank <= last; ++rank) {
        files.push_back(of_rank(rank));
        if (!fs::exists(files.back(), ignored))
            throw input_error(files.back(), {}, "is not there, but " + of_rank(last) + " is",
                              "a trace has a file for each rank, from 0 on");
    }
    return files;
}

program read_program_files(std::span<const program_bytes> files, const read_options& options,
                           std::optional<program_format> format, const std::function<void(std::size_t)>& release) {
    if (files.size() == 1) return read_program_bytes(files.front().name, files.front().bytes, options, format, release);
    if (format.value_or(program_format::chakra) != program_format::chakra)
        throw input_error(files.front().name, {},
                          "a program in " + std::to_string(files.size()) + " files; one in the format '" +
                              std::string(name_in(program_formats, *format)) + "' has one");
    return read_chakra(files, options);
}

program read_program(const std::string& path, const read_options& options, std::optional<program_format> format) {
    std::deque<mapped_file> maps;
    std::vector<program_bytes> files;
    for (const std::string& name : program_files(path)) files.push_back({name, maps.emplace_back(name).bytes()});
    return read_program_files(files, options, format, [&](std::size_t end) { maps.front().release(end); });
}

void write_program(const program& written, program_format format, const std::function<void(std::string_view)>& take,
                   std::uint64_t unit) {
    if (format == program_format::goal)
        write_goal_text(written, take, unit);
    else if (format == program_format::goal_binary)
        write_goal_binary(written, take, unit);
    else
        throw input_error("programs are not written as '" + std::string(name_in(program_formats, format)) + "'",
                          "goal and goal_binary are");
}

}  // namespace polycast::hw::programs
