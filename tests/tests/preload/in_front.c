/* Stands in front of all of glibc's malloc and hands everything on, as tools that watch allocations do. */
#include <errno.h>
#include <stddef.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t align, size_t size);
void __libc_free(void *old);

void *malloc(size_t size) { return __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return __libc_realloc(old, size); }
void free(void *old) { __libc_free(old); }

int posix_memalign(void **out, size_t align, size_t size) {
    *out = __libc_memalign(align, size);
    return *out == NULL ? ENOMEM : 0;
}
