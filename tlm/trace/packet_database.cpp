// SPDX-License-Identifier: Apache-2.0
#include "tlm/trace/packet_database.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <SQLiteCpp/VariadicBind.h>

#include <optional>

#include "hw/input_error.h"
#include "tlm/trace/output_file.h"

namespace polycast::tlm::trace {

namespace {

// Without a journal: the file has its name only when it is complete, so there is nothing to roll back to.
constexpr const char* schema = R"(
pragma journal_mode = off;
pragma synchronous = off;
pragma user_version = 1;
create table network (name text not null, workload text not null, cycles integer);
create table chips (chip integer primary key, name text not null unique, kind text not null, pipeline integer not null);
create table cables (chip integer not null, port integer not null, to_chip integer not null, to_port integer not null,
                     delay integer not null, buffer integer not null, room integer not null,
                     primary key (chip, port)) without rowid;
create table packets (packet integer primary key, source integer not null, sequence integer not null,
                      label text not null, header integer not null);
create table passages (packet integer not null, chip integer not null, port integer not null, vc integer not null,
                       head integer not null, tail integer not null, flits integer not null);
)";

// Made last: one sort instead of a search for each row.
constexpr const char* indices = R"(
create index passages_of_packet on passages (packet, head);
create index passages_of_port on passages (chip, port, head);
create unique index packets_by_source on packets (source, sequence);
)";

std::int64_t number(std::uint64_t value) {
    return static_cast<std::int64_t>(value);
}

void add_chips(SQLite::Database& database, const logged_network& network) {
    SQLite::Statement chip(database, "insert into chips values (?, ?, ?, ?)");
    SQLite::Statement cable(database, "insert into cables values (?, ?, ?, ?, ?, ?, ?)");
    for (std::uint32_t id = 0; id < network.chips.size(); ++id) {
        const logged_chip& one = network.chips[id];
        SQLite::bind(chip, number(id), one.name, one.kind, number(one.pipeline));
        chip.exec();
        chip.reset();
        for (const logged_chip::cable& each : one.cables) {
            SQLite::bind(cable, number(id), number(each.port), number(each.to_chip), number(each.to_port),
                         number(each.delay), number(each.buffer), number(each.room));
            cable.exec();
            cable.reset();
        }
    }
}

}  // namespace

class packet_database::tables {
public:
    tables(const std::filesystem::path& file, const logged_network& network)
        : file_(file), database_(fresh(file_.path()), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE) {
        database_.exec(schema);
        transaction_.emplace(database_);
        SQLite::Statement about(database_, "insert into network values (?, ?, null)");
        SQLite::bind(about, network.name, network.workload);
        about.exec();
        add_chips(database_, network);
        packet_.emplace(database_, "insert into packets values (?, ?, ?, ?, ?)");
        passage_.emplace(database_, "insert into passages values (?, ?, ?, ?, ?, ?, ?)");
    }

    void add(const logged_packet& packet) {
        SQLite::bind(*packet_, number(packet.number), number(packet.source), number(packet.sequence), packet.label,
                     number(packet.header));
        packet_->exec();
        packet_->reset();
    }
    void add(const passage& passed) {
        SQLite::bind(*passage_, number(passed.packet), number(passed.chip), number(passed.port), number(passed.vc),
                     number(passed.head), number(passed.tail), number(passed.flits));
        passage_->exec();
        passage_->reset();
    }
    void finish(hw::engine::cycle end) {
        packet_.reset();
        passage_.reset();
        SQLite::Statement cycles(database_, "update network set cycles = ?");
        SQLite::bind(cycles, number(end));
        cycles.exec();
        database_.exec(indices);
        transaction_->commit();
        file_.commit();
    }

private:
    /// Removes what a killed run has left under this name.
    static const std::filesystem::path& fresh(const std::filesystem::path& file) {
        std::error_code ignored;
        std::filesystem::remove(file, ignored);
        return file;
    }

    partial_file file_;
    SQLite::Database database_;
    std::optional<SQLite::Transaction> transaction_;
    std::optional<SQLite::Statement> packet_;
    std::optional<SQLite::Statement> passage_;
};

template <typename work>
void packet_database::guarded(work&& what) {
    if (error_) return;
    try {
        what();
    } catch (const SQLite::Exception& error) {
        error_ = std::make_exception_ptr(
            hw::input_error(std::string("the packet log cannot be written: ") + error.what(), "is the disk full?"));
    } catch (const hw::input_error&) {
        error_ = std::current_exception();
    }
}

packet_database::packet_database(const std::filesystem::path& file, const logged_network& network) {
    guarded([&] { tables_ = std::make_unique<tables>(file, network); });
    if (error_) std::rethrow_exception(error_);
}

packet_database::~packet_database() = default;

void packet_database::add(const logged_packet& packet) {
    guarded([&] { tables_->add(packet); });
}

void packet_database::add(const passage& passage) {
    guarded([&] { tables_->add(passage); });
}

void packet_database::finish(hw::engine::cycle end) {
    guarded([&] { tables_->finish(end); });
    if (error_) std::rethrow_exception(error_);
}

}  // namespace polycast::tlm::trace
