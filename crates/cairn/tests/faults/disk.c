/* Preloaded before the system's library: calls on some files fail from the n-th on, and the clock
   goes backwards at each read. Environment variables:

   FAULT_CALL   write, sync or truncate
   FAULT_FILE   a part of the paths of these files
   FAULT_FROM   the first call that fails, from 1
   FAULT_ERROR  its errno
   FAULT_MARK   a file that is created when a call fails
   FAULT_CLOCK  by how many seconds the clock goes back at each read */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static atomic_long seen, looks;

static int fails(const char *call, int file) {
    const char *which = getenv("FAULT_CALL"), *where = getenv("FAULT_FILE");
    if (!which || !where || strcmp(which, call)) return 0;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    if (!strstr(path, where)) return 0;
    if (atomic_fetch_add(&seen, 1) + 1 < atol(getenv("FAULT_FROM"))) return 0;
    close(open(getenv("FAULT_MARK"), O_CREAT | O_WRONLY, 0600));
    errno = atoi(getenv("FAULT_ERROR"));
    return 1;
}

#define REAL(name) static __typeof__(&name) real; if (!real) real = dlsym(RTLD_NEXT, #name)

ssize_t write(int file, const void *bytes, size_t count) {
    REAL(write);
    return fails("write", file) ? -1 : real(file, bytes, count);
}
ssize_t pwrite(int file, const void *bytes, size_t count, off_t at) {
    REAL(pwrite);
    return fails("write", file) ? -1 : real(file, bytes, count, at);
}
ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t at) {
    REAL(pwrite64);
    return fails("write", file) ? -1 : real(file, bytes, count, at);
}
int fsync(int file) {
    REAL(fsync);
    return fails("sync", file) ? -1 : real(file);
}
int fdatasync(int file) {
    REAL(fdatasync);
    return fails("sync", file) ? -1 : real(file);
}
int ftruncate(int file, off_t length) {
    REAL(ftruncate);
    return fails("truncate", file) ? -1 : real(file, length);
}
int ftruncate64(int file, off64_t length) {
    REAL(ftruncate64);
    return fails("truncate", file) ? -1 : real(file, length);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    REAL(clock_gettime);
    int done = real(clock, now);
    const char *earlier = getenv("FAULT_CLOCK");
    if (done == 0 && earlier && clock == CLOCK_REALTIME)
        now->tv_sec -= atol(earlier) * (atomic_fetch_add(&looks, 1) + 1);
    return done;
}
