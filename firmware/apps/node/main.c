/* The node's firmware: operator and console, and no application. */
#include "platform/node_program.h"

int main(void)
{
    node_run(node_start());
}
