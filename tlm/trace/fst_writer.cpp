// SPDX-License-Identifier: Apache-2.0
#include "tlm/trace/fst_writer.h"

#include <lz4.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <limits>
#include <numeric>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tlm/trace/output_file.h"

// The library comes as sources. A Verilated model with --trace-fst brings its own copy into the same program, compiled
// with other options; under another namespace the two never meet.
#define fst polycast_fstcpp
#include "fstcpp/fstcpp_variable_info.cpp"
#include "fstcpp/fstcpp_writer.cpp"

namespace fst {

/// The library never looks at its stream after opening it and aborts on some failures. It grants access to a class of
/// this name, through which the stream is set to throw instead.
class WriterTest {
public:
    static std::ofstream& stream(Writer& writer) { return writer.m_main_fst_file_; }
};

}  // namespace fst

namespace polycast::tlm::trace {

namespace {

/// Changes that are collected before they are packed into a block of the file; about 15 bytes each in memory.
constexpr std::size_t changes_per_block = std::size_t{1} << 22;

std::string binary(std::uint64_t value, unsigned bits) {
    std::string text;
    for (unsigned bit = bits; bit-- > 0;) text += (value >> bit & 1) != 0 ? '1' : '0';
    return text;
}

}  // namespace

struct fst_writer::library {
    partial_file file;
    fst::Writer writer;
    std::vector<fst::Handle> handles;
    std::size_t changes = 0;

    explicit library(const std::filesystem::path& path) : file(path) {}

    ~library() {
        // The writer's destructor would complete the file, and fail again where it has failed before.
        std::ofstream& stream = fst::WriterTest::stream(writer);
        stream.exceptions(std::ios::goodbit);
        stream.close();
    }

    /// Runs something that may write, and turns a failure into an error that names the file and the reason.
    template <typename Function>
    void checked(Function function) {
        errno = 0;
        try {
            function();
        } catch (const std::ios_base::failure&) {
            file.fail(errno);
        }
    }
};

fst_writer::fst_writer(const std::filesystem::path& file, const wave_layout& layout)
    : library_(std::make_unique<library>(file)) {
    fst::Writer& writer = library_->writer;
    library_->checked([&] {
        fst::WriterTest::stream(writer).exceptions(std::ios::failbit | std::ios::badbit);
        writer.open(library_->file.path().string());
    });
    writer.setTimecale(static_cast<std::int8_t>(layout.timescale));
    writer.setWriter("polycast");
    writer.setDate("                        \n");  // its length is fixed

    std::vector<fst::EnumHandle> tables(layout.enumerations.size());
    library_->handles.reserve(layout.signals.size());
    walk_scopes(
        layout, [&](const std::string& name) { writer.setScope(fst::Hierarchy::ScopeType::VCD_MODULE, name, ""); },
        [&] { writer.upscope(); },
        [&](std::size_t index) {
            const wave_signal& signal = layout.signals[index];
            if (signal.radix == wave_radix::enumeration) {
                fst::EnumHandle& table = tables[signal.enumeration];
                if (table == 0) {
                    const wave_enumeration& source = layout.enumerations[signal.enumeration];
                    std::vector<std::pair<std::string, std::string>> entries;
                    for (const auto& [value, name] : source.values)
                        entries.emplace_back(name, binary(value, signal.bits));
                    std::vector<std::pair<const char*, const char*>> pointers;
                    for (const auto& [name, value] : entries) pointers.emplace_back(name.c_str(), value.c_str());
                    table = writer.createEnumTable(source.name.c_str(), signal.bits, pointers);
                }
                writer.emitEnumTableRef(table);
            }
            const auto direction = signal.direction == wave_direction::input ? fst::Hierarchy::VarDirection::INPUT
                                   : signal.direction == wave_direction::output
                                       ? fst::Hierarchy::VarDirection::OUTPUT
                                       : fst::Hierarchy::VarDirection::IMPLICIT;
            const std::string range = signal.bits > 1 ? " [" + std::to_string(signal.bits - 1) + ":0]" : "";
            library_->handles.push_back(
                writer.createVar(fst::Hierarchy::VarType::VCD_WIRE, direction, signal.bits, signal.name + range, 0));
        });
}

fst_writer::~fst_writer() = default;

void fst_writer::set_time(std::uint64_t time) {
    if (library_->changes >= changes_per_block) {
        library_->writer.flushValueChangeData();
        library_->changes = 0;
    }
    library_->checked([&] { library_->writer.emitTimeChange(time); });
}

void fst_writer::change(std::size_t signal, std::span<const std::uint64_t> value) {
    ++library_->changes;
    if (value.size() == 1) {
        library_->writer.emitValueChange(library_->handles[signal], value[0]);
    } else {
        library_->writer.emitValueChange(library_->handles[signal], value.data());
    }
}

void fst_writer::close() {
    library_->checked([&] { library_->writer.close(); });
    library_->file.commit();
}

}  // namespace polycast::tlm::trace
