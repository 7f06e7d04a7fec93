// The verilated site behind the C table of site_model.h: the only C++ of the project. It is compiled once for each
// parameter set, with SITE_HEADER (the generated header), SITE_CLASS, SITE_LEVEL (0: fabric, 1: whole site, 2: flat
// mesh), SITE_WAVES (1: FST) and SITE_PARAMETERS (the set's name), and linked with that class and Verilator's library
// into one shared object.
//
// SPDX-License-Identifier: ISC
#include "site_model.h"

#include SITE_HEADER
#include "Vsite___024root.h"
#include "verilated.h"
#if SITE_WAVES
#include "verilated_fst_c.h"
#endif

#include <cstring>
#include <exception>
#include <new>
#include <string>

void Vsite___024root___eval_ico(Vsite___024root *);
void Vsite___024root___eval_triggers__act(Vsite___024root *);
void Vsite___024root___eval_nba(Vsite___024root *);

#if SITE_WAVES
int waves_error; // of waves_file.h
#endif

namespace
{

// The inputs that reach further than a flop: what follows from them is evaluated if they have changed. Flops of the
// tops take over all other inputs.
struct direct_inputs {
    uint64_t local_in;
    bool reset, valid;
};

struct site_object : SITE_CLASS {
    using SITE_CLASS::SITE_CLASS;
    direct_inputs evaluated{};
};

site_object *top_of(void *model)
{
    return static_cast<site_object *>(model);
}

void *context_create(const char *firmware)
try {
    const std::string image = std::string("+firmware=") + (firmware ? firmware : "");
    const char *arguments[] = {"site", image.c_str()};
    VerilatedContext *context = new VerilatedContext;
    context->commandArgs(firmware ? 2 : 1, arguments);
    context->traceEverOn(SITE_WAVES);
    return context;
} catch (const std::exception &) {
    return nullptr;
}

void context_destroy(void *context)
{
    delete static_cast<VerilatedContext *>(context);
}

void *create(void *context, const char *name)
try {
    site_object *top = new site_object{static_cast<VerilatedContext *>(context), name};
    top->clk = 0;
#if SITE_LEVEL == 1
    top->fabric_clk = 0;
#endif
    top->eval();
    return top;
} catch (const std::exception &) {
    return nullptr;
}

// What a model takes down with it is looked for in the context that the thread used last.
void destroy(void *model)
{
    Verilated::threadContextp(top_of(model)->contextp());
    top_of(model)->final();
    delete top_of(model);
}

void ports(void *model, struct site_ports *out)
{
    site_object *top = top_of(model);
    *out = site_ports{};
    out->reset = &top->reset;
    out->link_out = &top->link_out;
    out->quiet = &top->quiet;
#if SITE_LEVEL != 2
    out->now = reinterpret_cast<uint64_t *>(&top->now);
    out->straps = reinterpret_cast<uint32_t *>(&top->straps);
    out->link_in = &top->link_in;
    out->link_down = &top->link_down;
    out->events = reinterpret_cast<uint64_t *>(&top->events);
#endif
#if SITE_LEVEL == 1
    out->wake_time = reinterpret_cast<uint64_t *>(&top->wake_time);
    out->console_in = &top->console_in;
    out->console_out = &top->console_out;
    out->finished = &top->finished;
    out->looked = &top->looked;
    out->core_pc = &top->core_pc;
    out->core_ra = &top->core_ra;
    out->finish_status = &top->finish_status;
#else
    out->local_in = &top->local_in;
    out->local_out = &top->local_out;
#endif
#if SITE_LEVEL == 0
    out->observed = &top->observed;
#endif
#if SITE_LEVEL == 2
    out->counter_select = &top->counter_select;
    out->counter_values = &top->counter_values;
#endif
}

#if SITE_LEVEL == 1
// The fabric of a whole site has a clock of its own, left out where it would change nothing.
bool fabric_runs(const SITE_CLASS *top)
{
    uint64_t shown = 0, slot;
    for (size_t at = 0; at < sizeof top->link_in; at += sizeof slot) {
        std::memcpy(&slot, reinterpret_cast<const char *>(&top->link_in) + at, sizeof slot);
        shown |= slot;
    }
    return top->reset || top->fabric_busy || (shown & LINK_SLOT_WORD);
}
#endif

#if VERILATOR_VERSION_INTEGER == 5006000 && SITE_LEVEL != 2 && !SITE_WAVES
bool inputs_changed(site_object *top)
{
    direct_inputs now{0, top->reset != 0, true};
#if SITE_LEVEL == 0
    now.local_in = top->local_in;
#endif
    const direct_inputs before = top->evaluated;
    top->evaluated = now;
    return !before.valid || before.local_in != now.local_in || before.reset != now.reset;
}

// What eval() comes to at a rising edge: inputs, then flops and what follows from them. Its search for edges, once for
// the rising and once for the falling one, takes a tenth of the time, and inputs that have not changed take another
// twentieth. How it does that may change with Verilator's version: any other goes the long way.
void clock(void *model)
{
    site_object *top = top_of(model);
    Vsite___024root *root = top->rootp;
    if (inputs_changed(top)) {
        root->__VicoTriggered.at(0) = true;
        Vsite___024root___eval_ico(root);
    }
    root->clk = 1;
    root->__Vtrigrprev__TOP__clk = 0;
#if SITE_LEVEL == 1
    root->fabric_clk = fabric_runs(top);
    root->__Vtrigrprev__TOP__fabric_clk = 0;
#endif
    Vsite___024root___eval_triggers__act(root);
    root->__VnbaTriggered = root->__VactTriggered;
    Vsite___024root___eval_nba(root);
}
#else
void clock(void *model)
{
    site_object *top = top_of(model);
#if SITE_LEVEL == 1
    top->fabric_clk = fabric_runs(top);
#endif
    top->clk = 1;
    top->eval();
#if SITE_LEVEL == 1
    top->fabric_clk = 0;
#endif
    top->clk = 0;
    top->eval();
}
#endif

void settle(void *model)
{
    top_of(model)->eval();
}

#if SITE_WAVES
void *trace_open(const char *file, void **models, unsigned count)
{
    VerilatedFstC *trace = new (std::nothrow) VerilatedFstC;
    if (!trace)
        return nullptr;
    waves_error = 0;
    for (unsigned i = 0; i < count; i++)
        top_of(models[i])->trace(trace, 99);
    trace->open(file);
    if (trace->isOpen())
        return trace;
    delete trace;
    return nullptr;
}
void trace_dump(void *trace, uint64_t clock)
{
    if (!waves_error)
        static_cast<VerilatedFstC *>(trace)->dump(clock);
}
int trace_close(void *trace)
{
    static_cast<VerilatedFstC *>(trace)->close();
    delete static_cast<VerilatedFstC *>(trace);
    return waves_error;
}
#else
void *trace_open(const char *, void **, unsigned)
{
    return nullptr;
}
void trace_dump(void *, uint64_t) {}
int trace_close(void *)
{
    return 0;
}
#endif

} // namespace

extern "C" __attribute__((visibility("default"))) const struct site_model_table site_model = {
    SITE_PARAMETERS, context_create, context_destroy, create,     destroy,     ports,
    clock,           settle,         trace_open,      trace_dump, trace_close,
};
