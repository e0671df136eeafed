// SPDX-License-Identifier: Apache-2.0
#include "hw/topology/infiniband.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "hw/topology/infiniband_text.h"
#include "hw/topology/name_pool.h"
#include "hw/topology/nearest_name.h"
#include "hw/topology/text_cursor.h"

namespace polycast::hw::topology {
namespace {

const std::array<std::string, 4> record_words{"Switch", "Ca", "Hca", "Rt"};
const std::array<std::string, 3> refused_words{"include", "do", "module"};
const std::array<std::string, 14> skipped_words{"vendid",   "devid",   "sysimgguid",  "switchguid", "caguid",
                                                "hcaguids", "hcaguid", "rtguid",      "width",      "speed",
                                                "pdebug",   "Chassis", "Non-Chassis", "Hostname:"};

struct cable {
    std::string remote;  ///< id
    unsigned remote_port = 0;
    std::uint64_t port_guid = 0;  ///< of this end; 0 = not told
    text_position at;

    bool same_as(const cable& other) const { return remote == other.remote && remote_port == other.remote_port; }
};

struct node {
    bool is_switch = false;
    std::string id, description;
    std::uint64_t guid = 0;
    unsigned ports = 0;
    text_position at;
    std::map<unsigned, cable> cables;  ///< by port, from 1
};

class infiniband_reader {
public:
    infiniband_reader(const std::string& file, std::string_view text, bool print_out)
        : cursor_(file, text), print_out_(print_out) {}

    graph read() {
        while (cursor_.next_line()) {
            cursor_.skip_blanks();
            if (cursor_.peek() == '#') continue;  // also between the ports of a node
            if (cursor_.peek() == '[') {
                read_port();
                continue;
            }
            current_ = nullptr;
            if (!cursor_.at_end()) read_head();
        }
        check_cables();
        return build();
    }

private:
    void read_head() {
        const text_position at = cursor_.position();
        if (cursor_.peek() == '@') cursor_.fail("port aliases are not supported", "name the other node and its port");
        const std::string word(cursor_.take_until(" \t=+#\""));
        const auto is = [&](const auto& words) { return std::find(words.begin(), words.end(), word) != words.end(); };
        if (is(record_words)) {
            read_record(word, at);
        } else if (word == "switchguid") {
            switch_guid_ = take_guid();
        } else if (word == "caguid" || word == "hcaguids" || word == "rtguid") {
            adapter_guid_ = take_guid();
        } else if (is(refused_words)) {
            cursor_.fail_at(at, "ibsim's '" + word + "' is not supported", "write the network into one file");
        } else if (!is(skipped_words)) {
            std::vector<std::string> known(record_words.begin(), record_words.end());
            known.insert(known.end(), skipped_words.begin(), skipped_words.end());
            cursor_.fail_at(at, "unknown line " + excerpt(cursor_.line().substr(at.column - 1)),
                            propose_name(word, known));
        }
    }

    std::uint64_t take_guid() {
        const text_position at = cursor_.position();
        if (cursor_.take("=")) {
            const int base = cursor_.take("0x") ? 16 : 10;
            if (const auto guid = cursor_.take_number<std::uint64_t>(base)) return *guid;
        }
        cursor_.fail_at(at, "expected a GUID like =0x200005");
    }

    std::string take_id() {
        cursor_.skip_blanks();
        if (!cursor_.take("\"")) cursor_.fail("expected a node's id in quotes");
        std::string id(cursor_.take_until("\""));
        if (!cursor_.take("\"")) cursor_.fail("the closing \" of a node's id is missing");
        if (id.empty()) cursor_.fail("a node's id is empty");
        return id;
    }

    void read_record(const std::string& word, text_position at) {
        cursor_.skip_blanks();
        const text_position ports_at = cursor_.position();
        const auto ports = cursor_.take_number<unsigned>();
        if (!ports) cursor_.fail_at(ports_at, "expected the number of ports of this " + word);
        node fresh;
        fresh.is_switch = word == "Switch";
        fresh.ports = *ports;
        fresh.at = at;
        fresh.id = take_id();
        const unsigned most = fresh.is_switch ? max_switch_ports : 255;
        if (*ports < 1 || *ports > most)
            cursor_.fail_at(
                ports_at, "'" + fresh.id + "' has " + std::to_string(*ports) + " ports",
                (fresh.is_switch ? "a switch has 1 to " : "an adapter has 1 to ") + std::to_string(most) + " ports");
        cursor_.skip_blanks();
        if (!cursor_.at_end() && cursor_.peek() != '#')
            cursor_.fail("unexpected " + excerpt(cursor_.left()) + " after a node's id");
        fresh.description = description_of(cursor_.left());
        std::uint64_t& told = fresh.is_switch ? switch_guid_ : adapter_guid_;
        fresh.guid = guid_of(fresh.id).value_or(told);
        told = 0;
        const auto [known, is_new] = numbers_.try_emplace(fresh.id, nodes_.size());
        if (is_new) {
            nodes_.push_back(std::move(fresh));
        } else {
            // ibnetdiscover -g prints some nodes of a chassis twice.
            const node& first = nodes_[known->second];
            if (!print_out_ || first.is_switch != fresh.is_switch || first.ports != fresh.ports)
                cursor_.fail_at(
                    at, "there is already a node '" + fresh.id + "' (line " + std::to_string(first.at.line) + ")");
        }
        current_ = &nodes_[known->second];
    }

    void skip_extras(std::uint64_t* guid) {
        if (cursor_.take("[ext ")) {  // number on the outside of a chassis
            cursor_.take_until("]");
            if (!cursor_.take("]")) cursor_.fail("the closing ] is missing");
        }
        std::size_t blanks = 0;
        while (blanks < cursor_.left().size() && cursor_.left()[blanks] == ' ') ++blanks;
        if (!cursor_.left().substr(blanks).starts_with('(')) return;
        cursor_.advance(blanks + 1);
        const auto value = cursor_.take_number<std::uint64_t>(16);
        if (!value || !cursor_.take(")")) cursor_.fail("expected a port GUID and a closing )");
        if (guid != nullptr) *guid = *value;
    }

    unsigned take_port(const std::string& id, unsigned ports) {
        const text_position at = cursor_.position();
        const auto port = cursor_.take_number<unsigned>();
        if (!port || !cursor_.take("]")) cursor_.fail("expected a port number and a closing ]");
        if (*port < 1 || *port > ports)
            cursor_.fail_at(at, "'" + id + "' has no port " + std::to_string(*port),
                            "its ports are 1 to " + std::to_string(ports));
        return *port;
    }

    void read_port() {
        if (current_ == nullptr)
            cursor_.fail("a port line outside of a node's record", "records start with Switch, Ca, Hca or Rt");
        cable one;
        one.at = cursor_.position();
        cursor_.advance(1);
        const unsigned port = take_port(current_->id, current_->ports);
        skip_extras(&one.port_guid);
        one.remote = take_id();
        one.remote_port = cursor_.take("[") ? take_port(one.remote, 255) : 1;
        skip_extras(nullptr);
        cursor_.skip_blanks();
        while (!cursor_.at_end() && cursor_.peek() != '#') read_option();
        const auto [known, is_new] = current_->cables.try_emplace(port, one);
        if (!is_new && (!print_out_ || !known->second.same_as(one)))
            cursor_.fail_at(one.at, "port " + std::to_string(port) + " of '" + current_->id +
                                        "' is cabled twice (line " + std::to_string(known->second.at.line) + ")");
    }

    /// ibsim's width and speed of a port: w=4 s=1.
    void read_option() {
        const text_position at = cursor_.position();
        if ((!cursor_.take("w=") && !cursor_.take("s=")) || !cursor_.take_number<unsigned>())
            cursor_.fail_at(at, "unexpected " + excerpt(cursor_.left()) + " after a cable");
        cursor_.skip_blanks();
    }

    void check_cables() const {
        for (const node& here : nodes_)
            for (const auto& [port, one] : here.cables) {
                const auto found = numbers_.find(one.remote);
                if (found == numbers_.end()) {
                    std::vector<std::string> ids;
                    for (const node& other : nodes_) ids.push_back(other.id);
                    const std::string near = guid_of(one.remote) ? std::string{} : propose_name(one.remote, ids);
                    cursor_.fail_at(one.at, "'" + one.remote + "' is cabled, but has no record",
                                    near.empty() ? "is the file cut short?" : near);
                }
                const node& there = nodes_[found->second];
                const std::string text = "the cable from '" + here.id + "' port " + std::to_string(port) + " to '" +
                                         there.id + "' port " + std::to_string(one.remote_port);
                if (one.remote_port > there.ports)
                    cursor_.fail_at(one.at, "'" + there.id + "' has no port " + std::to_string(one.remote_port),
                                    "its ports are 1 to " + std::to_string(there.ports));
                const auto back = there.cables.find(one.remote_port);
                if (back == there.cables.end())
                    cursor_.fail_at(one.at, text + " is not listed from its other end", "is the file cut short?");
                if (back->second.remote != here.id || back->second.remote_port != port)
                    cursor_.fail_at(one.at, text + " is told differently by its other end (line " +
                                                std::to_string(back->second.at.line) + ")");
                if (&there == &here && here.is_switch)
                    cursor_.fail_at(one.at, "a link from switch '" + here.id + "' to itself", "leave such ports open");
                if (!here.is_switch && !there.is_switch)
                    cursor_.fail_at(one.at, "a cable between two adapters", "adapters are cabled to switches");
            }
    }

    struct end_point {
        const node* owner;
        unsigned port;  ///< of the adapter
        std::uint64_t guid;
        std::string name;
    };

    template <typename point>
    static void order_by_guid(std::vector<point>& points, std::uint64_t (*guid)(const point&)) {
        std::unordered_set<std::uint64_t> seen{0};
        for (const point& one : points)
            if (!seen.insert(guid(one)).second) return;
        std::sort(points.begin(), points.end(), [guid](const point& a, const point& b) { return guid(a) < guid(b); });
    }

    graph build() const {
        std::vector<const node*> switches;
        std::vector<end_point> hosts;
        for (const node& one : nodes_) {
            if (one.is_switch) {
                switches.push_back(&one);
                continue;
            }
            if (one.cables.empty()) cursor_.fail_at(one.at, "adapter '" + one.id + "' is not cabled", "remove it");
            const bool several = one.cables.size() > 1;
            for (const auto& [port, cabled] : one.cables)
                hosts.push_back(
                    {&one, port, several ? cabled.port_guid : one.guid, several ? "/" + std::to_string(port) : ""});
        }
        order_by_guid<const node*>(switches, [](const node* const& one) { return one->guid; });
        order_by_guid<end_point>(hosts, [](const end_point& one) { return one.guid; });

        graph network;
        network.first_port = 1;
        name_pool names;
        for (const node* one : switches) names.count(one->description.empty() ? one->id : one->description);
        for (const end_point& one : hosts)
            names.count((one.owner->description.empty() ? one.owner->id : one.owner->description) + one.name);
        std::unordered_map<std::string, std::uint32_t> numbers;
        for (const node* one : switches) {
            if (network.switches.size() >= max_switches)
                cursor_.fail_at(one->at, "more than " + std::to_string(max_switches) + " switches");
            numbers.emplace(
                one->id, network.add_switch(names.take(one->description.empty() ? one->id : one->description, one->id),
                                            one->ports, one->guid));
            network.switches.back().id = one->id;
        }
        for (const end_point& one : hosts) {
            if (network.hosts.size() >= max_hosts)
                cursor_.fail_at(one.owner->at, "more than " + std::to_string(max_hosts) + " hosts");
            const cable& cabled = one.owner->cables.at(one.port);
            const std::string name =
                (one.owner->description.empty() ? one.owner->id : one.owner->description) + one.name;
            network.attach_host(names.take(name, one.owner->id + one.name), numbers.at(cabled.remote),
                                cabled.remote_port - 1, one.guid);
        }
        for (const node* one : switches)
            for (const auto& [port, cabled] : one->cables) {
                const auto other = numbers.find(cabled.remote);
                if (other != numbers.end() && std::pair(one->id, port) < std::pair(cabled.remote, cabled.remote_port))
                    network.connect(numbers.at(one->id), port - 1, other->second, cabled.remote_port - 1);
            }
        if (const auto why = find_problem(network))
            cursor_.fail_at(why->chip ? switches[*why->chip]->at : text_position{}, why->message, why->proposal);
        return network;
    }

    text_cursor cursor_;
    bool print_out_;
    std::vector<node> nodes_;
    std::unordered_map<std::string, std::size_t> numbers_;  ///< by id
    node* current_ = nullptr;
    std::uint64_t switch_guid_ = 0, adapter_guid_ = 0;  ///< told before the record
};

}  // namespace

graph read_ibnetdiscover(const std::string& file, std::string_view text) {
    return infiniband_reader(file, text, true).read();
}

graph read_ibsim(const std::string& file, std::string_view text) {
    return infiniband_reader(file, text, false).read();
}

}  // namespace polycast::hw::topology
