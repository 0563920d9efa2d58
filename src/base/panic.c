/* SPDX-License-Identifier: MIT */
/* base: the panic hook, and the end of the program. Not in base.c, since what writes the sentences
 * there has contracts too. */
#include <handle_map/base.h>

#ifndef HM_FREESTANDING
#include <stdio.h>
#include <stdlib.h>
#endif

static hm_panic_hook panic_hook;

void hm_set_panic_hook(hm_panic_hook hook)
{
    panic_hook = hook;
}

/* Freestanding there is nowhere to print to: the program's hook must do that. */
void hm_panic(const char *file, int line, const char *message)
{
    if (panic_hook != NULL)
        panic_hook(file, line, message);
#ifndef HM_FREESTANDING
    else
        fprintf(stderr, "%s:%d: %s\n", file, line, message);
    abort();
#elif defined(HM_USE_GNU)
    __builtin_trap();
#else
    for (;;)
        ;
#endif
}
