/* memory: what every table of the library promises, and the refusals of the system. */
#if defined(__linux__)
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, RLIMIT_DATA */
#endif

#include "support/memory.h"
#include "support/test.h"

#include <string.h>

#if defined(__linux__)
#include <sys/mman.h>
#include <sys/resource.h>
#endif

/* Sanitizers' allocators end the process where memory is refused. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ALLOCATOR_ABORTS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define ALLOCATOR_ABORTS 1
#endif
#endif
#ifndef ALLOCATOR_ABORTS
#define ALLOCATOR_ABORTS 0
#endif

enum { TABLES = 3 };

static const hm_memory *table_at(int index)
{
    const hm_memory *const tables[TABLES] = {hm_memory_os(), hm_memory_os_huge(), hm_memory_heap()};
    return tables[index];
}

static bool is_all(const unsigned char *bytes, size_t size, unsigned char value)
{
    return bytes[0] == value && memcmp(bytes, bytes + 1, size - 1) == 0;
}

TEST(memory, every_table_is_whole_and_always_the_same)
{
    for (int i = 0; i < TABLES; i++) {
        const hm_memory *memory = table_at(i);
        CHECK(memory != NULL && memory == table_at(i));
        CHECK(memory->reserve != NULL && memory->commit != NULL);
        CHECK(memory->decommit != NULL && memory->release != NULL);
        CHECK(memory->page_size >= 8 && (memory->page_size & (memory->page_size - 1)) == 0);
    }
}

TEST(memory, huge_pages_are_whole_system_pages)
{
    CHECK(hm_memory_os_huge()->page_size % hm_memory_os()->page_size == 0);
}

TEST(memory, every_reservation_is_aligned)
{
    enum { MOST_PAGES = 20 };
    for (int i = 0; i < TABLES; i++) {
        const hm_memory *memory = table_at(i);
        unsigned char *addresses[MOST_PAGES];
        for (size_t pages = 1; pages <= MOST_PAGES; pages++) {
            addresses[pages - 1] = memory->reserve(memory->context, pages * memory->page_size);
            CHECK(addresses[pages - 1] != NULL);
            CHECK((uintptr_t)addresses[pages - 1] % HM_MEMORY_ALIGNMENT == 0);
        }
        for (size_t pages = 1; pages <= MOST_PAGES; pages++)
            memory->release(memory->context, addresses[pages - 1], pages * memory->page_size);
    }
}

TEST(memory, a_reservation_can_be_committed_to_its_last_byte)
{
    for (int i = 0; i < TABLES; i++) {
        const hm_memory *memory = table_at(i);
        size_t size = 3 * memory->page_size;
        unsigned char *bytes = memory->reserve(memory->context, size);
        CHECK(bytes != NULL);
        CHECK(memory->commit(memory->context, bytes, size));
        CHECK(is_all(bytes, size, 0));
        memset(bytes, 0xA5, size);
        CHECK(is_all(bytes, size, 0xA5));
        memory->release(memory->context, bytes, size);
    }
}

TEST(memory, reads_as_zero_after_decommit_and_commit)
{
    for (int i = 0; i < TABLES; i++) {
        const hm_memory *memory = table_at(i);
        size_t size = 2 * memory->page_size;
        unsigned char *bytes = memory->reserve(memory->context, size);
        CHECK(bytes != NULL);
        for (int round = 0; round < 3; round++) {
            CHECK(memory->commit(memory->context, bytes, size));
            CHECK(is_all(bytes, size, 0));
            memset(bytes, 0xA5, size);
            CHECK(memory->decommit(memory->context, bytes, size));
        }
        memory->release(memory->context, bytes, size);
    }
}

TEST(memory, pages_of_one_reservation_are_independent)
{
    for (int i = 0; i < TABLES; i++) {
        const hm_memory *memory = table_at(i);
        const size_t page = memory->page_size;
        unsigned char *bytes = memory->reserve(memory->context, 5 * page);
        CHECK(bytes != NULL);
        CHECK(memory->commit(memory->context, bytes + 1 * page, page));
        CHECK(memory->commit(memory->context, bytes + 3 * page, page));
        memset(bytes + 1 * page, 1, page);
        memset(bytes + 3 * page, 3, page);
        CHECK(memory->commit(memory->context, bytes + 2 * page, page));
        CHECK(is_all(bytes + 2 * page, page, 0));
        memset(bytes + 2 * page, 2, page);
        CHECK(memory->decommit(memory->context, bytes + 2 * page, page));
        CHECK(is_all(bytes + 1 * page, page, 1));
        CHECK(is_all(bytes + 3 * page, page, 3));
        CHECK(memory->commit(memory->context, bytes + 2 * page, page));
        CHECK(is_all(bytes + 2 * page, page, 0));
        CHECK(memory->decommit(memory->context, bytes + 2 * page, 2 * page));
        CHECK(is_all(bytes + 1 * page, page, 1));
        CHECK(memory->commit(memory->context, bytes + 4 * page, page));
        CHECK(is_all(bytes + 4 * page, page, 0));
        memory->release(memory->context, bytes, 5 * page);
    }
}

TEST(memory, reservations_do_not_overlap)
{
    enum { RESERVATIONS = 8 };
    for (int i = 0; i < TABLES; i++) {
        const hm_memory *memory = table_at(i);
        const size_t size = 2 * memory->page_size;
        unsigned char *bytes[RESERVATIONS];
        for (int k = 0; k < RESERVATIONS; k++) {
            bytes[k] = memory->reserve(memory->context, size);
            CHECK(bytes[k] != NULL && memory->commit(memory->context, bytes[k], size));
            memset(bytes[k], k + 1, size);
        }
        memory->release(memory->context, bytes[3], size);
        for (int k = 0; k < RESERVATIONS; k++) {
            CHECK(k == 3 || is_all(bytes[k], size, (unsigned char)(k + 1)));
            if (k != 3)
                memory->release(memory->context, bytes[k], size);
        }
    }
}

/* The largest size is where an addition inside reserve would wrap around. With 32-bit pointers half
 * of all addresses may be had. */
TEST(memory, an_absurd_size_is_refused)
{
    for (int i = 0; i < TABLES; i++) {
        const hm_memory *memory = table_at(i);
        if (ALLOCATOR_ABORTS && memory == hm_memory_heap())
            continue;
        const size_t whole_pages = ~(memory->page_size - 1);
        CHECK(memory->reserve(memory->context, SIZE_MAX & whole_pages) == NULL);
        if (sizeof(void *) >= 8)
            CHECK(memory->reserve(memory->context, SIZE_MAX / 2 & whole_pages) == NULL);
    }
}

TEST(memory, address_space_costs_no_memory)
{
    const hm_memory *memory = hm_memory_os();
    const size_t size = sizeof(void *) >= 8 ? (size_t)1 << 34 : (size_t)1 << 28;
    unsigned char *bytes = memory->reserve(memory->context, size);
    CHECK(bytes != NULL);
    CHECK(memory->commit(memory->context, bytes + size - memory->page_size, memory->page_size));
    bytes[size - 1] = 1;
    memory->release(memory->context, bytes, size);
}

#if defined(__linux__) && !ALLOCATOR_ABORTS

/* Whether the system refuses pages now: emulators only pretend to set a limit. */
static bool system_refuses(size_t size)
{
    void *probe = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(probe != MAP_FAILED);
    bool refused = mprotect(probe, size, PROT_READ | PROT_WRITE) != 0;
    (void)munmap(probe, size);
    return refused;
}

/* Reservations do not count as data, committed pages do. */
TEST(memory, a_commit_that_the_system_refuses_says_so_and_can_be_repeated)
{
    const hm_memory *memory = hm_memory_os();
    const size_t size = 16 * memory->page_size;
    unsigned char *bytes = memory->reserve(memory->context, size);
    CHECK(bytes != NULL);
    struct rlimit before, least;
    CHECK(getrlimit(RLIMIT_DATA, &before) == 0);
    least = before;
    least.rlim_cur = (rlim_t)memory->page_size; /* A limit of 0 is ignored. */
    CHECK(setrlimit(RLIMIT_DATA, &least) == 0);
    bool limited = system_refuses(size);
    bool committed = memory->commit(memory->context, bytes, size);
    CHECK(setrlimit(RLIMIT_DATA, &before) == 0);
    CHECK(committed == !limited);
    CHECK(committed || memory->commit(memory->context, bytes, size));
    CHECK(is_all(bytes, size, 0));
    memory->release(memory->context, bytes, size);
}

#endif
