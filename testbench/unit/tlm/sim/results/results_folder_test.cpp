// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/results/results_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "hw/input_error.h"
#include "testbench/unit/refusal.h"

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

void write_mark(const results_folder& folder) {
    folder.write(results_folder::mark, nlohmann::json{{"program", "polycast-sim"}, {"files", folder.files()}}.dump());
}

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

TEST_F(results_folder_test, tables_as_parquet_go_with_their_tables) {
    const auto fill = [this] {
        results_folder folder(place_ / "out");
        folder.write("tables/x.csv", "a\n1\n");
        write_mark(folder);
        folder.commit();
    };
    fill();
    std::ofstream(place_ / "out" / "tables" / "x.parquet") << "written later";
    fill();
    EXPECT_FALSE(fs::exists(place_ / "out" / "tables" / "x.parquet"));
    std::ofstream(place_ / "out" / "tables" / "mine.parquet") << "years";
    EXPECT_THAT(testbench::unit::refusal(fill), testing::HasSubstr("holds 'tables/mine.parquet'"));
}

TEST_F(results_folder_test, a_file_is_written_in_pieces) {
    std::size_t pieces = 0;
    std::string whole;
    {
        results_folder folder(place_ / "out");
        folder.write("x", [&](const text_sink& put) {
            const text_sink counted = [&](std::string_view text) {
                ++pieces;
                EXPECT_LT(text.size(), 100'000u);
                put(text);
            };
            text_pieces text(counted);
            for (int line = 0; line < 100'000; ++line) {
                text.add("line {}\n", line);
                whole += "line " + std::to_string(line) + "\n";
            }
            text.end();
        });
        write_mark(folder);
        folder.commit();
    }
    EXPECT_GT(pieces, 10u);
    EXPECT_EQ(content(place_ / "out" / "x"), whole);
}

TEST_F(results_folder_test, replaces_its_like_and_nothing_else) {
    for (const char* text : {"old", "new"}) {
        results_folder folder(place_ / "out");
        folder.write("x", text);
        write_mark(folder);
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

TEST_F(results_folder_test, a_name_belongs_to_one_run_at_a_time) {
    results_folder first(place_ / "out");
    EXPECT_THAT(testbench::unit::refusal([this] { results_folder{place_ / "out"}; }),
                testing::HasSubstr("another run writes its results there now"));
    first.write("x", "first");
    write_mark(first);
    first.commit();
    EXPECT_EQ(content(place_ / "out" / "x"), "first");
    results_folder second(place_ / "out");
    EXPECT_EQ(entries(), 2u) << "the first one's results stay until the second's are there";
}

TEST_F(results_folder_test, what_a_killed_run_left_is_removed) {
    fs::create_directories(place_ / ".out.partial" / "tables");
    std::ofstream(place_ / ".out.partial" / "tables" / "x.csv") << "half";
    results_folder folder(place_ / "out");
    EXPECT_TRUE(folder.files() == std::vector<std::string>{"run.json"});
}

TEST_F(results_folder_test, what_came_into_being_meanwhile_is_kept) {
    for (const bool file : {false, true}) {
        const fs::path out = place_ / (file ? "file" : "folder");
        results_folder folder(out);
        folder.write("x", "1");
        if (!file) fs::create_directories(out);
        std::ofstream(file ? out : out / "thesis.txt") << "years";
        EXPECT_THAT(testbench::unit::refusal([&folder] { folder.commit(); }),
                    testing::AllOf(testing::HasSubstr("has come into being while the run went on"),
                                   testing::HasSubstr("the results are in " + out.string() + ".1")));
        EXPECT_EQ(content(file ? out : out / "thesis.txt"), "years");
        EXPECT_EQ(content(fs::path(out.string() + ".1") / "x"), "1");
    }
}

TEST_F(results_folder_test, files_of_others_in_results_are_kept) {
    {
        results_folder folder(place_ / "out");
        folder.write("waves/a.fst", "1");
        write_mark(folder);
        folder.commit();
    }
    std::ofstream(place_ / "out" / "report.html") << "ours";
    {
        results_folder folder(place_ / "out");
        folder.write("x", "2");
        std::ofstream(place_ / "out" / "waves" / "mine.gtkw") << "hours";
        EXPECT_THAT(testbench::unit::refusal([&folder] { folder.commit(); }),
                    testing::HasSubstr("was changed while the run went on"));
    }
    EXPECT_EQ(content(place_ / "out" / "waves" / "mine.gtkw"), "hours");
    EXPECT_EQ(content(place_ / "out.1" / "x"), "2");
    EXPECT_THAT(testbench::unit::refusal([this] { results_folder{place_ / "out"}; }),
                testing::HasSubstr("holds 'waves/mine.gtkw' that polycast-sim has not written"));
    EXPECT_EQ(entries(), 2u);
}

TEST_F(results_folder_test, a_mark_may_be_anything) {
    for (const char* text : {"{\"program\":1}", "[]", "{\"program\":\"polycast-sim\",\"files\":7}", "7", "[[["}) {
        fs::create_directories(place_ / "out");
        std::ofstream(place_ / "out" / "run.json") << text;
        std::ofstream(place_ / "out" / "thesis.txt") << "years";
        EXPECT_NE(testbench::unit::refusal([this] { results_folder{place_ / "out"}; }), "") << text;
        EXPECT_EQ(content(place_ / "out" / "thesis.txt"), "years");
    }
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
