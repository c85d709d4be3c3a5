/*
 * The least that a fork of a process of some size takes: `limit KIB MAPPINGS PAGES COUNT REST_MS`. The process writes to
 * KIB of private memory in that many mappings. COUNT times, after a pause, it forks a child, which writes to PAGES of
 * these pages and answers through a pipe. Prints a line for each: ms until fork() has returned, ms until the answer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static int fail(const char *call) {
  perror(call);
  return 1;
}

/* Maps memory and writes to it. Behind each mapping lies a page without access, which counts as a mapping, too. */
static char **map_pages(long pages, long mappings, long page_bytes) {
  char **all = calloc(pages, sizeof *all);
  long used = 0, regions = mappings / 2 > 0 ? mappings / 2 : 1;
  for (long i = 0; all != NULL && i < regions; i++) {
    long count = pages * (i + 1) / regions - used;
    char *start = mmap(NULL, (count + 1) * page_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED || mprotect(start + count * page_bytes, page_bytes, PROT_NONE) != 0) return NULL;
    for (long n = 0; n < count; n++) *(all[used++] = start + n * page_bytes) = 1;
  }
  return all;
}

int main(int count, char **arguments) {
  if (count != 6) return 2;
  long page_bytes = sysconf(_SC_PAGESIZE);
  long pages = atol(arguments[1]) * 1024 / page_bytes, written = atol(arguments[3]);
  char **all = map_pages(pages, atol(arguments[2]), page_bytes);
  if (all == NULL) return fail("mmap");
  if (written > pages) written = pages;
  for (int left = atoi(arguments[4]); left > 0; left--) {
    int ends[2];
    char answer;
    usleep(atoi(arguments[5]) * 1000);
    if (pipe(ends) != 0) return fail("pipe");
    double began = now_ms();
    pid_t child = fork();
    if (child < 0) return fail("fork");
    if (child == 0) {
      for (long i = 0; i < written; i++) *all[i * pages / written] = 2; /* spread evenly */
      _exit(write(ends[1], "", 1) == 1 ? 0 : 1);
    }
    double forked = now_ms();
    if (read(ends[0], &answer, 1) != 1) return fail("read");
    printf("%.3f %.3f\n", forked - began, now_ms() - began);
    waitpid(child, NULL, 0);
    for (int i = 0; i < 2; i++) close(ends[i]);
  }
  return 0;
}
