// Three threads write to one SQLite database, each by a connection of its own; then the rows are counted.
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ROWS 3
#define THREADS 3
static const char* kFile = "rows.db";

static void must(int result, int wanted, const char* what) {
  if (result == wanted) return;
  fprintf(stderr, "%s: %s\n", what, sqlite3_errstr(result));
  exit(1);
}

static sqlite3* opened(void) {
  sqlite3* database;
  must(sqlite3_open(kFile, &database), SQLITE_OK, "open");
  sqlite3_busy_timeout(database, 10000);
  return database;
}

static void* writer(void* number) {
  sqlite3* database = opened();
  char text[100];
  for (int row = 0; row < ROWS; ++row) {
    snprintf(text, sizeof text, "insert into rows values (%ld, %d)", (long)number, row);
    must(sqlite3_exec(database, text, NULL, NULL, NULL), SQLITE_OK, text);
  }
  must(sqlite3_close(database), SQLITE_OK, "close");
  return NULL;
}

static int count(void* result, int columns, char** values, char** names) {
  (void)columns, (void)names;
  *(int*)result = atoi(values[0]);
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  int rows = 0;
  unlink(kFile);
  sqlite3* database = opened();
  must(sqlite3_exec(database, "create table rows (writer, row)", NULL, NULL, NULL), SQLITE_OK, "create");
  for (long i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, writer, (void*)i);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  must(sqlite3_exec(database, "select count(*) from rows", count, &rows, NULL), SQLITE_OK, "count");
  must(sqlite3_close(database), SQLITE_OK, "close");
  printf("%d rows\n", rows);
  return rows == THREADS * ROWS ? 0 : 1;
}
