// SPDX-License-Identifier: Apache-2.0
/// \file Files are read once; what comes of them later is what was read.
#include "tlm/scenario/input_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "testbench/unit/refusal.h"

namespace polycast::tlm::scenario {
namespace {

class input_files_in : public testing::Test {
protected:
    input_files_in() { std::filesystem::create_directories(folder_); }
    ~input_files_in() override { std::filesystem::remove_all(folder_); }

    std::string write(const std::string& name, const std::string& text) const {
        const std::filesystem::path path = folder_ / name;
        std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
        return path.string();
    }

    static std::string all_of(hw::subnet::byte_source& from) {
        std::string all, part(100, '\0');
        for (std::size_t count = part.size(); count == part.size();) {
            count = from.read(part);
            all.append(part, 0, count);
        }
        return all;
    }

    static std::string copied(input_files& files, const std::string& path) {
        std::string all;
        files.copy(path, [&](std::string_view piece) { all += piece; });
        return all;
    }

private:
    std::filesystem::path folder_ =
        std::filesystem::path(testing::TempDir()) / ("input_files_" + std::to_string(::getpid()));
};

TEST_F(input_files_in, what_was_read_stays) {
    constexpr std::size_t most_text = 10, most_plain = 1000;
    for (const std::size_t size : {0, 5, 999, 5000, 300'000}) {
        const std::string bytes(size, 'a');
        const std::string path = write("dump", bytes);
        input_files files(most_text, most_plain);
        EXPECT_EQ(all_of(*files.dump(path)), bytes);
        write("dump", "another one");
        EXPECT_EQ(all_of(*files.dump(path)), bytes);
        EXPECT_EQ(copied(files, path), bytes);
        std::filesystem::remove(path);
        EXPECT_EQ(copied(files, path), bytes);
    }
}

TEST_F(input_files_in, texts_have_a_limit) {
    input_files files(5, 1000);
    const std::string path = write("text", "12345");
    EXPECT_EQ(files.text_of(path, "matrix"), "12345");
    write("text", "other");
    EXPECT_EQ(files.text_of(path, "matrix"), "12345");
    EXPECT_EQ(copied(files, path), "12345");
    const std::string longer = write("longer", "123456");
    EXPECT_NE(testbench::unit::refusal([&] { files.text_of(longer, "matrix"); }).find("longer: a matrix of more than"),
              std::string::npos);
    EXPECT_EQ(all_of(*files.dump(longer)), "123456");
    EXPECT_EQ(copied(files, write("new", "is read now")), "is read now");
}

TEST_F(input_files_in, have_a_hash_of_all) {
    const auto hash_of = [&](const std::string& text, const std::string& dump, std::size_t plain) {
        input_files files(1000, plain);
        files.text_of(write("text", text), "text");
        files.dump(write("dump", dump));
        return files.hash();
    };
    const std::uint64_t one = hash_of("a", "bcd", 1000);
    EXPECT_EQ(hash_of("a", "bcd", 1), one) << "packed in memory or not";
    EXPECT_NE(hash_of("b", "bcd", 1000), one);
    EXPECT_NE(hash_of("a", "bce", 1000), one);
}

}  // namespace
}  // namespace polycast::tlm::scenario
