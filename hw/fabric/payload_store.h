// SPDX-License-Identifier: Apache-2.0
/// \file Payloads of equal length that packets and nodes share: a packet is a handle, and a copy of it is one, too.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace polycast::hw::fabric {

using payload_id = std::uint32_t;

class payload_store {
public:
    explicit payload_store(std::size_t bytes) : bytes_(bytes) {}

    /// A payload with one user, of unspecified content.
    payload_id take() {
        if (free_.empty()) {
            users_.push_back(1);
            store_.resize(store_.size() + bytes_);
            return static_cast<payload_id>(users_.size() - 1);
        }
        const payload_id id = free_.back();
        free_.pop_back();
        users_[id] = 1;
        return id;
    }
    payload_id take_xor(payload_id a, payload_id b) {
        const payload_id id = take();
        const std::span<std::uint8_t> sum = (*this)[id];
        const std::span<std::uint8_t> left = (*this)[a], right = (*this)[b];
        for (std::size_t i = 0; i < bytes_; ++i) sum[i] = left[i] ^ right[i];
        return id;
    }
    payload_id share(payload_id id) {
        ++users_[id];
        return id;
    }
    void give_back(payload_id id) {
        if (--users_[id] == 0) free_.push_back(id);
    }

    std::span<std::uint8_t> operator[](payload_id id) { return {store_.data() + std::size_t{id} * bytes_, bytes_}; }

    std::size_t memory_bytes() const {
        return store_.capacity() + (users_.capacity() + free_.capacity()) * sizeof(std::uint32_t);
    }

private:
    std::size_t bytes_;
    std::vector<std::uint8_t> store_;
    std::vector<std::uint32_t> users_;  ///< [payload]
    std::vector<payload_id> free_;
};

}  // namespace polycast::hw::fabric
