// A list of NODES nodes that is freed from its end, by as many calls one in another.
#pragma once

#include <stdatomic.h>
#include <stdlib.h>

struct node {
  struct node* next;
  int value;
};

static struct node* _Atomic list;

__attribute__((constructor)) static void fill(void) {
  for (int i = 0; i < NODES; ++i) {
    struct node* node = malloc(sizeof *node);
    node->next = list;
    node->value = i;
    list = node;
  }
}

__attribute__((noinline, optimize("no-optimize-sibling-calls"))) static void destroy(void* memory) {
  struct node* const node = memory;
  if (node->next) destroy(node->next);
  free(node);
}

static int sum(const struct node* node) { return node ? node->value + sum(node->next) : 0; }
