/* memory, on every platform: poisoning for AddressSanitizer.
 *
 * The sanitizer's functions are weak here: they are there when the program runs under it, whether
 * or not the library was built for it. */
#include <handle_map/memory.h>

#if defined(__GNUC__) && !defined(_WIN32)

/* The names and types are the sanitizer's. */
__attribute__((weak)) void __asan_poison_memory_region(void const volatile *address, size_t size);
__attribute__((weak)) void __asan_unpoison_memory_region(void const volatile *address, size_t size);

void hm_memory_poison(const void *address, size_t size)
{
    if (__asan_poison_memory_region != NULL)
        __asan_poison_memory_region(address, size);
}

void hm_memory_unpoison(const void *address, size_t size)
{
    if (__asan_unpoison_memory_region != NULL)
        __asan_unpoison_memory_region(address, size);
}

#else

void hm_memory_poison(const void *address, size_t size)
{
    (void)address;
    (void)size;
}

void hm_memory_unpoison(const void *address, size_t size)
{
    (void)address;
    (void)size;
}

#endif
