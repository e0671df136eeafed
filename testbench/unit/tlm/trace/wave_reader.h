// SPDX-License-Identifier: Apache-2.0
/// \file Reads wave files back, for tests: VCD directly, FST through GTKWave's fst2vcd.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace polycast::tlm::trace::test {

/// A folder of its own, removed in the end.
class scratch_folder {
public:
    scratch_folder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "polycast_wave_XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
        path_ = pattern;
    }
    ~scratch_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

    /// Names of the files inside.
    std::vector<std::string> files() const {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(path_))
            names.push_back(entry.path().filename().string());
        return names;
    }

private:
    std::filesystem::path path_;
};

/// Values of one signal over time, as binary digits of its full width; only changes are kept.
using wave = std::map<std::uint64_t, std::string>;

/// A wave file in memory.
struct wave_file {
    std::string timescale;
    std::map<std::string, wave> signals;  ///< by full name, e.g. "net.sw0.port3.in.data[7:0]"
    std::uint64_t begin = ~std::uint64_t{0};
    std::uint64_t end = 0;
    std::size_t emitted = 0;  ///< value changes in the file, whether anything changed or not

    /// Value at `time`: that of the last change before.
    std::string at(const std::string& name, std::uint64_t time) const {
        const auto found = signals.find(name);
        if (found == signals.end()) throw std::out_of_range("no signal " + name);
        const auto next = found->second.upper_bound(time);
        return next == found->second.begin() ? "" : std::prev(next)->second;
    }

    std::uint64_t number(const std::string& name, std::uint64_t time) const {
        return std::stoull(at(name, time), nullptr, 2);
    }

    /// A vector of characters.
    std::string text(const std::string& name, std::uint64_t time) const {
        const std::string bits = at(name, time);
        std::string letters;
        for (std::size_t bit = 0; bit + 8 <= bits.size(); bit += 8) {
            const char letter = static_cast<char>(std::stoi(bits.substr(bit, 8), nullptr, 2));
            if (letter != 0) letters += letter;
        }
        return letters;
    }
};

inline wave_file read_vcd(std::istream& in) {
    wave_file file;
    std::map<std::string, std::vector<std::pair<std::string, std::size_t>>> names;
    std::vector<std::string> scopes;
    std::string word;
    std::uint64_t time = 0;
    while (in >> word) {
        if (word == "$timescale") {
            while (in >> word && word != "$end") file.timescale += word;
        } else if (word == "$scope") {
            in >> word >> word;
            scopes.push_back(word);
        } else if (word == "$upscope") {
            scopes.pop_back();
        } else if (word == "$var") {
            std::size_t bits = 0;
            std::string code;
            std::string name;
            in >> word >> bits >> code;
            while (in >> word && word != "$end") name += word;
            std::string full;
            for (const std::string& scope : scopes) full += scope + ".";
            names[code].emplace_back(full + name, bits);
            file.signals[full + name];
        } else if (word[0] == '#') {
            time = std::stoull(word.substr(1));
            file.begin = std::min(file.begin, time);
            file.end = std::max(file.end, time);
        } else if (word[0] == 'b' || word[0] == '0' || word[0] == '1' || word[0] == 'x') {
            std::string value = word[0] == 'b' ? word.substr(1) : word.substr(0, 1);
            std::string code = word.substr(1);
            if (word[0] == 'b') in >> code;
            for (const auto& [name, bits] : names.at(code)) {
                ++file.emitted;
                std::string full =
                    std::string(bits - std::min(bits, value.size()), value[0] == 'x' ? 'x' : '0') + value;
                wave& target = file.signals[name];
                const auto next = target.upper_bound(time);
                if (next == target.begin() || std::prev(next)->second != full) target[time] = full;
            }
        }
    }
    return file;
}

inline wave_file read_waves(const std::filesystem::path& path) {
    std::filesystem::path text = path;
    if (path.extension() == ".fst") {
        text += ".vcd";
        const std::string command =
            std::string(POLYCAST_FST2VCD) + " -f '" + path.string() + "' -o '" + text.string() + "' > /dev/null 2>&1";
        if (std::system(command.c_str()) != 0) throw std::runtime_error("fst2vcd cannot read " + path.string());
    }
    std::ifstream in(text);
    return read_vcd(in);
}

}  // namespace polycast::tlm::trace::test
