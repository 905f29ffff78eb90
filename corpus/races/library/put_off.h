// A library that is not instrumented and puts off a destructor until nobody is inside any more.
#pragma once

void put_off_enter(void);
void put_off_leave(void);
void put_off(void* memory, void (*destroy)(void*));
