/* A heapmark worker in C: the workload graph/tree on whatever malloc this program is linked to.
 *
 * It speaks the protocol as crates/protocol/PROTOCOL.md describes it, and links nothing of heapmark. The work is that of
 * crates/workloads/src/graph/tree.rs, down to the size of each block and the order of calls, so that its counts and checksums are
 * those of the standard workers. It works on one thread and refuses others.
 *
 * Between the greeting and the end of a sample nothing but the work calls malloc: lines are read and written in fixed
 * buffers, and files by system calls.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

/* How the file name of the library begins that malloc is to come from. Without that library there is no proof. */
#ifndef MALLOC_LIBRARY
#define MALLOC_LIBRARY "libc.so"
#endif

/* ---- Lines ---- */

enum { MAX_LINE = 16 * 1024, CHANNEL = 0 };

static char line[MAX_LINE];
static size_t length;

static char request[MAX_LINE + 1];
static size_t filled, consumed;

static void raw(const char *bytes, size_t count) {
    /* One byte stays free for the line feed. All that is said here fits; were it not so, the harness would miss a pair. */
    if (length + count < MAX_LINE) {
        memcpy(line + length, bytes, count);
        length += count;
    }
}

static void start(const char *verb) {
    length = 0;
    raw(verb, strlen(verb));
}

static void key(const char *name) {
    raw(" ", 1);
    raw(name, strlen(name));
    raw("=", 1);
}

static void text(const char *name, const char *value) {
    key(name);
    for (const unsigned char *byte = (const unsigned char *)value; *byte != '\0'; byte++) {
        if (*byte > ' ' && *byte <= '~' && *byte != '%') {
            raw((const char *)byte, 1);
        } else {
            char escaped[4];
            snprintf(escaped, sizeof escaped, "%%%02x", *byte);
            raw(escaped, 3);
        }
    }
}

static void number(const char *name, uint64_t value) {
    char digits[24];
    key(name);
    raw(digits, (size_t)snprintf(digits, sizeof digits, "%" PRIu64, value));
}

/* A figure that could not be read is left out. */
static void optional(const char *name, int64_t value) {
    if (value >= 0) number(name, (uint64_t)value);
}

static void send_line(void) {
    line[length++] = '\n';
    for (size_t sent = 0; sent < length;) {
        ssize_t written = write(CHANNEL, line + sent, length - sent);
        if (written > 0) sent += (size_t)written;
        else if (errno != EINTR) exit(EXIT_SUCCESS); /* Nobody is left to tell. */
    }
}

/* Says why something cannot be done, and ends the worker. */
_Noreturn static void refuse(const char *form, ...) {
    char message[512];
    va_list values;
    va_start(values, form);
    vsnprintf(message, sizeof message, form, values);
    va_end(values);
    start("error");
    text("message", message);
    send_line();
    exit(EXIT_FAILURE);
}

/* The next request, ended by a zero; the worker ends where there is none. */
static char *receive(void) {
    memmove(request, request + consumed, filled - consumed);
    filled -= consumed;
    consumed = 0;
    for (;;) {
        char *end = memchr(request, '\n', filled);
        if (end != NULL) {
            *end = '\0';
            consumed = (size_t)(end - request) + 1;
            return request;
        }
        if (filled == MAX_LINE) refuse("a request is longer than %d bytes", MAX_LINE);
        ssize_t got = read(CHANNEL, request + filled, MAX_LINE - filled);
        if (got > 0) filled += (size_t)got;
        else if (got == 0 || errno != EINTR) exit(EXIT_SUCCESS);
    }
}

/* Whether a request has this verb. */
static bool is(const char *asked, const char *verb) {
    size_t size = strlen(verb);
    return strncmp(asked, verb, size) == 0 && (asked[size] == ' ' || asked[size] == '\0');
}

/* The pair after `place` in a request; nothing after the last. */
static const char *next_pair(const char *place) {
    const char *blank = strchr(place, ' ');
    return blank == NULL ? NULL : blank + 1;
}

static int hexadecimal(char digit) {
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
    return -1;
}

/* Decodes the value that ends at a blank or with the request; what does not fit is cut. */
static void decode(const char *value, char *into, size_t room) {
    size_t used = 0;
    for (; *value != '\0' && *value != ' ' && used + 1 < room; value++) {
        int high = *value == '%' ? hexadecimal(value[1]) : -1;
        int low = high >= 0 ? hexadecimal(value[2]) : -1;
        if (*value == '%' && low < 0) refuse("a value is wrongly escaped: %.80s", value);
        into[used++] = (char)(low >= 0 ? high * 16 + low : *value);
        if (low >= 0) value += 2;
    }
    into[used] = '\0';
}

/* The value of a pair of a request, decoded. */
static void value_of(const char *asked, const char *name, char *into, size_t room) {
    size_t size = strlen(name);
    for (const char *pair = next_pair(asked); pair != NULL; pair = next_pair(pair)) {
        if (strncmp(pair, name, size) == 0 && pair[size] == '=') {
            decode(pair + size + 1, into, room);
            return;
        }
    }
    refuse("`%.20s` lacks %s=", asked, name);
}

/* Reads a number of up to 64 bits and nothing else. */
static bool read_number(const char *digits, uint64_t *value) {
    *value = 0;
    if (*digits == '\0') return false;
    for (; *digits != '\0'; digits++) {
        uint64_t digit = (uint64_t)(*digits - '0');
        if (*digits < '0' || *digits > '9' || *value > (UINT64_MAX - digit) / 10) return false;
        *value = *value * 10 + digit;
    }
    return true;
}

static uint64_t number_of(const char *asked, const char *name) {
    char digits[64];
    uint64_t value;
    value_of(asked, name, digits, sizeof digits);
    if (!read_number(digits, &value)) refuse("%s=%s is not a number", name, digits);
    return value;
}

/* ---- Clocks and memory ---- */

struct reading {
    uint64_t wall_ns, user_ns, system_ns, minor_faults, major_faults, voluntary, involuntary;
};

static uint64_t monotonic_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static struct reading usage(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (struct reading){
        .user_ns = (uint64_t)used.ru_utime.tv_sec * 1000000000u + (uint64_t)used.ru_utime.tv_usec * 1000u,
        .system_ns = (uint64_t)used.ru_stime.tv_sec * 1000000000u + (uint64_t)used.ru_stime.tv_usec * 1000u,
        .minor_faults = (uint64_t)used.ru_minflt,
        .major_faults = (uint64_t)used.ru_majflt,
        .voluntary = (uint64_t)used.ru_nvcsw,
        .involuntary = (uint64_t)used.ru_nivcsw,
    };
}

/* What passed between two figures of the kernel, which are scaled and can seem to go back. */
static uint64_t since(uint64_t later, uint64_t earlier) {
    return later > earlier ? later - earlier : 0;
}

/* A small file of the kernel's, as text; empty where it cannot be read. */
static const char *kernel_file(const char *path) {
    static char content[8192];
    size_t used = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        for (ssize_t got = 1; got > 0 && used < sizeof content - 1;) {
            got = read(file, content + used, sizeof content - 1 - used);
            if (got > 0) used += (size_t)got;
        }
        close(file);
    }
    content[used] = '\0';
    return content;
}

/* The bytes behind a name such as `VmHWM:` at the start of a line; -1 where the kernel does not say. */
static int64_t bytes_of(const char *content, const char *name) {
    size_t size = strlen(name);
    for (const char *here = content; here != NULL && *here != '\0';) {
        if (strncmp(here, name, size) == 0) return (int64_t)strtoull(here + size, NULL, 10) * 1024;
        here = strchr(here, '\n');
        if (here != NULL) here++;
    }
    return -1;
}

static int64_t resident(const char *name) {
    return bytes_of(kernel_file("/proc/self/status"), name);
}

static bool reset_peak(void) {
    int file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (file < 0) return false;
    bool done = write(file, "5", 1) == 1;
    close(file);
    return done;
}

/* Memory at the end of a phase; for a quiet time, how long it was. */
static void send_phase(const char *name, uint64_t settled_ms) {
    const char *rollup = kernel_file("/proc/self/smaps_rollup");
    start("phase");
    text("name", name);
    if (settled_ms > 0) number("settled_ms", settled_ms);
    optional("rss", bytes_of(rollup, "Rss:"));
    optional("anonymous", bytes_of(rollup, "Anonymous:"));
    optional("lazy_free", bytes_of(rollup, "LazyFree:"));
    optional("private_dirty", bytes_of(rollup, "Private_Dirty:"));
    optional("huge", bytes_of(rollup, "AnonHugePages:"));
    send_line();
}

/* ---- Random numbers and checksums, as crates/workloads has them ---- */

static const uint64_t SPREAD = 0x9e3779b97f4a7c15;

static uint64_t mix(uint64_t sum, uint64_t value) {
    return ((sum << 29 | sum >> 35) ^ value) * SPREAD;
}

static uint64_t little_endian(const unsigned char *bytes, size_t count) {
    uint64_t value = 0;
    while (count-- > 0) value = value << 8 | bytes[count];
    return value;
}

static uint64_t mix_bytes(uint64_t sum, const unsigned char *bytes, size_t count) {
    size_t at = 0;
    sum = mix(sum, count);
    if (count >= 32) {
        uint64_t sums[4] = {1, 2, 3, 4};
        for (; count - at >= 32; at += 32) {
            for (size_t word = 0; word < 4; word++) sums[word] = mix(sums[word], little_endian(bytes + at + 8 * word, 8));
        }
        for (size_t word = 0; word < 4; word++) sum = mix(sum, sums[word]);
    }
    for (; count - at >= 8; at += 8) sum = mix(sum, little_endian(bytes + at, 8));
    if (at == count) return sum;
    uint64_t last = 0;
    if (count >= 8) {
        last = little_endian(bytes + count - 8, 8);
    } else if (count >= 4) {
        last = little_endian(bytes, 4) << 32 | little_endian(bytes + count - 4, 4);
    } else {
        for (size_t byte = 0; byte < count; byte++) last = last << 8 | bytes[byte];
    }
    return mix(sum, last);
}

/* The output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). */
static uint64_t scatter(uint64_t counter) {
    uint64_t z = counter + SPREAD;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

__extension__ typedef unsigned __int128 wide;

static uint64_t generator;

/* Wyrand with the constants of the crate fastrand 2.5. */
static uint64_t any(void) {
    generator += 0x2d358dccaa6c78a5;
    wide product = (wide)generator * (generator ^ 0x8bb84b93962eacc9);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* A number below `limit`, all equally likely (Lemire, "Fast random integer generation in an interval", 2019). */
static uint64_t below(uint64_t limit) {
    wide product = (wide)any() * limit;
    if ((uint64_t)product < limit) {
        uint64_t threshold = -limit % limit;
        while ((uint64_t)product < threshold) product = (wide)any() * limit;
    }
    return (uint64_t)(product >> 64);
}

/* The same from 32 bits, which fastrand draws numbers of up to 32 bits from. */
static uint32_t below_32(uint32_t limit) {
    uint64_t product = (uint64_t)(uint32_t)any() * limit;
    if ((uint32_t)product < limit) {
        uint32_t threshold = -limit % limit;
        while ((uint32_t)product < threshold) product = (uint64_t)(uint32_t)any() * limit;
    }
    return (uint32_t)(product >> 32);
}

/* A number from `least` to `most`. */
static size_t between(size_t least, size_t most) {
    return least + (size_t)below(most - least + 1);
}

/* ---- The workload ---- */

enum { LONGEST_TEXT = 512, WIDE_LIST = 8 };

static unsigned char letters[2 * LONGEST_TEXT];

enum kind { NUMBER, TEXT, UNARY, BINARY, LIST };

/* As large as in the standard workers, so that the blocks are: a kind, a pointer, and the length of a text. */
struct expression {
    enum kind kind;
    union {
        uint64_t *number;
        unsigned char *text;
        struct unary *unary;
        struct binary *binary;
        struct list *list;
    };
    size_t length;
};

struct unary {
    uint64_t operator;
    struct expression operand;
};

struct binary {
    uint64_t operator;
    struct expression left, right;
};

struct list {
    uint64_t name;
    size_t capacity;
    struct expression *items;
    size_t length;
};

/* What is asked for, in the order in which it is listed. */
enum { NODES, DEPTH, LIVE, KEEP, THREADS, PARAMETERS };

struct parameter {
    const char *name, *summary;
    uint64_t value, least, most;
};

static struct parameter parameters[PARAMETERS] = {
    [NODES] = {"nodes", "nodes in a tree, on average", 400, 1, 1000000},
    [DEPTH] = {"depth", "levels that a tree has at most", 64, 2, 1000},
    [LIVE] = {"live", "trees kept", 1200, 1, 10000000},
    [KEEP] = {"keep", "one in so many trees is kept, the others are dropped at once", 4, 1, 1000000},
    [THREADS] = {"threads", "threads that work at the same time; this worker works on one", 1, 1, 1024},
};

static struct expression *window;

/* Memory or the end: an allocator that has none left cannot be measured. */
static void *obtain(void *old, size_t size) {
    void *block = old == NULL ? malloc(size) : realloc(old, size);
    if (block == NULL) abort();
    return block;
}

static struct expression build(size_t nodes, size_t depth);

static struct expression leaf(void) {
    uint64_t random = any();
    struct expression tree = {.kind = NUMBER};
    if (random % 2 == 0) {
        tree.number = obtain(NULL, sizeof *tree.number);
        *tree.number = random;
        return tree;
    }
    tree.kind = TEXT;
    tree.length = between(1, 72);
    size_t from = (size_t)below(LONGEST_TEXT);
    tree.text = obtain(NULL, tree.length);
    memcpy(tree.text, letters + from, tree.length);
    return tree;
}

static struct expression unary(size_t operand, size_t depth) {
    struct unary node = {.operator = any()};
    node.operand = build(operand, depth - 1);
    struct expression tree = {.kind = UNARY, .unary = obtain(NULL, sizeof node)};
    *tree.unary = node;
    return tree;
}

static struct expression binary(size_t left, size_t right, size_t depth) {
    struct binary node = {.operator = any()};
    node.left = build(left, depth - 1);
    node.right = build(right, depth - 1);
    struct expression tree = {.kind = BINARY, .binary = obtain(NULL, sizeof node)};
    *tree.binary = node;
    return tree;
}

/* A list that grows as a Rust vector does: four items, then twice as many each time. */
static void push(struct list *list, struct expression item) {
    if (list->length == list->capacity) {
        list->capacity = list->capacity == 0 ? 4 : 2 * list->capacity;
        list->items = obtain(list->items, list->capacity * sizeof item);
    }
    list->items[list->length++] = item;
}

static struct expression boxed(struct list list) {
    struct expression tree = {.kind = LIST, .list = obtain(NULL, sizeof list)};
    *tree.list = list;
    return tree;
}

/* So many single nodes, and where `rest` is not 0 one item of that many nodes after them. */
static struct expression list_of_leaves(size_t leaves, size_t rest, size_t depth) {
    struct list list = {.name = any()};
    for (size_t item = 0; item < leaves; item++) push(&list, build(1, depth));
    if (rest > 0) push(&list, build(rest, depth));
    return boxed(list);
}

/* A few items that share the nodes evenly. */
static struct expression wide_list(size_t nodes, size_t depth) {
    size_t width = nodes < WIDE_LIST ? nodes : WIDE_LIST;
    struct list list = {.name = any()};
    for (size_t item = 0; item < width; item++) push(&list, build((nodes + item) / width, depth));
    return boxed(list);
}

static size_t least_of(size_t one, size_t other) {
    return one < other ? one : other;
}

static size_t levels_if_balanced(size_t nodes) {
    size_t levels = 0;
    for (; nodes > 0; nodes /= 2) levels++;
    return levels;
}

static struct expression build(size_t nodes, size_t depth) {
    size_t balanced = levels_if_balanced(nodes);
    if (nodes == 1) return leaf();
    if (depth == 2) return list_of_leaves(nodes - 1, 0, 1);
    if (nodes == 2) return unary(1, depth);
    if (depth < balanced) return wide_list(nodes - 1, depth - 1);
    if (depth == balanced) return binary((nodes - 1) / 2, nodes / 2, depth);
    uint32_t shape = below_32(32);
    if (shape < 8) return unary(nodes - 1, depth);
    if (shape == 8) {
        size_t left = between(1, nodes - 2);
        return binary(left, nodes - 1 - left, depth);
    }
    if (shape < 13) {
        size_t leaves = between(1, least_of(6, nodes - 2));
        return list_of_leaves(leaves, nodes - 1 - leaves, depth - 1);
    }
    size_t left = between(1, least_of(4, nodes - 2));
    return binary(left, nodes - 1 - left, depth);
}

static uint64_t walk(const struct expression *tree) {
    switch (tree->kind) {
    case NUMBER: return mix(1, *tree->number);
    case TEXT: return mix_bytes(2, tree->text, tree->length);
    case UNARY: return mix(tree->unary->operator, walk(&tree->unary->operand));
    case BINARY: return mix(mix(tree->binary->operator, walk(&tree->binary->left)), walk(&tree->binary->right));
    case LIST: break;
    }
    uint64_t sum = tree->list->name;
    for (size_t item = 0; item < tree->list->length; item++) sum = mix(sum, walk(&tree->list->items[item]));
    return sum;
}

static void drop(struct expression *tree) {
    switch (tree->kind) {
    case NUMBER: free(tree->number); return;
    case TEXT: free(tree->text); return;
    case UNARY:
        drop(&tree->unary->operand);
        free(tree->unary);
        return;
    case BINARY:
        drop(&tree->binary->left);
        drop(&tree->binary->right);
        free(tree->binary);
        return;
    case LIST:
        for (size_t item = 0; item < tree->list->length; item++) drop(&tree->list->items[item]);
        free(tree->list->items);
        free(tree->list);
        return;
    }
}

static struct expression grow(void) {
    size_t nodes = parameters[NODES].value, least = (nodes + 1) / 2;
    size_t chosen = between(least, 2 * nodes - least);
    return build(chosen, parameters[DEPTH].value);
}

/* One unit: a new tree, which now and then takes the place of an old one; then the one that is not needed goes. */
static uint64_t unit(void) {
    struct expression tree = grow();
    if (below(parameters[KEEP].value) == 0) {
        size_t place = (size_t)below(parameters[LIVE].value);
        struct expression old = window[place];
        window[place] = tree;
        tree = old;
    }
    uint64_t checksum = walk(&tree);
    drop(&tree);
    return checksum;
}

/* ---- The conversation ---- */

/* The file name of the library that a function comes from. */
static const char *library_of(const char *function) {
    Dl_info found;
    void *address = dlsym(RTLD_DEFAULT, function);
    if (address == NULL || dladdr(address, &found) == 0 || found.dli_fname == NULL) return "nowhere";
    const char *slash = strrchr(found.dli_fname, '/');
    return slash == NULL ? found.dli_fname : slash + 1;
}

/* Whether every function that is used here comes from the library that is expected. */
static bool is_proved(void) {
    static const char *const functions[] = {"malloc", "realloc", "free"};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strncmp(library_of(functions[i]), MALLOC_LIBRARY, strlen(MALLOC_LIBRARY)) != 0) return false;
    }
    return true;
}

static void greet(void) {
    char detail[256], version[256], build_text[256];
    const char *library = library_of("malloc");
    bool is_libc = strncmp(library, "libc.so", 7) == 0;
    const char *libc = "";
#ifdef __GLIBC__
    libc = gnu_get_libc_version();
#endif
    snprintf(detail, sizeof detail, "malloc from %s, expected from %s", library, MALLOC_LIBRARY);
    snprintf(version, sizeof version, "%s%s", is_libc ? "glibc " : library, is_libc ? libc : "");
    snprintf(build_text, sizeof build_text, "C compiler %s", __VERSION__);
    start("hello");
    number("protocol", 1);
    text("name", "c");
    text("crate_name", "");
    text("crate_version", "");
    text("upstream_version", version);
    text("licence", is_libc ? "LGPL-2.1-or-later" : "");
    text("forwards", "");
    text("proof", is_proved() ? "symbol" : "none");
    text("proof_detail", detail);
    text("build", build_text);
#ifdef __OPTIMIZE__
    number("debug_build", 0);
#else
    number("debug_build", 1);
#endif
    text("features", "");
    optional("start_rss", resident("VmRSS:"));
    text("kind", "allocator");
    send_line();
    start("ready");
    send_line();
}

static void list_catalogue(void) {
    start("workload");
    text("name", "graph/tree");
    text("summary", "builds, walks and drops deep trees of boxed nodes");
    text("unit", "tree");
    text("details", "The standard workload of that name, on one thread.");
    send_line();
    for (const struct parameter *parameter = parameters; parameter < parameters + PARAMETERS; parameter++) {
        start("parameter");
        text("workload", "graph/tree");
        text("name", parameter->name);
        text("summary", parameter->summary);
        text("kind", "number");
        number("default", parameter->value);
        number("min", parameter->least);
        number("max", parameter->most);
        text("choices", "");
        send_line();
    }
    start("end");
    send_line();
}

/* Takes the parameters of a request. Refuses what cannot be done. */
static void take_parameters(const char *asked) {
    static const char prefix[] = "param:";
    for (const char *pair = next_pair(asked); pair != NULL; pair = next_pair(pair)) {
        if (strncmp(pair, prefix, sizeof prefix - 1) != 0) continue;
        const char *name = pair + sizeof prefix - 1;
        struct parameter *parameter = parameters;
        for (; parameter < parameters + PARAMETERS; parameter++) {
            size_t size = strlen(parameter->name);
            if (strncmp(name, parameter->name, size) == 0 && name[size] == '=') break;
        }
        if (parameter == parameters + PARAMETERS) refuse("graph/tree has no parameter as in %.80s", name);
        char given[64];
        decode(strchr(name, '=') + 1, given, sizeof given);
        if (!read_number(given, &parameter->value) || parameter->value < parameter->least ||
            parameter->value > parameter->most) {
            refuse("graph/tree: %s=%s is out of range: give a whole number from %" PRIu64 " to %" PRIu64, parameter->name,
                   given, parameter->least, parameter->most);
        }
    }
    if (parameters[THREADS].value != 1) {
        refuse("graph/tree: threads=%" PRIu64 ": this worker works on one thread; give --threads 1", parameters[THREADS].value);
    }
    /* What the standard workers keep alive at most, by the same estimate of a node. */
    uint64_t needed = 80 * parameters[NODES].value * (parameters[LIVE].value + 1);
    if (needed > UINT64_C(2) << 30) refuse("graph/tree: with these sizes more than 2048 MiB would be alive at once");
}

static void prepare(const char *asked) {
    uint64_t begun = monotonic_ns();
    char name[64];
    value_of(asked, "workload", name, sizeof name);
    if (strcmp(name, "graph/tree") != 0) refuse("no workload is named %s; there is graph/tree", name);
    take_parameters(asked);
    for (size_t i = 0; i < sizeof letters; i++) letters[i] = (unsigned char)('a' + (scatter(i) & 255) % 26);
    generator = scatter(scatter(number_of(asked, "seed")) ^ 0);
    window = obtain(NULL, parameters[LIVE].value * sizeof *window);
    for (size_t i = 0; i < parameters[LIVE].value; i++) window[i] = grow();
    bool reset = reset_peak();
    start("prepared");
    number("prepare_ns", monotonic_ns() - begun);
    number("lanes", 1);
    optional("base_rss", resident("VmRSS:"));
    number("peak_reset", reset);
    for (const struct parameter *parameter = parameters; parameter < parameters + PARAMETERS; parameter++) {
        char pair[64];
        snprintf(pair, sizeof pair, "param:%s", parameter->name);
        number(pair, parameter->value);
    }
    send_line();
}

/* Takes turns until the harness asks for the end; that request. */
static const char *take_turns(uint64_t *count, uint64_t *checksum) {
    struct reading last = usage();
    for (;;) {
        const char *asked = receive();
        if (is(asked, "quit")) exit(EXIT_SUCCESS);
        if (is(asked, "finish")) return asked;
        if (!is(asked, "turn")) refuse("`%.20s` is not expected between turns", asked);
        uint64_t units = number_of(asked, "units"), sum = 0;
        struct reading before = usage();
        before.wall_ns = monotonic_ns();
        for (uint64_t i = 0; i < units; i++) sum += unit();
        uint64_t wall_ns = monotonic_ns();
        struct reading after = usage();
        *count += units;
        *checksum += sum;
        start("turned");
        number("count", units);
        number("checksum", sum);
        number("wall_ns", since(wall_ns, before.wall_ns));
        number("user_ns", since(after.user_ns, before.user_ns));
        number("system_ns", since(after.system_ns, before.system_ns));
        number("idle_cpu_ns", since(before.user_ns + before.system_ns, last.user_ns + last.system_ns));
        number("minor_faults", since(after.minor_faults, before.minor_faults));
        number("major_faults", since(after.major_faults, before.major_faults));
        number("voluntary_switches", since(after.voluntary, before.voluntary));
        number("involuntary_switches", since(after.involuntary, before.involuntary));
        send_line();
        last = after;
    }
}

/* Waits until so many milliseconds have passed since a moment; nobody calls malloc meanwhile. */
static void wait_until(uint64_t since_ns, uint64_t milliseconds) {
    uint64_t until = since_ns + milliseconds * 1000000u;
    struct timespec then = {.tv_sec = (time_t)(until / 1000000000u), .tv_nsec = (long)(until % 1000000000u)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, NULL) == EINTR) {}
}

/* Reads memory after each of the quiet times in a list such as `10,100,1000`; 0 is none. */
static void settle(char *moments) {
    uint64_t dropped = monotonic_ns(), moment;
    for (char *here = moments, *comma = here; comma != NULL; here = comma + 1) {
        comma = strchr(here, ',');
        if (comma != NULL) *comma = '\0';
        if (!read_number(here, &moment)) refuse("settle_ms has %s, which is not a number", here);
        if (moment == 0) continue;
        wait_until(dropped, moment);
        send_phase("settled", moment);
    }
}

static void finish(const char *asked, uint64_t count, uint64_t checksum) {
    char moments[256];
    bool drain = number_of(asked, "drain") == 1;
    value_of(asked, "settle_ms", moments, sizeof moments);
    /* The kernel batches its counters, so that the peak can lag a little behind what is resident now. */
    int64_t peak = resident("VmHWM:"), now = resident("VmRSS:");
    send_phase("worked", 0);
    if (drain) {
        for (size_t i = 0; i < parameters[LIVE].value; i++) drop(&window[i]);
        free(window);
        send_phase("drained", 0);
        settle(moments);
    }
    start("result");
    number("count", count);
    number("checksum", checksum);
    optional("peak_rss", peak > now ? peak : now);
    send_line();
    if (!is(receive(), "quit")) refuse("only `quit` is expected after `finish`");
    _exit(EXIT_SUCCESS);
}

int main(void) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    cpu_set_t processors;
    /* The default number of threads, as everywhere; that it must be 1 is said when it counts. */
    if (sched_getaffinity(0, sizeof processors, &processors) == 0) parameters[THREADS].value = (uint64_t)CPU_COUNT(&processors);
    greet();
    for (;;) {
        const char *asked = receive();
        if (is(asked, "quit")) return EXIT_SUCCESS;
        if (is(asked, "catalogue")) {
            list_catalogue();
        } else if (is(asked, "prepare")) {
            break;
        } else {
            refuse("`%.20s` is not expected before `prepare`", asked);
        }
    }
    prepare(request);
    uint64_t count = 0, checksum = 0;
    const char *asked = take_turns(&count, &checksum);
    finish(asked, count, checksum);
}
