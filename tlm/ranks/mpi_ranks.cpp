// SPDX-License-Identifier: Apache-2.0
// Ranks by MPI: the library that tlm/ranks/ranks.cpp loads.
#include <boost/mpi.hpp>
#include <boost/serialization/string.hpp>

#include "tlm/ranks/ranks.h"

namespace polycast::tlm::ranks {

namespace {

namespace mpi = boost::mpi;

class mpi_ranks final : public hw::engine::rank_group {
public:
    unsigned rank() const override { return static_cast<unsigned>(world_.rank()); }
    unsigned size() const override { return static_cast<unsigned>(world_.size()); }

    std::vector<std::string> exchange(std::span<const unsigned> neighbours, std::span<const std::string> out) override {
        std::vector<mpi::request> sent;
        for (std::size_t i = 0; i < neighbours.size(); ++i)
            sent.push_back(world_.isend(static_cast<int>(neighbours[i]), windows, out[i].data(), count_of(out[i])));
        std::vector<std::string> in(neighbours.size());
        for (std::size_t i = 0; i < neighbours.size(); ++i) {
            const mpi::status coming = world_.probe(static_cast<int>(neighbours[i]), windows);
            in[i].resize(static_cast<std::size_t>(coming.count<char>().get()));
            world_.recv(coming.source(), windows, in[i].data(), count_of(in[i]));
        }
        mpi::wait_all(sent.begin(), sent.end());
        return in;
    }
    void least(std::span<std::uint64_t> values) override {
        // Open MPI 4.1.2 to 4.1.4 (Debian 12) takes the least of unsigned longs as if they had a sign: of 5 and 2^64-1
        // the latter (open-mpi/ompi, issue 10525). So they get one here, in the same order.
        constexpr std::uint64_t sign = std::uint64_t{1} << 63;
        std::vector<std::int64_t> ordered;
        for (const std::uint64_t value : values) ordered.push_back(static_cast<std::int64_t>(value ^ sign));
        mpi::all_reduce(world_, mpi::inplace(ordered.data()), static_cast<int>(ordered.size()),
                        mpi::minimum<std::int64_t>());
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint64_t>(ordered[i]) ^ sign;
    }
    std::vector<std::string> gather(const std::string& own) override {
        std::vector<std::string> all;
        if (first()) {
            mpi::gather(world_, own, all, 0);
        } else {
            mpi::gather(world_, own, 0);
        }
        return all;
    }
    std::string spread(const std::string& own) override {
        std::string all = own;
        mpi::broadcast(world_, all, 0);
        return all;
    }
    void abort(int status) override { world_.abort(status); }

private:
    static constexpr int windows = 1;  ///< tag

    static int count_of(const std::string& bytes) { return static_cast<int>(bytes.size()); }

    // One thread of each rank speaks to the others. A rank that ends by an error has told them: no abort.
    mpi::environment environment_{mpi::threading::funneled, false};
    mpi::communicator world_;
};

}  // namespace

}  // namespace polycast::tlm::ranks

extern "C" void polycast_make_ranks(std::shared_ptr<polycast::hw::engine::rank_group>& made) {
    made = std::make_shared<polycast::tlm::ranks::mpi_ranks>();
}
