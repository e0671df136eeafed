// SPDX-License-Identifier: Apache-2.0
/// \file The one exception for what a user got wrong: a scenario, a topology file, a command line.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace polycast::hw {

/// Place in a text, counted from 1; 0 where it is not known.
struct text_position {
    unsigned line = 0;
    unsigned column = 0;
};

/// A text that neither a terminal nor a log takes for anything else: control characters and bytes that are no UTF-8
/// become "\xNN". Quoted words that are longer than anybody reads are cut to 80 characters, paths excepted.
std::string printable(std::string_view text);

/// Bad input. what() reads "file:line:column: message; proposal", without the parts that are not known. Programs print
/// it and exit with status 2.
class input_error : public std::runtime_error {
public:
    input_error(const std::string& file, text_position position, const std::string& message,
                const std::string& proposal = {})
        : std::runtime_error(compose(file, position, message, proposal)) {}

    explicit input_error(const std::string& message, const std::string& proposal = {})
        : input_error({}, {}, message, proposal) {}

private:
    static std::string compose(const std::string& file, text_position position, const std::string& message,
                               const std::string& proposal);
};

}  // namespace polycast::hw
