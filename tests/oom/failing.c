/*
 * failing: makes one allocation of a program fail, or all from one on. It is preloaded:
 *
 *     truncate -s 8 count
 *     LD_PRELOAD=build/failing.so FAIL_COUNT=count FAIL_AT=17 ordeal list levels
 *
 * FAIL_AT=17 fails the 17th allocation alone, FAIL_FROM=17 that and all behind it; without either it only
 * counts. Counted are malloc() and its relatives, mmap() of anonymous memory, fork() and pthread_create(), in
 * all processes of the program together. The number so far stands in the file FAIL_COUNT.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The heap of the C library, under the names that it keeps for those who stand before it. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

/* NULL until the library has begun: what the loader allocates is not counted. */
static _Atomic uint64_t *count;
static uint64_t number;
static bool goes_on;

static void *map(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    return (void *)syscall(SYS_mmap, at, size, protection, flags, file, offset);
}

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("FAIL_COUNT"), *from = getenv("FAIL_FROM"), *at = getenv("FAIL_AT");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    void *shared = file < 0 ? MAP_FAILED : map(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

    if (shared == MAP_FAILED)
        abort(); /* nothing would fail, and all would be well */
    close(file);
    goes_on = from != NULL;
    number = from ? strtoull(from, NULL, 10) : at ? strtoull(at, NULL, 10) : 0;
    count = shared;
}

static bool fails(void)
{
    uint64_t this;

    if (!count)
        return false;
    this = atomic_fetch_add(count, 1) + 1;
    return number != 0 && (this == number || (goes_on && this > number));
}

static void *no_memory(void)
{
    errno = ENOMEM;
    return NULL;
}

void *malloc(size_t size)
{
    return fails() ? no_memory() : __libc_malloc(size);
}

void *calloc(size_t elements, size_t size)
{
    return fails() ? no_memory() : __libc_calloc(elements, size);
}

void *realloc(void *block, size_t size)
{
    return fails() ? no_memory() : __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size)
{
    return fails() ? no_memory() : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    void *made = fails() ? NULL : __libc_memalign(alignment, size);

    if (made)
        *block = made;
    return made ? 0 : ENOMEM;
}

void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    if ((flags & MAP_ANONYMOUS) && fails()) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return map(at, size, protection, flags, file, offset);
}

pid_t fork(void)
{
    pid_t (*next)(void);

    if (fails()) {
        errno = ENOMEM;
        return -1;
    }
    *(void **)&next = dlsym(RTLD_NEXT, "fork");
    return next();
}

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*work)(void *), void *context)
{
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

    if (fails())
        return EAGAIN;
    *(void **)&next = dlsym(RTLD_NEXT, "pthread_create");
    return next(thread, how, work, context);
}
