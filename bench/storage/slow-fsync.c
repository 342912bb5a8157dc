/* Preloaded into the measured process: every fsync and fdatasync takes a millisecond longer, as on an ordinary disk. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static void wait_a_millisecond(void) {
  const struct timespec millisecond = {0, 1000000};
  nanosleep(&millisecond, 0);
}

int fsync(int fd) {
  static int (*real)(int);
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  wait_a_millisecond();
  return real(fd);
}

int fdatasync(int fd) {
  static int (*real)(int);
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  wait_a_millisecond();
  return real(fd);
}
