/* Preloaded into a process under test: while the file that FAIL_FSYNC names exists, the disk reports an error. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int fails(void) {
  const char *marker = getenv("FAIL_FSYNC");
  return marker && access(marker, F_OK) == 0;
}

int fsync(int fd) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  if (fails()) {
    errno = EIO;
    return -1;
  }
  return real(fd);
}

int fdatasync(int fd) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  if (fails()) {
    errno = EIO;
    return -1;
  }
  return real(fd);
}
