/* A node with an application: what is sent to handler ECHO goes back to its source, to handler 1, in reverse order. */
#include "platform/node_program.h"

enum { ECHO = 2, ANSWER = 1, ECHO_WORDS = 32 };

static void echo(void *context, const struct delivery *delivery)
{
    struct node *node = context;
    struct target source = { .site = delivery->source };
    uint32_t words[ECHO_WORDS];
    unsigned count = delivery->data_words < ECHO_WORDS ? delivery->data_words : ECHO_WORDS;

    for (unsigned i = 0; i < count; i++)
        words[i] = delivery->data[count - 1 - i];
    if (operator_send(&node->operator, &source, 1, ANSWER, words, count, NULL) != 0)
        console_log(&node->console, 0, "no room for an answer");
}

int main(void)
{
    struct node *node = node_start();

    operator_register(&node->operator, ECHO, echo, node);
    node_run(node);
}
