// SPDX-License-Identifier: Apache-2.0
#include "tlm/ranks/relayed_ranks.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <stdexcept>

#include "hw/engine/packing.h"

namespace polycast::tlm::ranks {

namespace {

using hw::engine::packed;
using hw::engine::unpack;

enum class question : std::uint8_t { exchange, least, gather, spread, abort, stop, over };

/// \returns false if the other side has ended
bool write_all(int socket, const char* data, std::size_t count) {
    while (count > 0) {
        const ssize_t written = ::send(socket, data, count, MSG_NOSIGNAL);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        data += written;
        count -= static_cast<std::size_t>(written);
    }
    return true;
}

bool read_all(int socket, char* data, std::size_t count) {
    while (count > 0) {
        const ssize_t found = ::read(socket, data, count);
        if (found < 0 && errno == EINTR) continue;
        if (found <= 0) return false;
        data += found;
        count -= static_cast<std::size_t>(found);
    }
    return true;
}

/// Its length, then the text.
bool put(int socket, const std::string& text) {
    const std::uint64_t length = text.size();
    std::string all(reinterpret_cast<const char*>(&length), sizeof length);
    all += text;
    return write_all(socket, all.data(), all.size());
}

std::optional<std::string> get(int socket) {
    std::uint64_t length = 0;
    if (!read_all(socket, reinterpret_cast<char*>(&length), sizeof length)) return std::nullopt;
    std::string text(length, '\0');
    if (!read_all(socket, text.data(), text.size())) return std::nullopt;
    return text;
}

}  // namespace

std::string relayed_ranks::asked(const std::string& question) const {
    if (put(socket_, question))
        if (std::optional<std::string> answer = get(socket_)) return *std::move(answer);
    throw std::runtime_error("the process that speaks to the other ranks has ended");
}

std::vector<std::string> relayed_ranks::exchange(std::span<const unsigned> neighbours,
                                                 std::span<const std::string> out) {
    if (!asks()) return real_->exchange(neighbours, out);
    std::vector<std::string> in;
    unpack(asked(packed(question::exchange, std::vector(neighbours.begin(), neighbours.end()),
                        std::vector(out.begin(), out.end()))),
           in);
    return in;
}

void relayed_ranks::least(std::span<std::uint64_t> values) {
    if (!asks()) return real_->least(values);
    std::vector<std::uint64_t> least;
    unpack(asked(packed(question::least, std::vector(values.begin(), values.end()))), least);
    std::ranges::copy(least, values.begin());
}

std::vector<std::string> relayed_ranks::gather(const std::string& own) {
    if (!asks()) return real_->gather(own);
    std::vector<std::string> all;
    unpack(asked(packed(question::gather, own)), all);
    return all;
}

std::string relayed_ranks::spread(const std::string& own) {
    return asks() ? asked(packed(question::spread, own)) : real_->spread(own);
}

void relayed_ranks::abort(int status) {
    if (!asks()) return real_->abort(status);
    asked(packed(question::abort, status));
}

bool relayed_ranks::stop_requested() {
    return !asked(packed(question::stop)).empty();
}

void relayed_ranks::hang_up() {
    put(socket_, packed(question::over));
    ::close(socket_);
}

std::string relayed_ranks::answer(const std::string& text, const std::function<bool()>& stop) {
    std::istringstream from(text);
    cereal::BinaryInputArchive archive(from);
    question asked{};
    archive(asked);
    const auto read = [&archive]<typename value>(value made) {
        archive(made);
        return made;
    };
    switch (asked) {
        case question::exchange: {
            const auto neighbours = read(std::vector<unsigned>());
            const auto out = read(std::vector<std::string>());
            return packed(exchange(neighbours, out));
        }
        case question::least: {
            auto values = read(std::vector<std::uint64_t>());
            least(values);
            return packed(values);
        }
        case question::gather: return packed(gather(read(std::string())));
        case question::spread: return spread(read(std::string()));
        case question::abort: abort(read(int())); break;
        case question::stop: return stop() ? "yes" : "";
        case question::over: break;
    }
    return "";
}

bool relayed_ranks::serve(int socket, const std::function<bool()>& stop) {
    while (const std::optional<std::string> text = get(socket)) {
        if (*text == packed(question::over)) return true;
        if (!put(socket, answer(*text, stop))) return false;
    }
    return false;
}

}  // namespace polycast::tlm::ranks
