// SPDX-License-Identifier: Apache-2.0
/// \file Flits in the buffers of a link end, packed.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "hw/chips/link/link_config.h"
#include "hw/engine/chip.h"

namespace polycast::hw::chips {

/// A cyclic buffer of places that are counted from reset on. It keeps what was written to the last capacity() of them,
/// and grows when it is told to.
/// \tparam Mark what is kept of a flit beside its bytes; has `head`, `tail` and `vc`
template <typename Mark>
class flit_store {
public:
    explicit flit_store(const link_config& config)
        : flit_bytes_(config.flit_bytes), header_bytes_(config.header_bytes) {
        resize(first_capacity);
    }

    std::uint64_t capacity() const { return marks_.size(); }

    /// \param flit null: none, but a mark
    void write(std::uint64_t place, const Mark& mark, const engine::flit* flit) {
        const std::size_t slot = place & mask_;
        marks_[slot] = mark;
        if (flit == nullptr) return;
        std::memcpy(&bytes_[slot * flit_bytes_], flit->data, flit_bytes_);
        if (header_bytes_ == 0) return;
        headers_[slot].clear();
        if (flit->head && flit->header != nullptr) headers_[slot].assign(flit->header, flit->header + header_bytes_);
    }

    const Mark& mark(std::uint64_t place) const { return marks_[place & mask_]; }
    Mark& mark(std::uint64_t place) { return marks_[place & mask_]; }
    /// Its bytes stay until the place is written again, or all places grow. Without a header in it, header wires are
    /// zero.
    engine::flit at(std::uint64_t place) const {
        const std::size_t slot = place & mask_;
        const Mark& mark = marks_[slot];
        const bool with_header = header_bytes_ != 0 && !headers_[slot].empty();
        return {mark.head, mark.tail, mark.vc, &bytes_[slot * flit_bytes_],
                with_header ? headers_[slot].data() : nullptr};
    }

    /// Flips a bit of its bytes.
    void flip_data(std::uint64_t place, unsigned bit) { flip(&bytes_[(place & mask_) * flit_bytes_], bit); }
    /// Of its free header, or of the wires for it.
    void flip_header(std::uint64_t place, unsigned bit) {
        std::vector<std::uint8_t>& header = headers_[place & mask_];
        header.resize(header_bytes_);
        flip(header.data(), bit);
    }

    /// Twice the places. \param end behind the last one that was written
    void grow(std::uint64_t end) {
        flit_store old = *this;
        resize(2 * old.capacity());
        for (std::uint64_t place = end < old.capacity() ? 0 : end - old.capacity(); place != end; ++place) {
            const std::size_t from = place & old.mask_, to = place & mask_;
            marks_[to] = old.marks_[from];
            std::memcpy(&bytes_[to * flit_bytes_], &old.bytes_[from * flit_bytes_], flit_bytes_);
            if (header_bytes_ != 0) headers_[to] = std::move(old.headers_[from]);
        }
    }

private:
    static constexpr std::size_t first_capacity = 16;

    static void flip(std::uint8_t* bytes, unsigned bit) {
        bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ 1u << bit % 8);
    }

    void resize(std::size_t places) {
        mask_ = places - 1;
        marks_.assign(places, {});
        bytes_.assign(places * flit_bytes_, 0);
        if (header_bytes_ != 0) headers_.assign(places, {});
    }

    std::size_t flit_bytes_;
    std::size_t header_bytes_;
    std::size_t mask_ = 0;
    std::vector<Mark> marks_;
    std::vector<std::uint8_t> bytes_;
    std::vector<std::vector<std::uint8_t>> headers_;  ///< if headers are free; empty: zero
};

/// A queue in a flit_store.
template <typename Mark>
class flit_queue {
public:
    explicit flit_queue(const link_config& config) : store_(config) {}

    bool empty() const { return first_ == end_; }
    std::uint64_t size() const { return end_ - first_; }
    void push(const Mark& mark, const engine::flit* flit) {
        if (size() == store_.capacity()) store_.grow(end_);
        store_.write(end_++, mark, flit);
    }
    const Mark& front() const { return store_.mark(first_); }
    Mark& front() { return store_.mark(first_); }
    /// Its bytes stay until something is pushed.
    engine::flit front_flit() const { return store_.at(first_); }
    void pop() { ++first_; }

private:
    flit_store<Mark> store_;
    std::uint64_t first_ = 0;
    std::uint64_t end_ = 0;
};

}  // namespace polycast::hw::chips
