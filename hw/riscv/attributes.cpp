// SPDX-License-Identifier: Apache-2.0
#include "hw/riscv/attributes.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace polycast::hw::riscv {
namespace {

/// Reads forward and never past the end; `good` falls when something was missing.
class reader {
public:
    explicit reader(std::span<const std::uint8_t> bytes) : rest_(bytes) {}

    bool good() const { return good_; }
    bool empty() const { return rest_.empty(); }

    std::uint32_t byte() {
        if (rest_.empty()) return fail();
        const std::uint32_t value = rest_.front();
        rest_ = rest_.subspan(1);
        return value;
    }

    std::uint32_t word() {
        std::uint32_t value = 0;
        for (unsigned shift = 0; shift < 32; shift += 8) value |= byte() << shift;
        return value;
    }

    std::uint32_t uleb128() {
        std::uint32_t value = 0;
        for (unsigned shift = 0; shift < 32; shift += 7) {
            const std::uint32_t next = byte();
            value |= (next & 0x7fu) << shift;
            if ((next & 0x80u) == 0) return value;
        }
        return fail();
    }

    std::string text() {
        const auto end = std::find(rest_.begin(), rest_.end(), std::uint8_t{0});
        if (end == rest_.end()) {
            fail();
            return {};
        }
        std::string value(rest_.begin(), end);
        rest_ = rest_.subspan(value.size() + 1);
        return value;
    }

    /// A part of `bytes` bytes, `used` of which have been read from this reader already.
    reader part(std::uint32_t bytes, std::uint32_t used) {
        if (bytes < used || bytes - used > rest_.size()) {
            fail();
            return reader({});
        }
        reader inner(rest_.first(bytes - used));
        rest_ = rest_.subspan(bytes - used);
        return inner;
    }

private:
    std::uint32_t fail() {
        good_ = false;
        rest_ = {};
        return 0;
    }

    std::span<const std::uint8_t> rest_;
    bool good_ = true;
};

constexpr std::uint32_t tag_file = 1;
constexpr std::uint32_t tag_arch = 5;

/// I, M, C, Zicsr, and what those contain.
constexpr std::array<std::string_view, 7> supported{"i", "m", "c", "zicsr", "zifencei", "zmmul", "zca"};

bool is_supported(std::string_view extension) {
    return std::find(supported.begin(), supported.end(), extension) != supported.end();
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// "m2p0" -> "m"; "zicsr2p0" -> "zicsr".
std::string_view without_version(std::string_view extension) {
    std::size_t end = extension.size();
    while (end > 1 && is_digit(extension[end - 1])) --end;
    if (end < extension.size() && end > 2 && extension[end - 1] == 'p' && is_digit(extension[end - 2])) {
        --end;
        while (end > 1 && is_digit(extension[end - 1])) --end;
    }
    return extension.substr(0, end);
}

/// "imac" stands for i, m, a and c; versions may follow each letter.
std::string first_unsupported_letter(std::string_view letters) {
    for (std::size_t at = 0; at < letters.size();) {
        const std::string_view letter = letters.substr(at, 1);
        if (!is_supported(letter)) return std::string(letter);
        ++at;
        while (at < letters.size() && is_digit(letters[at])) ++at;
        if (at + 1 < letters.size() && letters[at] == 'p' && is_digit(letters[at + 1])) {
            ++at;
            while (at < letters.size() && is_digit(letters[at])) ++at;
        }
    }
    return {};
}

}  // namespace

std::optional<std::string> architecture_of(std::span<const std::uint8_t> section) {
    reader all(section);
    if (all.byte() != 'A') return std::nullopt;
    while (all.good() && !all.empty()) {
        const std::uint32_t length = all.word();
        reader vendor = all.part(length, 4);
        if (vendor.text() != "riscv") continue;
        while (vendor.good() && !vendor.empty()) {
            const std::uint32_t tag = vendor.byte();
            const std::uint32_t bytes = vendor.word();
            reader attributes = vendor.part(bytes, 5);
            if (tag != tag_file) continue;
            while (attributes.good() && !attributes.empty()) {
                const std::uint32_t name = attributes.uleb128();
                // Odd attributes are texts, even ones are numbers.
                if (name % 2 == 0) {
                    attributes.uleb128();
                    continue;
                }
                std::string value = attributes.text();
                if (name == tag_arch && attributes.good()) return value;
            }
        }
    }
    return std::nullopt;
}

std::string unsupported_extension(const std::string& architecture) {
    std::string_view rest = architecture;
    if (!rest.starts_with("rv32")) return std::string(rest.substr(0, 4));
    rest.remove_prefix(4);
    for (bool first = true; !rest.empty(); first = false) {
        const std::string_view token = rest.substr(0, rest.find('_'));
        rest.remove_prefix(std::min(rest.size(), token.size() + 1));
        if (first || token.find_first_not_of("zsx") == 0) {
            const std::string letter = first_unsupported_letter(token);
            if (!letter.empty()) return letter;
        } else if (!is_supported(without_version(token))) {
            return std::string(without_version(token));
        }
    }
    return {};
}

}  // namespace polycast::hw::riscv
