// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/results/results_folder.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <fstream>

#include "hw/input_error.h"

namespace polycast::tlm::sim {
namespace {

namespace fs = std::filesystem;

class results_folder_test : public testing::Test {
protected:
    results_folder_test()
        : place_(fs::path(testing::TempDir()) / ("results_folder_test_" + std::to_string(::getpid()))) {
        fs::create_directories(place_);
    }
    ~results_folder_test() override { fs::remove_all(place_); }

    static std::string content(const fs::path& file) {
        std::ifstream in(file);
        return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    }
    std::size_t entries() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(place_), fs::directory_iterator()));
    }

    fs::path place_;
};

constexpr const char* run_json = "{\"program\": \"polycast-sim\"}";

TEST_F(results_folder_test, appears_with_commit_only) {
    {
        results_folder folder(place_ / "a" / "out");
        folder.write("tables/x.csv", "1,2\n");
        EXPECT_FALSE(fs::exists(place_ / "a" / "out"));
        folder.write(results_folder::mark, run_json);
        folder.commit();
    }
    EXPECT_EQ(content(place_ / "a" / "out" / "tables" / "x.csv"), "1,2\n");
    { results_folder abandoned(place_ / "b"); }
    EXPECT_EQ(entries(), 1u);
}

TEST_F(results_folder_test, replaces_its_like_and_nothing_else) {
    for (const char* text : {"old", "new"}) {
        results_folder folder(place_ / "out");
        folder.write("x", text);
        folder.write(results_folder::mark, run_json);
        folder.commit();
    }
    EXPECT_EQ(content(place_ / "out" / "x"), "new");
    EXPECT_EQ(entries(), 1u);

    fs::create_directories(place_ / "mine");
    std::ofstream(place_ / "mine" / "thesis.txt") << "years";
    EXPECT_THROW(results_folder(place_ / "mine"), hw::input_error);
    std::ofstream(place_ / "mine" / "run.json") << "{\"program\": \"another\"}";
    EXPECT_THROW(results_folder(place_ / "mine"), hw::input_error);
    std::ofstream(place_ / "mine" / "run.json") << "[[[";
    EXPECT_THROW(results_folder(place_ / "mine"), hw::input_error);
    EXPECT_EQ(content(place_ / "mine" / "thesis.txt"), "years");
    EXPECT_THROW(results_folder(place_ / "mine" / "thesis.txt"), hw::input_error);
}

TEST_F(results_folder_test, an_empty_folder_may_be_used) {
    fs::create_directories(place_ / "out");
    results_folder folder(place_ / "out/");
    folder.write("x", "1");
    folder.commit();
    EXPECT_EQ(content(place_ / "out" / "x"), "1");
}

TEST_F(results_folder_test, a_full_disk_leaves_nothing) {
    // The limit stands for the disk: writes beyond it fail the same way.
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit small{4096, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    std::string message;
    try {
        results_folder folder(place_ / "out");
        folder.write("small", "1");
        folder.write("large", std::string(100000, 'x'));
        folder.commit();
    } catch (const hw::input_error& error) {
        message = error.what();
    }
    ::setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_EQ(message, (place_ / "out" / "large").string() + ": cannot be written: File too large");
    EXPECT_EQ(entries(), 0u);
}

}  // namespace
}  // namespace polycast::tlm::sim
