// SPDX-License-Identifier: Apache-2.0
/// \file Ranks that are threads of one process, to test without MPI what ranks do.
#pragma once

#include <algorithm>
#include <barrier>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "hw/engine/ranks.h"

namespace polycast::hw::engine {

class thread_ranks final : public rank_group {
public:
    struct table {
        explicit table(unsigned ranks) : all_here(ranks), strings(ranks), numbers(ranks), letters(ranks) {
            for (auto& row : letters) row.resize(ranks);
        }
        std::barrier<> all_here;
        std::vector<std::string> strings;
        std::vector<std::vector<std::uint64_t>> numbers;
        std::vector<std::vector<std::string>> letters;  ///< [to][from]
    };

    thread_ranks(table& shared, unsigned rank) : shared_(shared), rank_(rank) {}

    unsigned rank() const override { return rank_; }
    unsigned size() const override { return static_cast<unsigned>(shared_.strings.size()); }

    std::vector<std::string> exchange(std::span<const unsigned> neighbours, std::span<const std::string> out) override {
        for (std::size_t i = 0; i < neighbours.size(); ++i) shared_.letters[neighbours[i]][rank_] = out[i];
        shared_.all_here.arrive_and_wait();
        std::vector<std::string> in;
        for (const unsigned from : neighbours) in.push_back(shared_.letters[rank_][from]);
        shared_.all_here.arrive_and_wait();
        return in;
    }
    void least(std::span<std::uint64_t> values) override {
        shared_.numbers[rank_].assign(values.begin(), values.end());
        shared_.all_here.arrive_and_wait();
        for (const std::vector<std::uint64_t>& other : shared_.numbers)
            for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::min(values[i], other[i]);
        shared_.all_here.arrive_and_wait();
    }
    std::vector<std::string> gather(const std::string& own) override {
        shared_.strings[rank_] = own;
        shared_.all_here.arrive_and_wait();
        std::vector<std::string> all;
        if (first()) all = shared_.strings;
        shared_.all_here.arrive_and_wait();
        return all;
    }
    std::string spread(const std::string& own) override {
        if (first()) shared_.strings[0] = own;
        shared_.all_here.arrive_and_wait();
        std::string all = shared_.strings[0];
        shared_.all_here.arrive_and_wait();
        return all;
    }
    void abort(int /*status*/) override { std::terminate(); }

private:
    table& shared_;
    unsigned rank_;
};

/// Calls work(rank) on all ranks. \returns what the first one makes
template <typename result>
result on_ranks(unsigned ranks, const std::function<result(std::shared_ptr<rank_group>)>& work) {
    thread_ranks::table shared(ranks);
    std::vector<std::jthread> others;
    for (unsigned rank = 1; rank < ranks; ++rank)
        others.emplace_back([&shared, &work, rank] {
            try {
                work(std::make_shared<thread_ranks>(shared, rank));
            } catch (const simulated_elsewhere&) {
            }
        });
    return work(std::make_shared<thread_ranks>(shared, 0));
}

}  // namespace polycast::hw::engine
