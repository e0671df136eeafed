// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/program_file.h"

#include "hw/input_error.h"
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
            "which begin with Nodes, and algorithms of MSCCL, which begin with <algo");
    switch (*format) {
        case program_format::goal: return read_goal_text(name, bytes, options, release);
        case program_format::goal_binary: return read_goal_binary(name, bytes, options, release);
        case program_format::htsim: return read_htsim_matrix(name, bytes, options);
        case program_format::msccl: break;
    }
    return read_msccl(name, bytes, options);
}

program read_program(const std::string& path, const read_options& options, std::optional<program_format> format) {
    mapped_file file(path);
    return read_program_bytes(path, file.bytes(), options, format, [&](std::size_t end) { file.release(end); });
}

void write_program(const program& written, program_format format, const std::function<void(std::string_view)>& take) {
    if (format == program_format::goal)
        write_goal_text(written, take);
    else if (format == program_format::goal_binary)
        write_goal_binary(written, take);
    else
        throw input_error("programs are not written as '" + std::string(name_in(program_formats, format)) + "'",
                          "goal and goal_binary are");
}

}  // namespace polycast::hw::programs
