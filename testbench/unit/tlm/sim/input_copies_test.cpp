// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/input_copies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace polycast::tlm::sim {
namespace {

namespace fs = std::filesystem;

class input_copies : public testing::Test {
protected:
    input_copies() : place_(fs::path(testing::TempDir()) / ("input_copies_" + std::to_string(::getpid()))) {
        fs::create_directories(place_);
        write("app.bin", std::string(5000, 'a'));
        write("run.yaml",
              "network: {topology: {kind: irregular, switches: 2, ports: 4, hosts: 2}}\n"
              "workload: [{name: app, kind: program, path: app.bin, machine: loggops}]\n");
        scenario_ = scenario::load_file((place_ / "run.yaml").string(), {});
        // So that so short a file is mapped, and not kept.
        scenario_.files = std::make_shared<scenario::input_files>(10'000, 1000);
        const std::string path = scenario_.program_files(0).front();
        scenario_.files->release(path, scenario_.files->bytes_of(path, "program").size());
    }
    ~input_copies() override { fs::remove_all(place_); }

    void write(const std::string& name, const std::string& text) { std::ofstream(place_ / name) << text; }

    fs::path place_;
    scenario::loaded scenario_;
};

TEST_F(input_copies, are_what_was_read) {
    const results_folder folder(place_ / "out");
    EXPECT_EQ(copy_inputs(scenario_, folder).at("workload[0].path"), "programs/app/app.bin");
    EXPECT_THAT(folder.files(), testing::Contains("programs/app/app.bin"));
}

/// Otherwise the scenario in the results would name what is not there.
TEST_F(input_copies, of_what_has_changed_do_not_exist_and_are_not_named) {
    write("app.bin", std::string(5000, 'b'));
    const results_folder folder(place_ / "out");
    EXPECT_EQ(copy_inputs(scenario_, folder).at("workload[0].path"), (place_ / "app.bin").string());
    EXPECT_THAT(folder.files(), testing::Not(testing::Contains("programs/app/app.bin")));
}

}  // namespace
}  // namespace polycast::tlm::sim
