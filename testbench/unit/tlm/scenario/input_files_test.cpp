// SPDX-License-Identifier: Apache-2.0
/// \file Files are read once; what comes of them later is what was read.
#include "tlm/scenario/input_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

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

TEST_F(input_files_in, long_files_are_mapped) {
    constexpr std::size_t most_text = 10, most_plain = 1000;
    for (const std::size_t size : {1001, 262'144, 262'145, 1'000'000}) {
        std::string bytes(size, 'a');
        for (std::size_t i = 0; i < size; i += 7) bytes[i] = static_cast<char>('a' + i % 26);
        const std::string path = write("program", bytes);
        input_files files(most_text, most_plain), others(most_text, most_plain);
        EXPECT_EQ(files.bytes_of(path, "program"), bytes);
        EXPECT_EQ(files.bytes_of(path, "program").data(), files.bytes_of(path, "program").data());
        for (const std::size_t end : {std::size_t{100}, size / 2, size}) files.release(path, end);
        others.bytes_of(path, "program");
        others.release(path, size);
        EXPECT_EQ(files.hash(), others.hash()) << "in whichever steps it is read";
        EXPECT_TRUE(files.unchanged(path));
        EXPECT_EQ(copied(files, path), bytes);
        // Its name may go to another file.
        std::filesystem::remove(path);
        write("program", "another one");
        EXPECT_TRUE(files.unchanged(path));
        EXPECT_EQ(copied(files, path), bytes);
    }
}

TEST_F(input_files_in, what_has_changed_on_the_disk_is_no_copy) {
    input_files files(1 << 20, 1000);
    const std::string path = write("program", std::string(5000, 'a')), kept = write("kept", "short");
    files.release(path, files.bytes_of(path, "program").size());
    files.release(kept, files.bytes_of(kept, "program").size());
    for (const std::string& other :
         {std::string(5000, 'b'), std::string(4999, 'a'), std::string(5001, 'a'), std::string()}) {
        write("program", other);
        EXPECT_FALSE(files.unchanged(path)) << other.size();
    }
    write("program", std::string(5000, 'a'));
    EXPECT_TRUE(files.unchanged(path));
    write("kept", "other");
    EXPECT_TRUE(files.unchanged(kept));
    EXPECT_EQ(copied(files, kept), "short");
}

/// A pipe gives its bytes once.
TEST_F(input_files_in, pipes_are_kept) {
    const std::string path = write("pipe", "");
    std::filesystem::remove(path);
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    const std::string bytes(100'000, 'p');
    std::jthread writer([&] { std::ofstream(path, std::ios::binary) << bytes; });
    input_files files(1 << 20, 1000);
    EXPECT_EQ(files.bytes_of(path, "program"), bytes);
    EXPECT_EQ(files.bytes_of(path, "program"), bytes);
    EXPECT_TRUE(files.unchanged(path));
    EXPECT_EQ(copied(files, path), bytes);
}

TEST(input_files_once, a_key_waits_for_no_other) {
    input_files files;
    std::promise<void> begun, over;
    std::jthread other([&] {
        files.once<int>("slow", [&] {
            begun.set_value();
            EXPECT_EQ(over.get_future().wait_for(std::chrono::seconds(60)), std::future_status::ready);
            return std::make_shared<const int>(1);
        });
    });
    begun.get_future().wait();
    EXPECT_EQ(*files.once<int>("quick", [] { return std::make_shared<const int>(2); }), 2);
    over.set_value();
}

TEST(input_files_once, all_who_ask_get_the_same) {
    input_files files;
    std::atomic<int> calls = 0;
    std::vector<std::shared_ptr<const int>> got(8);
    {
        std::vector<std::jthread> threads;
        for (auto& each : got)
            threads.emplace_back([&] {
                each = files.once<int>("outer", [&] {
                    const int inner = *files.once<int>("inner", [] { return std::make_shared<const int>(3); });
                    return std::make_shared<const int>(inner + ++calls);
                });
            });
    }
    EXPECT_EQ(calls, 1);
    for (const auto& each : got) EXPECT_EQ(each, got.front());
    EXPECT_EQ(*got.front(), 4);
}

TEST(input_files_once, what_throws_is_made_again) {
    input_files files;
    EXPECT_THROW(files.once<int>("key", []() -> std::shared_ptr<const int> { throw std::runtime_error("no"); }),
                 std::runtime_error);
    EXPECT_EQ(*files.once<int>("key", [] { return std::make_shared<const int>(5); }), 5);
}

}  // namespace
}  // namespace polycast::tlm::scenario
