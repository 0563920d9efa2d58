/* base: the panic hook and the names of the status codes. */
#include <handle_map/base.h>

#include <stdio.h>
#include <stdlib.h>

static hm_panic_hook panic_hook;

const char *hm_status_name(hm_status status)
{
    switch (status) {
    case HM_OK:
        return "HM_OK";
    case HM_ERROR_INVALID:
        return "HM_ERROR_INVALID";
    case HM_ERROR_MEMORY:
        return "HM_ERROR_MEMORY";
    case HM_ERROR_FULL:
        return "HM_ERROR_FULL";
    case HM_ERROR_STALE:
        return "HM_ERROR_STALE";
    case HM_ERROR_BUSY:
        return "HM_ERROR_BUSY";
    case HM_ERROR_CORRUPT:
        return "HM_ERROR_CORRUPT";
    }
    return "unknown status";
}

void hm_set_panic_hook(hm_panic_hook hook)
{
    panic_hook = hook;
}

void hm_panic(const char *file, int line, const char *message)
{
    if (panic_hook != NULL)
        panic_hook(file, line, message);
    else
        fprintf(stderr, "%s:%d: %s\n", file, line, message);
    abort();
}
