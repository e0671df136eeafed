// SPDX-License-Identifier: Apache-2.0
/// \file Texts that are written in pieces: of a large network no file is in memory as a whole.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace polycast::tlm {

/// Takes a text in pieces.
using text_sink = std::function<void(std::string_view)>;

/// A text on its way to a sink, many lines at a time.
class text_pieces {
public:
    explicit text_pieces(const text_sink& put) : put_(put) {}

    template <typename... values>
    void add(fmt::format_string<values...> format, values&&... of) {
        fmt::format_to(std::back_inserter(text_), format, std::forward<values>(of)...);
        if (text_.size() >= piece) end();
    }

    /// Passes on what is left.
    void end() {
        put_(text_);
        text_.clear();
    }

private:
    static constexpr std::size_t piece = 1u << 16;

    const text_sink& put_;
    std::string text_;
};

}  // namespace polycast::tlm
