// A row is committed beside a checkpoint of a log that was checkpointed completely before; then the rows are counted.
// It finds a lost row with SQLite 3.40.1, if SQLite itself is built with heddle-cc: docs/FINDINGS.md says how.
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char* kFile = "checkpoint.db";

static void execute(sqlite3* database, const char* statement) {
  char* message = NULL;
  if (sqlite3_exec(database, statement, NULL, NULL, &message) == SQLITE_OK) return;
  fprintf(stderr, "%s: %s\n", statement, message);
  exit(2);
}

static sqlite3* opened(void) {
  sqlite3* database;
  if (sqlite3_open(kFile, &database) != SQLITE_OK) exit(2);
  execute(database, "pragma journal_mode = wal; pragma wal_autocheckpoint = 0");
  return database;
}

static void* commit(void* database) {
  execute(database, "insert into rows values (2)");  // it begins the log anew
  return NULL;
}

static int count(void* result, int columns, char** values, char** names) {
  (void)columns, (void)names;
  *(int*)result = atoi(values[0]);
  return 0;
}

int main(void) {
  pthread_t thread;
  int rows = 0;
  unlink("checkpoint.db"), unlink("checkpoint.db-wal"), unlink("checkpoint.db-shm");
  sqlite3 *writer = opened(), *other = opened();
  execute(writer, "create table rows (number)");
  sqlite3_wal_checkpoint_v2(writer, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
  execute(writer, "insert into rows values (1)");
  sqlite3_wal_checkpoint_v2(other, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
  pthread_create(&thread, NULL, commit, writer);
  sqlite3_wal_checkpoint_v2(other, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);  // it may find the log busy
  pthread_join(thread, NULL);
  sqlite3* reader = opened();
  sqlite3_exec(reader, "select count(*) from rows", count, &rows, NULL);
  printf("%d rows\n", rows);
  return rows == 2 ? 0 : 1;
}
