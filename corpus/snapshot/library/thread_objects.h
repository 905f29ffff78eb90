// A library with an object in each thread that uses it; they count how many there are.
#pragma once

int use_thread_object();  // how often this thread has used its own
int thread_objects_made();
int thread_objects_destroyed();
