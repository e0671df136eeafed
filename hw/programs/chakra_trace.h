// SPDX-License-Identifier: Apache-2.0
/// \file One file of a Chakra execution trace as it stands there: records, the nodes in them, and where they stand.
/// programs.md has the format. libprotobuf reads the messages; nothing is allocated by a number in the file before the
/// file's size bears it out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hw/names.h"

namespace polycast::hw::programs::chakra {

namespace wire {
class Attribute;
class Node;
}  // namespace wire

inline constexpr std::size_t most_record_bytes = std::size_t{64} << 20;

/// Numbers are those of the schema.
enum class node_kind : std::uint8_t { invalid, metadata, mem_load, mem_store, comp, comm_send, comm_recv, comm_coll };

inline constexpr named<node_kind> node_kinds[] = {
    {node_kind::invalid, "INVALID"},     {node_kind::metadata, "METADATA"},  {node_kind::mem_load, "MEM_LOAD"},
    {node_kind::mem_store, "MEM_STORE"}, {node_kind::comp, "COMP"},          {node_kind::comm_send, "COMM_SEND"},
    {node_kind::comm_recv, "COMM_RECV"}, {node_kind::comm_coll, "COMM_COLL"}};

/// What of a node means something here; attributes that are absent are empty.
struct node {
    std::uint64_t id = 0;
    std::string name;
    node_kind kind = node_kind::invalid;
    std::uint64_t duration_micros = 0;
    std::string inputs;  ///< their values
    std::optional<bool> is_cpu_op;
    std::optional<std::int64_t> comm_type, comm_size, comm_src, comm_dst, comm_tag, num_ops, tensor_size, tid;
    std::optional<std::string> pg_name;
    std::vector<std::uint64_t> depends_on;  ///< ids, ascending, each once
    std::uint64_t byte = 0;                 ///< of the file, where its record begins
};

/// Whether bytes begin with the metadata of a trace.
bool begins_as_trace(std::string_view bytes);

/// A file whose records are known and whose ids differ. Records are numbered from 0, the metadata. Name and bytes must
/// outlive it.
class trace {
public:
    /// \param name of the file, for messages \throws input_error with record and byte
    trace(const std::string& name, std::string_view bytes);
    ~trace();

    std::uint32_t nodes() const { return static_cast<std::uint32_t>(places_.size()); }

    /// Nodes in the order of their ids. \throws input_error for attributes that are not known, or of another type
    void read(std::uint32_t index, node& into);

    /// The place of an id in that order; nothing where there is no such node.
    std::optional<std::uint32_t> find(std::uint64_t id) const;

    /// \throws input_error that begins with the file, and the node's id, name, record and byte
    [[noreturn]] void fail(const node& at, const std::string& message, const std::string& proposal = {}) const;

    const std::string& name() const { return name_; }

private:
    struct place {
        std::uint64_t id = 0, byte = 0;  ///< of the length in front of the record
    };

    /// The record whose length begins at `byte`; which is then behind it.
    std::string_view next_record(std::uint32_t number, std::uint64_t& byte) const;
    [[noreturn]] void fail_record(std::uint32_t number, std::uint64_t byte, const std::string& message,
                                  const std::string& proposal = {}) const;
    std::uint32_t record_of(std::uint64_t byte) const;
    void set(const wire::Attribute& from, node& into) const;

    const std::string& name_;
    std::string_view bytes_;
    std::vector<place> places_;            ///< ascending ids
    std::unique_ptr<wire::Node> message_;  ///< the node that was read last: its memory serves the next one
};

/// "node 12 'all_reduce'"
std::string node_text(const node& of);

}  // namespace polycast::hw::programs::chakra
