// SPDX-License-Identifier: Apache-2.0
/// \file The TCP side of a gdb server: one connection at a time, packets of the remote serial protocol.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace polycast::hw::riscv {

/// Packets are without frame and checksum; Ctrl-C arrives as the packet "\x03". A connection that fails is closed.
class gdb_link {
public:
    /// Listens. \param port 0 = any free one \throws input_error when it cannot
    gdb_link(const std::string& address, std::uint16_t port);
    ~gdb_link();
    gdb_link(const gdb_link&) = delete;
    gdb_link& operator=(const gdb_link&) = delete;

    std::uint16_t port() const;
    bool connected() const;

    /// Accepts a waiting connection; `wait`: blocks until there is one. \returns whether there is one
    bool accept(bool wait);

    /// Whether a packet has arrived, as far as that can be seen without waiting; false also when the other end has
    /// gone.
    bool pending();

    /// Waits for the next packet; nothing when the connection has ended.
    std::optional<std::string> receive();

    void send(const std::string& packet);
    void close();

    /// From now on neither side acknowledges packets.
    void stop_acknowledging();

private:
    class implementation;
    std::unique_ptr<implementation> implementation_;
};

}  // namespace polycast::hw::riscv
