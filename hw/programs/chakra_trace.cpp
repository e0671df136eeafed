// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/chakra_trace.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <array>
#include <limits>

#include "chakra.pb.h"
#include "hw/input_error.h"
#include "hw/programs/program.h"
#include "hw/topology/nearest_name.h"

namespace polycast::hw::programs::chakra {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

/// Fields of a record are counted before it is parsed: an empty attribute has 2 bytes in the file and 60 in memory, a
/// dependency 1 byte in the file.
constexpr std::uint32_t most_attributes = 65'536;
constexpr std::uint64_t most_dependency_bytes = std::uint64_t{8} << 20;

/// Attributes that are used, and those that are known to mean nothing for a program.
constexpr std::array<std::string_view, 10> used_attributes{"is_cpu_op",   "comm_type", "comm_size", "comm_src",
                                                           "comm_dst",    "comm_tag",  "pg_name",   "num_ops",
                                                           "tensor_size", "tid"};
constexpr auto ignored_attributes = std::to_array<std::string_view>(
    {"comm_group",    "comm_para",      "comm_priority",  "correlation", "dtype",      "exec_time", "external_id",
     "finish_ts",     "fw_parent",      "fw_tid",         "global_rank", "group_size", "in_dtypes", "in_msg_nelems",
     "in_split_size", "involved_dim",   "kernel_backend", "kernel_file", "local_rank", "op_schema", "op_type",
     "out_dtypes",    "out_msg_nelems", "out_split_size", "pg_desc",     "rf_id",      "runtime",   "scope",
     "seq",           "seq_id",         "start_ts",       "stream",      "stream_id",  "tensor_id", "tensor_loc"});

constexpr std::uint32_t metadata_attributes = wire::GlobalMetadata::kAttrFieldNumber;
constexpr std::uint32_t node_attributes = wire::Node::kAttrFieldNumber;

template <typename message>
bool parse(message& into, std::string_view bytes) {
    return into.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

CodedInputStream stream_of(std::string_view bytes) {
    return CodedInputStream(reinterpret_cast<const std::uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
}

/// What a record would need in memory, and its id, by its fields alone.
struct field_counts {
    bool whole = false;  ///< all of it is fields
    std::uint32_t fields = 0, attributes = 0;
    std::uint64_t dependency_bytes = 0;
    std::uint64_t id = 0;
};

field_counts count_fields(std::string_view record, std::uint32_t attribute_field) {
    field_counts found;
    CodedInputStream in = stream_of(record);
    for (;;) {
        const int before = in.CurrentPosition();
        const std::uint32_t tag = in.ReadTag();
        if (tag == 0) {
            found.whole = in.ConsumedEntireMessage() && static_cast<std::size_t>(before) == record.size();
            return found;
        }
        const auto field = static_cast<std::uint32_t>(WireFormatLite::GetTagFieldNumber(tag));
        const bool varint = WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_VARINT;
        if (varint && field == wire::Node::kIdFieldNumber ? !in.ReadVarint64(&found.id)
                                                          : !WireFormatLite::SkipField(&in, tag))
            return found;
        ++found.fields;
        if (field == attribute_field) ++found.attributes;
        if (field == wire::Node::kCtrlDepsFieldNumber || field == wire::Node::kDataDepsFieldNumber)
            found.dependency_bytes += static_cast<std::uint64_t>(in.CurrentPosition() - before);
    }
}

/// Of any type of whole numbers; nothing for other values.
std::optional<std::int64_t> whole_number(const wire::Attribute& of) {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const auto in_range = [](std::uint64_t value) {
        return value > most ? std::nullopt : std::optional(static_cast<std::int64_t>(value));
    };
    switch (of.value_case()) {
        case wire::Attribute::kInt32Val: return of.int32_val();
        case wire::Attribute::kInt64Val: return of.int64_val();
        case wire::Attribute::kUint32Val: return of.uint32_val();
        case wire::Attribute::kUint64Val: return in_range(of.uint64_val());
        case wire::Attribute::kSint32Val: return of.sint32_val();
        case wire::Attribute::kSint64Val: return of.sint64_val();
        case wire::Attribute::kFixed32Val: return of.fixed32_val();
        case wire::Attribute::kFixed64Val: return in_range(of.fixed64_val());
        case wire::Attribute::kSfixed32Val: return of.sfixed32_val();
        case wire::Attribute::kSfixed64Val: return of.sfixed64_val();
        default: return std::nullopt;
    }
}

std::optional<std::string> text(const wire::Attribute& of) {
    if (of.value_case() == wire::Attribute::kStringVal) return of.string_val();
    if (of.value_case() == wire::Attribute::kBytesVal) return of.bytes_val();
    const std::optional<std::int64_t> number = whole_number(of);
    return number ? std::optional(std::to_string(*number)) : std::nullopt;
}

}  // namespace

std::string node_text(const node& of) {
    return "node " + std::to_string(of.id) + (of.name.empty() ? "" : " '" + std::string(of.name) + "'");
}

bool begins_as_trace(std::string_view bytes) {
    CodedInputStream in = stream_of(bytes.substr(0, most_record_bytes + 10));
    std::uint64_t length = 0;
    if (!in.ReadVarint64(&length) || length == 0 || length > most_record_bytes) return false;
    const auto begin = static_cast<std::size_t>(in.CurrentPosition());
    if (length > bytes.size() - begin) return false;
    const std::string_view record = bytes.substr(begin, length);
    const field_counts counts = count_fields(record, metadata_attributes);
    wire::GlobalMetadata metadata;
    if (!counts.whole || counts.attributes > most_attributes || !parse(metadata, record)) return false;
    // Bytes of something else are parsed as fields that metadata does not have.
    const auto versions = static_cast<std::uint32_t>(!metadata.version().empty());
    return counts.fields == counts.attributes + versions &&
           std::ranges::none_of(metadata.attr(), [](const wire::Attribute& one) { return one.name().empty(); });
}

trace::trace(const std::string& name, std::string_view bytes)
    : name_(name), bytes_(bytes), message_(std::make_unique<wire::Node>()) {
    // Records are counted first, so that the list of nodes is not longer than they are.
    std::uint32_t records = 0;
    for (std::uint64_t byte = 0; byte < bytes.size(); ++records) {
        if (records == most_operations_of_rank)
            fail_record(records, byte, "more nodes than a rank can have operations");
        next_record(records, byte);
    }
    if (records == 0) throw input_error(name_, {}, "the file is empty", "a trace begins with its metadata");
    places_.reserve(records - 1);
    std::uint64_t byte = 0;
    for (std::uint32_t number = 0; number < records; ++number) {
        const std::uint64_t begin = byte;
        const std::string_view record = next_record(number, byte);
        const field_counts counts = count_fields(record, number == 0 ? metadata_attributes : node_attributes);
        if (!counts.whole) fail_record(number, begin, "is damaged: it does not consist of fields of Protocol Buffers");
        if (counts.attributes > most_attributes)
            fail_record(number, begin,
                        std::to_string(counts.attributes) + " attributes; at most " + std::to_string(most_attributes));
        if (number == 0) continue;
        if (counts.dependency_bytes > most_dependency_bytes)
            fail_record(number, begin,
                        std::to_string(counts.dependency_bytes) + " bytes of dependencies; at most " +
                            std::to_string(most_dependency_bytes));
        places_.push_back({counts.id, begin});
    }
    std::ranges::sort(places_,
                      [](const place& a, const place& b) { return a.id != b.id ? a.id < b.id : a.byte < b.byte; });
    const auto same = std::ranges::adjacent_find(places_, {}, &place::id);
    if (same != places_.end())
        fail_record(record_of(same[1].byte), same[1].byte,
                    "node " + std::to_string(same->id) + " is there twice: record " +
                        std::to_string(record_of(same->byte)) + " has this id, too");
}

trace::~trace() = default;

void trace::read(std::uint32_t index, node& into) {
    std::uint64_t byte = places_[index].byte;
    into = {};
    into.byte = byte;
    into.id = places_[index].id;
    const std::string_view record = next_record(index + 1, byte);
    wire::Node& from = *message_;
    if (!parse(from, record)) fail(into, "is damaged: it cannot be parsed as a node");
    into.name = from.name();
    constexpr auto kinds = static_cast<int>(std::size(node_kinds));
    if (from.type() < 0 || from.type() >= kinds)
        fail(into, "type " + std::to_string(from.type()) + "; known: 0 INVALID to " + std::to_string(kinds - 1) +
                       " COMM_COLL");
    into.kind = static_cast<node_kind>(from.type());
    into.duration_micros = from.duration_micros();
    if (into.kind == node_kind::metadata) into.inputs = from.inputs().values();
    into.depends_on.assign(from.ctrl_deps().begin(), from.ctrl_deps().end());
    into.depends_on.insert(into.depends_on.end(), from.data_deps().begin(), from.data_deps().end());
    std::ranges::sort(into.depends_on);
    into.depends_on.erase(std::unique(into.depends_on.begin(), into.depends_on.end()), into.depends_on.end());
    for (const wire::Attribute& one : from.attr()) set(one, into);
}

void trace::set(const wire::Attribute& from, node& into) const {
    const std::string& name = from.name();
    const auto once = [&]<typename type>(std::optional<type>& to, const std::optional<type>& value,
                                         const char* wanted) {
        if (to) fail(into, "attribute '" + name + "' is there twice");
        if (!value) fail(into, "attribute '" + name + "' is no " + wanted);
        to = value;
    };
    const std::pair<std::string_view, std::optional<std::int64_t>*> numbers[] = {{"comm_type", &into.comm_type},
                                                                                 {"comm_size", &into.comm_size},
                                                                                 {"comm_src", &into.comm_src},
                                                                                 {"comm_dst", &into.comm_dst},
                                                                                 {"comm_tag", &into.comm_tag},
                                                                                 {"num_ops", &into.num_ops},
                                                                                 {"tid", &into.tid},
                                                                                 {"tensor_size", &into.tensor_size}};
    for (const auto& [known, to] : numbers)
        if (name == known) return once(*to, whole_number(from), "whole number of 64 bits with a sign");
    if (name == "is_cpu_op") {
        const bool given = from.value_case() == wire::Attribute::kBoolVal;
        return once(into.is_cpu_op, given ? std::optional(from.bool_val()) : std::nullopt, "truth value");
    }
    if (name == "pg_name") return once(into.pg_name, text(from), "text");
    if (std::ranges::binary_search(ignored_attributes, std::string_view(name))) return;
    std::vector<std::string> known(ignored_attributes.begin(), ignored_attributes.end());
    known.insert(known.end(), used_attributes.begin(), used_attributes.end());
    const std::string near = topology::nearest_name(name, known);
    fail(into, "unknown attribute '" + name + "'", near.empty() ? "" : "did you mean '" + near + "'?");
}

void trace::fail_record(std::uint32_t number, std::uint64_t byte, const std::string& message,
                        const std::string& proposal) const {
    throw input_error(
        name_, {}, "record " + std::to_string(number) + " (byte " + std::to_string(byte) + "): " + message, proposal);
}

void trace::fail(const node& at, const std::string& message, const std::string& proposal) const {
    throw input_error(name_, {},
                      node_text(at) + " (record " + std::to_string(record_of(at.byte)) + ", byte " +
                          std::to_string(at.byte) + "): " + message,
                      proposal);
}

/// Only errors ask.
std::uint32_t trace::record_of(std::uint64_t byte) const {
    std::uint32_t number = 0;
    for (std::uint64_t at = 0; at < byte; ++number) next_record(number, at);
    return number;
}

std::string_view trace::next_record(std::uint32_t number, std::uint64_t& byte) const {
    constexpr std::size_t longest_length = 10;  // bytes of a varint
    CodedInputStream in = stream_of(bytes_.substr(byte, longest_length));
    std::uint64_t length = 0;
    if (!in.ReadVarint64(&length)) fail_record(number, byte, "its length is no number: is the file cut short?");
    const std::uint64_t begin = byte + static_cast<std::uint64_t>(in.CurrentPosition());
    if (length > most_record_bytes)
        fail_record(number, byte,
                    std::to_string(length) + " bytes; a record has at most " + std::to_string(most_record_bytes));
    if (length > bytes_.size() - begin)
        fail_record(number, byte,
                    std::to_string(length) + " bytes, and the file ends at byte " + std::to_string(bytes_.size()) +
                        ": is it cut short?");
    byte = begin + length;
    return bytes_.substr(begin, length);
}

std::optional<std::uint32_t> trace::find(std::uint64_t id) const {
    const auto found = std::ranges::lower_bound(places_, id, {}, &place::id);
    if (found == places_.end() || found->id != id) return std::nullopt;
    return static_cast<std::uint32_t>(found - places_.begin());
}

}  // namespace polycast::hw::programs::chakra
