/* A sound replacement of malloc: it hands out one mapping from its start to its end, and takes nothing back. */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

/* Address space, of which only what is used becomes memory. */
#define ROOM ((size_t)1 << 36)
/* Before each block stands its size. */
#define HEADER ((size_t)16)

static _Atomic(uintptr_t) start;
static _Atomic(size_t) used;

static uintptr_t room(void) {
    uintptr_t here = atomic_load(&start);
    if (here == 0) {
        void *mapped = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (mapped == MAP_FAILED) return 0;
        /* Where two threads come first at once, one mapping is used and the other lies idle. */
        if (atomic_compare_exchange_strong(&start, &here, (uintptr_t)mapped)) here = (uintptr_t)mapped;
    }
    return here;
}

static void *block(size_t align, size_t size) {
    uintptr_t here = room();
    if (align < HEADER) align = HEADER;
    if (here == 0 || size > ROOM || align > ROOM) return NULL;
    size_t taken = HEADER + align + size;
    size_t before = atomic_load(&used);
    do {
        if (taken > ROOM - before) return NULL;
    } while (!atomic_compare_exchange_weak(&used, &before, before + taken));
    uintptr_t at = (here + before + HEADER + align - 1) / align * align;
    memcpy((void *)(at - sizeof size), &size, sizeof size);
    return (void *)at;
}

size_t malloc_usable_size(void *old) {
    size_t size = 0;
    if (old != NULL) memcpy(&size, (char *)old - sizeof size, sizeof size);
    return size;
}

void *malloc(size_t size) {
    void *new = block(HEADER, size);
    if (new == NULL) errno = ENOMEM;
    return new;
}

void *calloc(size_t count, size_t size) {
    size_t all;
    if (__builtin_mul_overflow(count, size, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    /* Fresh from the kernel, and never used before. */
    return malloc(all);
}

void *realloc(void *old, size_t size) {
    void *new = malloc(size);
    size_t had = malloc_usable_size(old);
    if (old != NULL && new != NULL) memcpy(new, old, had < size ? had : size);
    return new;
}

void free(void *old) { (void)old; }

int posix_memalign(void **out, size_t align, size_t size) {
    void *new = block(align, size);
    if (new == NULL) return ENOMEM;
    *out = new;
    return 0;
}

void *aligned_alloc(size_t align, size_t size) { return block(align, size); }

void *memalign(size_t align, size_t size) { return block(align, size); }
