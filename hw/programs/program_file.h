// SPDX-License-Identifier: Apache-2.0
/// \file Files of programs: one function to read and one to write all formats.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hw/names.h"
#include "hw/programs/chakra.h"
#include "hw/programs/program.h"
#include "hw/programs/read_options.h"

namespace polycast::hw::programs {

enum class program_format : std::uint8_t { goal, goal_binary, htsim, msccl, chakra };

inline constexpr named<program_format> program_formats[] = {
    {program_format::goal, "goal", "GOAL as text"},
    {program_format::goal_binary, "goal_binary", "binary GOAL, as LogGOPSim runs it"},
    {program_format::htsim, "htsim", "connection matrix of htsim (.cm)"},
    {program_format::msccl, "msccl", "algorithm of MSCCL (XML)"},
    {program_format::chakra, "chakra", "Chakra execution trace (.et)"}};

/// Those that programs can be written in.
inline constexpr named<program_format> written_formats[] = {program_formats[0], program_formats[1]};

/// What a file is by its content; nothing where it is none of these.
std::optional<program_format> detect_program_format(std::string_view bytes);

/// The files of a program: the one of that path; or of a Chakra trace P those that are there: P.0.et, P.1.et, .., one
/// for each rank. \throws input_error where one between is missing
std::vector<std::string> program_files(const std::string& path);

/// Reads a program. The file is recognised by its content unless `format` says what it is. Several files are a Chakra
/// trace. \throws input_error with place and reason
program read_program(const std::string& path, const read_options& options = {},
                     std::optional<program_format> format = std::nullopt);

/// The same from memory; `name` stands for the file in messages.
program read_program_bytes(const std::string& name, std::string_view bytes, const read_options& options = {},
                           std::optional<program_format> format = std::nullopt,
                           const std::function<void(std::size_t)>& release = {});

/// Files of program_files(), likewise.
program read_program_files(std::span<const program_bytes> files, const read_options& options = {},
                           std::optional<program_format> format = std::nullopt,
                           const std::function<void(std::size_t)>& release = {});

/// Gives `take` a file, piece by piece; reading it with the same unit of times, in picoseconds, gives an equal program.
/// \throws input_error if the format cannot hold it
void write_program(const program& written, program_format format, const std::function<void(std::string_view)>& take,
                   std::uint64_t unit = default_unit);

}  // namespace polycast::hw::programs
