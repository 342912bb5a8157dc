/*
 * Preloaded into the measured process: every flush takes a millisecond longer, as on an ordinary disk. A write to a file
 * that was opened with O_DSYNC is a flush, too.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/types.h>
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

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t at) {
  static ssize_t (*real)(int, const void *, size_t, off64_t);
  if (!real) real = (ssize_t(*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");
  if (fcntl(fd, F_GETFL) & O_DSYNC) wait_a_millisecond();
  return real(fd, data, length, at);
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t at) {
  return pwrite64(fd, data, length, at);
}
