// SPDX-License-Identifier: Apache-2.0
/// \file How a chip tells shared objects what happens (hw/engine/effects.h), whichever thread or process steps it.
#pragma once

#include <cereal/archives/binary.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/tuple.hpp>
#include <cereal/types/vector.hpp>
#include <functional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "hw/engine/effects.h"

namespace polycast::hw::engine {

/// Writes effects down.
class effect_writer {
public:
    /// \param action its number among those of the chip's effects
    template <typename... values>
    void add(cycle when, std::uint32_t chip, std::uint16_t action, const values&... all) {
        const std::pair now{when, chip};
        if (turns_.empty() || turns_.back().when_and_chip != now) {
            in_order_ = in_order_ && (turns_.empty() || turns_.back().when_and_chip < now);
            turns_.push_back({now, static_cast<std::size_t>(bytes_.tellp())});
        }
        archive_(when, chip, action, all...);
    }
    /// Since the last take().
    bool any() const { return !turns_.empty(); }
    /// What was written since the last time, in the order of cycles and chips.
    std::string take();

private:
    /// What one step of a chip has to say begins here.
    struct turn {
        std::pair<cycle, std::uint32_t> when_and_chip;
        std::size_t place;
    };
    std::ostringstream bytes_;
    cereal::BinaryOutputArchive archive_{bytes_};
    std::vector<turn> turns_;
    bool in_order_ = true;
};

/// Reads them. What it stands at is an effect that has not been done.
class effect_reader {
public:
    explicit effect_reader(const std::string& bytes) : bytes_(bytes) { next(); }
    bool over() const { return over_; }
    cycle when() const { return when_; }
    std::uint32_t chip() const { return chip_; }
    std::uint16_t action() const { return action_; }
    template <typename... values>
    void read(values&... all) {
        archive_(all...);
    }
    void next() {
        over_ = bytes_.peek() == std::istringstream::traits_type::eof();
        if (!over_) archive_(when_, chip_, action_);
    }

private:
    std::istringstream bytes_;
    cereal::BinaryInputArchive archive_{bytes_};
    bool over_ = false;
    cycle when_ = 0;
    std::uint32_t chip_ = 0;
    std::uint16_t action_ = 0;
};

/// What is kept of an argument until its turn; types that only look at bytes have one of their own.
template <typename type>
struct kept {
    std::remove_cvref_t<type> value;

    kept() = default;
    explicit kept(const std::remove_cvref_t<type>& from) : value(from) {}
    const std::remove_cvref_t<type>& give() const { return value; }
    template <typename archive>
    void serialize(archive& all) {
        all(value);
    }
};
template <>
struct kept<std::span<const std::uint8_t>> {
    std::vector<std::uint8_t> value;

    kept() = default;
    explicit kept(std::span<const std::uint8_t> from) : value(from.begin(), from.end()) {}
    std::span<const std::uint8_t> give() const { return value; }
    template <typename archive>
    void serialize(archive& all) {
        all(value);
    }
};
template <>
struct kept<std::string_view> : kept<std::string> {
    using kept<std::string>::kept;
    explicit kept(std::string_view from) : kept<std::string>(std::string(from)) {}
};

/// A function of shared objects that one chip calls: done at once, or when it is the chip's turn, with copies of its
/// arguments.
template <typename... arguments>
class told {
public:
    /// `through` and what `act` uses outlive it.
    told(effects& through, std::function<void(arguments...)> act)
        : through_(through), act_(std::move(act)), number_(through.add([this](effect_reader& from) {
              all_kept all;
              from.read(all);
              give(all);
          })) {}
    told(const told&) = delete;
    told& operator=(const told&) = delete;

    void operator()(arguments... all) const {
        effect_log* const log = through_.log();
        if (log == nullptr) return act_(all...);
        all_kept mine{kept<arguments>(all)...};
        if (effect_writer* const writer = log->writer()) return writer->add(log->when(), log->chip(), number_, mine);
        log->add([this, mine = std::move(mine)] { give(mine); });
    }

private:
    using all_kept = std::tuple<kept<arguments>...>;

    void give(const all_kept& all) const {
        std::apply([this](const kept<arguments>&... each) { act_(each.give()...); }, all);
    }

    effects& through_;
    std::function<void(arguments...)> act_;
    std::uint16_t number_;
};

}  // namespace polycast::hw::engine
