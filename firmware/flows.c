/* SPDX-License-Identifier: Apache-2.0 */
#include "flows.h"

#include "hardware.h"

struct outflow* outflow_find(struct ni_firmware* fw, uint32_t process, uint32_t to, uint32_t group) {
    for (uint32_t i = 0; i < fw->reliable.outflows; ++i) {
        struct outflow* const flow = &fw->reliable.outflow[i];
        if (flow->to == to && flow->group == group && flow->process == process) return flow;
    }
    return NULL;
}

struct outflow* outflow_get(struct ni_firmware* fw, uint32_t process, uint32_t to, uint32_t group) {
    struct reliable* const all = &fw->reliable;
    struct outflow* flow = outflow_find(fw, process, to, group);
    if (flow != NULL) return flow;
    if (all->out_used[process] == FLOWS / fw->processes) return NULL;
    ++all->out_used[process];
    flow = &all->outflow[all->outflows++]; /* the quotas together are not more than there are */
    const uint32_t start = load(fw, NI_RESTARTS) << FLOW_START_SHIFT;
    *flow = (struct outflow){.to = to, .group = group, .lowest = start, .next = start, .process = (uint8_t)process};
    return flow;
}

void outflow_close(struct outflow* flow, uint32_t number) {
    flow->sends[number % FLOW_WINDOW] = 0;
    while (flow->lowest != flow->next && flow->sends[flow->lowest % FLOW_WINDOW] == 0) ++flow->lowest;
}

struct inflow* inflow_find(struct ni_firmware* fw, uint32_t source, uint32_t to) {
    for (uint32_t i = 0; i < fw->reliable.inflows; ++i) {
        struct inflow* const flow = &fw->reliable.inflow[i];
        if (flow->source == source && flow->to == to) return flow;
    }
    return NULL;
}

struct inflow* inflow_get(struct ni_firmware* fw, uint32_t source, uint32_t to, uint32_t process, uint32_t lowest) {
    struct reliable* const all = &fw->reliable;
    struct inflow* flow = inflow_find(fw, source, to);
    if (flow != NULL) return flow;
    if (all->in_used[process] == FLOWS / fw->processes) return NULL;
    ++all->in_used[process];
    flow = &all->inflow[all->inflows++];
    *flow = (struct inflow){
        .source = source, .to = to, .lowest = lowest, .floor = lowest, .begun = lowest, .process = (uint8_t)process};
    return flow;
}

bool inflow_guess(const struct ni_firmware* fw, uint32_t number, uint32_t* lowest) {
    const uint32_t start = number >> FLOW_START_SHIFT << FLOW_START_SHIFT;
    *lowest = start;
    /* A processor that was started anew has forgotten its flows: this may be one of them. */
    return number - start < FLOW_WINDOW && load(fw, NI_RESTARTS) == 0;
}
