// SPDX-License-Identifier: Apache-2.0
#include "tlm/verilated/model_cache.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "tlm/verilated/build_tool.h"

namespace polycast::tlm {
namespace {

namespace fs = std::filesystem;

class model_cache : public testing::Test {
protected:
    model_cache() : place_(fs::path(testing::TempDir()) / ("model_cache_test_" + std::to_string(::getpid()))) {
        fs::create_directories(place_);
        options_.cache_dir = place_;
    }
    ~model_cache() override { fs::remove_all(place_); }

    void add(const std::string& name, std::size_t bytes, int days) const {
        std::ofstream(place_ / name) << std::string(bytes, 'x');
        fs::last_write_time(place_ / name, fs::file_time_type::clock::now() - std::chrono::hours(24 * days + 1));
    }
    std::vector<std::string> left() const {
        prune_cache(options_);
        std::vector<std::string> names;
        for (const fs::directory_entry& entry : fs::directory_iterator(place_))
            names.push_back(entry.path().filename());
        return names;
    }

    fs::path place_;
    model_options options_;
};

TEST_F(model_cache, forgets_what_nobody_uses) {
    add("old-1.so", 10, 91);
    add("old-1.lock", 0, 91);
    add("used-2.so", 10, 89);
    EXPECT_THAT(left(), testing::UnorderedElementsAre("used-2.so"));
}

TEST_F(model_cache, forgets_the_oldest_where_it_is_too_large) {
    options_.cache_limit = 25;
    add("a-1.so", 10, 3);
    add("b-1.so", 10, 2);
    add("c-1.so", 10, 1);
    EXPECT_THAT(left(), testing::UnorderedElementsAre("b-1.so", "c-1.so"));
    options_.cache_limit = 0;
    add("new-1.so", 10, 0);
    EXPECT_THAT(left(), testing::UnorderedElementsAre("new-1.so")) << "somebody works with it today";
}

TEST_F(model_cache, removes_what_interrupted_builds_left_but_not_what_is_being_built) {
    fs::create_directories(place_ / "a-1.so.building-AAAAAA" / "CMakeFiles");
    fs::create_directories(place_ / "b-1.so.building-BBBBBB");
    fs::last_write_time(place_ / "a-1.so.building-AAAAAA", fs::file_time_type::clock::now() - std::chrono::hours(48));
    EXPECT_THAT(left(), testing::UnorderedElementsAre("b-1.so.building-BBBBBB"));
}

TEST_F(model_cache, a_model_depends_on_sources_and_not_on_what_lies_beside_them) {
    const auto hash = [&] {
        content_hash of;
        of.add_folder(place_);
        return of.text();
    };
    add("arbiter.sv", 10, 0);
    const std::string before = hash();
    for (const char* beside : {"README.md", "plan.yaml", ".arbiter.sv.swp", "arbiter.sv~"}) add(beside, 10, 0);
    EXPECT_EQ(hash(), before);
    add("defines.inc", 10, 0);
    EXPECT_NE(hash(), before) << "it may be included";
}

TEST_F(model_cache, compilers_have_models_of_their_own) {
    const std::string ours = compiler_identity();
    EXPECT_THAT(ours, testing::StartsWith("/"));
    std::ofstream(place_ / "other") << "#!/bin/sh\n";
    ::setenv("CXX", (place_ / "other").c_str(), 1);
    const std::string other = compiler_identity();
    ::unsetenv("CXX");
    EXPECT_EQ(other, fs::canonical(place_ / "other").string() + " 10");
    EXPECT_NE(other, ours);
}

}  // namespace
}  // namespace polycast::tlm
