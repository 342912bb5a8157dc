/*
 * Preloaded into a service: while the file that READ_ONLY_MARKER names exists, files below READ_ONLY_FOLDER cannot be
 * written, as after a disk error that made the kernel mount the file system read-only.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int refused(int fd) {
  const char *marker = getenv("READ_ONLY_MARKER");
  const char *folder = getenv("READ_ONLY_FOLDER");
  if (!marker || !folder || access(marker, F_OK) != 0) return 0;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  if (strncmp(path, folder, strlen(folder)) != 0) return 0;
  errno = EROFS;
  return 1;
}

#define REAL(name) dlsym(RTLD_NEXT, name)

ssize_t write(int fd, const void *bytes, size_t count) {
  ssize_t (*real)(int, const void *, size_t) = REAL("write");
  return refused(fd) ? -1 : real(fd, bytes, count);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
  ssize_t (*real)(int, const void *, size_t, off_t) = REAL("pwrite");
  return refused(fd) ? -1 : real(fd, bytes, count, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
  ssize_t (*real)(int, const void *, size_t, off64_t) = REAL("pwrite64");
  return refused(fd) ? -1 : real(fd, bytes, count, at);
}

int ftruncate(int fd, off_t length) {
  int (*real)(int, off_t) = REAL("ftruncate");
  return refused(fd) ? -1 : real(fd, length);
}

int ftruncate64(int fd, off64_t length) {
  int (*real)(int, off64_t) = REAL("ftruncate64");
  return refused(fd) ? -1 : real(fd, length);
}
