// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/kind_rules.h"

#include "tlm/workloads/allgather/allgather_rules.h"
#include "tlm/workloads/broadcast/broadcast_rules.h"
#include "tlm/workloads/jobs/jobs_rules.h"
#include "tlm/workloads/lanes/lanes_rules.h"
#include "tlm/workloads/messages/messages_rules.h"
#include "tlm/workloads/program/program_rules.h"
#include "tlm/workloads/rails/rails_rules.h"

namespace polycast::tlm::scenario {

const std::vector<kind_rules>& all_kind_rules() {
    static const std::vector<kind_rules> rows{messages_rules(), allgather_rules(), broadcast_rules(), rails_rules(),
                                              lanes_rules(),    program_rules(),   jobs_rules()};
    return rows;
}

}  // namespace polycast::tlm::scenario
