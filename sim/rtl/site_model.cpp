// The verilated site behind the C table of site_model.h: the only C++ of the project. Compiled once per parameter set
// with SITE_HEADER (the generated header), SITE_CLASS, SITE_LEVEL (1: whole site), SITE_WAVES (1: FST) and
// SITE_PARAMETERS (the set's name), linked with that class and Verilator's library into one shared object.
//
// SPDX-License-Identifier: ISC
#include "site_model.h"

#include SITE_HEADER
#include "verilated.h"
#if SITE_WAVES
#include "verilated_fst_c.h"
#endif

#include <exception>
#include <new>
#include <string>

namespace {

struct Model {
    VerilatedContext context;
    SITE_CLASS *top = nullptr;
    ~Model() {
        if (top) top->final();
        delete top;
    }
};

Model *model_of(void *model) { return static_cast<Model *>(model); }

void *create(const char *name, const char *firmware) try {
    Model *model = new Model;
    const std::string image = std::string("+firmware=") + (firmware ? firmware : "");
    const char *arguments[] = {"site", image.c_str()};
    model->context.commandArgs(firmware ? 2 : 1, arguments);
    model->context.traceEverOn(SITE_WAVES);
    model->top = new SITE_CLASS{&model->context, name};
    model->top->clk = 0;
    model->top->eval();
    return model;
} catch (const std::exception &) {
    return nullptr;
}

void destroy(void *model) { delete model_of(model); }

void ports(void *model, struct site_ports *out) {
    SITE_CLASS *top = model_of(model)->top;
    *out = site_ports{};
    out->reset = &top->reset;
    out->site_address = &top->site_address;
    out->topology = &top->topology;
    out->size_x = &top->size_x;
    out->size_y = &top->size_y;
    out->unicast_lists = &top->unicast_lists;
    out->multicast_lists = &top->multicast_lists;
    out->divert_threshold = &top->divert_threshold;
    out->abort_threshold = &top->abort_threshold;
    out->abort_random = &top->abort_random;
    out->release_single = &top->release_single;
    out->link_in = &top->link_in;
    out->link_out = &top->link_out;
    out->events = reinterpret_cast<uint64_t *>(&top->events);
    out->quiet = &top->quiet;
#if SITE_LEVEL
    out->site_number = &top->site_number;
    out->links_connected = &top->links_connected;
    out->clock_hz = &top->clock_hz;
    out->mesh_hash = &top->mesh_hash;
    out->max_packet = &top->max_packet;
    out->retry_limit = &top->retry_limit;
    out->now = reinterpret_cast<uint64_t *>(&top->now);
    out->wake_time = reinterpret_cast<uint64_t *>(&top->wake_time);
    out->console_in = &top->console_in;
    out->console_out = &top->console_out;
    out->finished = &top->finished;
    out->finish_status = &top->finish_status;
#else
    out->local_in = &top->local_in;
    out->local_out = &top->local_out;
#endif
}

void clock(void *model) {
    SITE_CLASS *top = model_of(model)->top;
    top->clk = 1;
    top->eval();
    top->clk = 0;
    top->eval();
}

void settle(void *model) { model_of(model)->top->eval(); }

#if SITE_WAVES
void *trace_open(const char *file, void **models, unsigned count) {
    VerilatedFstC *trace = new (std::nothrow) VerilatedFstC;
    if (!trace) return nullptr;
    for (unsigned i = 0; i < count; i++) model_of(models[i])->top->trace(trace, 99);
    trace->open(file);
    if (trace->isOpen()) return trace;
    delete trace;
    return nullptr;
}
void trace_dump(void *trace, uint64_t clock) { static_cast<VerilatedFstC *>(trace)->dump(clock); }
void trace_close(void *trace) {
    static_cast<VerilatedFstC *>(trace)->close();
    delete static_cast<VerilatedFstC *>(trace);
}
#else
void *trace_open(const char *, void **, unsigned) { return nullptr; }
void trace_dump(void *, uint64_t) {}
void trace_close(void *) {}
#endif

}  // namespace

extern "C" __attribute__((visibility("default"))) const struct site_model_table site_model = {
    SITE_PARAMETERS, create, destroy, ports, clock, settle, trace_open, trace_dump, trace_close,
};
