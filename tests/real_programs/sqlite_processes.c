// Several processes on one database: two threads each run sqlite3's command line, while the program writes too.
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FILE_NAME "shared.db"

static int failures;

static void* run_command_line(void* unused) {
  if (system("sqlite3 -cmd '.timeout 20000' " FILE_NAME " 'insert into numbers values (1)' >/dev/null") != 0)
    __atomic_fetch_add(&failures, 1, __ATOMIC_SEQ_CST);
  return unused;
}

static int print_row(void* unused, int count, char** values, char** names) {
  (void)unused, (void)count, (void)names;
  printf("rows %s, sum %s\n", values[0], values[1]);
  return 0;
}

int main(void) {
  sqlite3* database;
  pthread_t threads[2];
  unlink(FILE_NAME);
  if (sqlite3_open(FILE_NAME, &database) != SQLITE_OK) return 1;
  sqlite3_busy_timeout(database, 20000);
  if (sqlite3_exec(database, "create table numbers (value int)", NULL, NULL, NULL) != SQLITE_OK) return 1;
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, run_command_line, NULL);
  for (int i = 0; i < 3; ++i)
    if (sqlite3_exec(database, "insert into numbers values (10)", NULL, NULL, NULL) != SQLITE_OK) ++failures;
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  sqlite3_exec(database, "select count(*), sum(value) from numbers", print_row, NULL, NULL);
  printf("failures %d\n", failures);
  sqlite3_close(database);
  return failures;
}
