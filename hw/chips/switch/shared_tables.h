// SPDX-License-Identifier: Apache-2.0
/// \file Tables that all switches of a network share: routes by destination switch instead of by host, and bit strings
/// that are equal. Copies of a switch's tables share them as well, until one is edited.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace polycast::hw::chips {

/// Bit string over hosts: bit h is bit h % 64 of word h / 64.
using bit_string = std::vector<std::uint64_t>;

/// A bit string that its copies share. Not for two threads, one of which edits.
class shared_string {
public:
    shared_string(bit_string bits = {}) : bits_(std::make_shared<bit_string>(std::move(bits))) {}
    shared_string(std::initializer_list<std::uint64_t> words) : shared_string(bit_string(words)) {}

    const bit_string& operator*() const { return *bits_; }
    operator const bit_string&() const { return *bits_; }
    std::uint64_t operator[](std::size_t word) const { return (*bits_)[word]; }
    std::size_t size() const { return bits_->size(); }
    bool empty() const { return bits_->empty(); }
    /// A string of its own from now on.
    bit_string& edit();

    bool operator==(const shared_string& other) const { return bits_ == other.bits_ || *bits_ == *other.bits_; }

private:
    std::shared_ptr<bit_string> bits_;
};

/// Minimal next ports from every switch of a network to every switch, in as few bytes as the largest switch allows, and
/// where the hosts are.
class network_routes {
public:
    /// \param ports of the largest switch
    network_routes(std::size_t switches, unsigned ports) : switches_(switches), bytes_((ports + 7) / 8) {
        sets_.fill(std::vector<std::uint8_t>(switches * switches * bytes_));
    }

    /// Hosts in order of their numbers.
    void add_host(std::uint32_t chip, unsigned port) { hosts_.push_back({chip, static_cast<std::uint8_t>(port)}); }
    /// `up`: while up links are allowed. 0 at the destination.
    void set(std::size_t from, std::size_t to, bool up, std::uint64_t ports) {
        std::uint8_t* const at = &sets_[up ? 1 : 0][(to * switches_ + from) * bytes_];
        for (unsigned byte = 0; byte < bytes_; ++byte) at[byte] = static_cast<std::uint8_t>(ports >> 8 * byte);
    }
    std::uint64_t to_switch(std::size_t from, std::size_t to, bool up) const {
        const std::uint8_t* const at = &sets_[up ? 1 : 0][(to * switches_ + from) * bytes_];
        std::uint64_t ports = 0;
        for (unsigned byte = 0; byte < bytes_; ++byte) ports |= std::uint64_t{at[byte]} << 8 * byte;
        return ports;
    }
    /// 0 for hosts that do not exist.
    std::uint64_t to_host(std::size_t from, std::size_t host, bool up) const {
        if (host >= hosts_.size()) return 0;
        const place& at = hosts_[host];
        return at.chip == from ? std::uint64_t{1} << at.port : to_switch(from, at.chip, up);
    }
    std::size_t switches() const { return switches_; }
    std::size_t memory_bytes() const { return 2 * sets_[0].capacity() + hosts_.capacity() * sizeof(place); }

private:
    struct place {
        std::uint32_t chip;
        std::uint8_t port;
    };

    std::size_t switches_;
    unsigned bytes_;                                 ///< of a set
    std::array<std::vector<std::uint8_t>, 2> sets_;  ///< [up][to][from][byte]
    std::vector<place> hosts_;
};

/// Sets of ports by destination: those of one switch among a network's routes, or its own.
class port_sets {
public:
    enum class to : std::uint8_t { hosts, switches };

    port_sets(std::vector<std::uint64_t> own = {}) : own_(std::move(own)) {}
    port_sets(std::initializer_list<std::uint64_t> own) : own_(own) {}
    /// \param entries hosts or switches; those that the network does not have have no route
    port_sets(std::shared_ptr<const network_routes> routes, std::uint32_t from, to what, bool up, std::size_t entries)
        : routes_(std::move(routes)), from_(from), what_(what), up_(up), entries_(entries) {}

    std::size_t size() const { return routes_ ? entries_ : own_.size(); }
    bool empty() const { return size() == 0; }
    std::uint64_t operator[](std::size_t entry) const {
        if (!routes_) return own_[entry];
        if (what_ == to::hosts) return routes_->to_host(from_, entry, up_);
        return entry < routes_->switches() ? routes_->to_switch(from_, entry, up_) : 0;
    }
    /// Its own from now on.
    std::vector<std::uint64_t>& edit();
    /// Routes that this is a part of, those from switch `from`; null: none.
    const network_routes* routes_from(std::uint32_t from) const { return from == from_ ? routes_.get() : nullptr; }
    /// Bytes of its own.
    std::size_t memory_bytes() const { return own_.capacity() * sizeof(std::uint64_t); }

    bool operator==(const port_sets& other) const;

private:
    std::shared_ptr<const network_routes> routes_;
    std::uint32_t from_ = 0;
    to what_ = to::hosts;
    bool up_ = false;
    std::size_t entries_ = 0;
    std::vector<std::uint64_t> own_;  ///< where there are no routes_
};

}  // namespace polycast::hw::chips
