/* SPDX-License-Identifier: MIT */
/* The window into a running program. See inspect.h. */
#define _GNU_SOURCE

#include "inspect.h"

#include <stddef.h>
#include <stdio.h>

#ifdef HM_WITH_MICROHTTPD

#include "inspect_page.h"

#include <handle_map/handle_map.h>

#include <arpa/inet.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

enum {
    TOKEN = 32,              /* hexadecimal digits */
    CONNECTIONS = 32,        /* at a time */
    CONNECTION_SIZE = 16384, /* bytes for what a connection has asked */
    PATIENCE = 10,           /* seconds until a connection without any traffic is closed */
    LONGEST = 8 << 20,       /* bytes of an answer */
    TIMES = 64 * 8           /* classes of times: eight for each power of two */
};

/* How often a time was taken, in classes. */
struct times {
    uint64_t counts[TIMES];
    uint64_t count, longest; /* ns */
};

struct inspect {
    struct MHD_Daemon *daemon;
    const char *program;
    char token[TOKEN + 1];
    char host[32];                   /* what a browser calls this server */
    char address[96];                /* what a user opens */
    struct MHD_Response *report;     /* of this call; NULL: not asked for yet */
    bool is_busy;                    /* this call has answered for items or a handle */
    uint64_t requests;               /* ever */
    uint64_t last;                   /* ns, when the last call began; 0: there was none */
    struct times frames, answered;   /* from call to call; in calls */
    struct times answered_questions; /* in calls in which something was asked */
};

/* Times */

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void times_add(struct times *times, uint64_t ns)
{
    uint32_t bits = hm_bits_highest(ns | 8); /* the highest, and three below it */
    times->counts[(bits << 3) | (ns >> (bits - 3) & 7)]++;
    times->count++;
    if (ns > times->longest)
        times->longest = ns;
}

/* Returns the microseconds that this share of all times do not exceed, to an eighth. */
static double times_below(const struct times *times, double share)
{
    uint64_t below = 0;
    for (uint32_t i = 3 << 3; i < TIMES; i++) {
        uint64_t end = (UINT64_C(9) + (i & 7)) << ((i >> 3) - 3);
        below += times->counts[i];
        if (below != 0 && (double)below >= share * (double)times->count)
            return (double)(end < times->longest ? end : times->longest) / 1e3;
    }
    return 0;
}

static void times_print(const char *what, const struct times *times)
{
    fprintf(stderr, "  %s: median %.1f us, 99%% below %.1f us, longest %.1f us\n", what,
            times_below(times, 0.5), times_below(times, 0.99), (double)times->longest / 1e3);
}

/* Answers */

/* Text that grows. */
struct text {
    char *bytes;
    size_t size, capacity;
};

static bool text_write(void *context, const void *bytes, size_t size)
{
    struct text *text = context;
    if (size > LONGEST - text->size)
        return false;
    if (text->bytes == NULL || size > text->capacity - text->size) {
        size_t capacity = 2 * (text->size + size);
        char *larger = realloc(text->bytes, capacity);
        if (larger == NULL)
            return false;
        text->bytes = larger;
        text->capacity = capacity;
    }
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    return true;
}

/* Makes the answer own the text. Nothing of a program is kept or shown elsewhere: the page runs
 * only its own script, and asks only this server. */
static struct MHD_Response *respond(struct text text, const char *type)
{
    static const char *const headers[][2] = {
        {"Cache-Control", "no-store"},      {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Referrer-Policy", "no-referrer"}, {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
    };
    struct MHD_Response *response =
        MHD_create_response_from_buffer(text.size, text.bytes, MHD_RESPMEM_MUST_FREE);
    if (response == NULL) {
        free(text.bytes);
        return NULL;
    }
    MHD_add_response_header(response, "Content-Type", type);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        MHD_add_response_header(response, headers[i][0], headers[i][1]);
    return response;
}

static enum MHD_Result queue(struct MHD_Connection *connection, unsigned status,
                             struct MHD_Response *response)
{
    if (response == NULL)
        return MHD_NO;
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result say(struct MHD_Connection *connection, unsigned status, const char *words)
{
    struct text text = {0};
    if (!text_write(&text, words, strlen(words)))
        return MHD_NO;
    struct MHD_Response *response = respond(text, "text/plain; charset=utf-8");
    if (response != NULL && status == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(response, "Allow", "GET");
    return queue(connection, status, response);
}

/* Sends what has been written, or why it was not. */
static enum MHD_Result send_text(struct MHD_Connection *connection, struct text text,
                                 hm_status status)
{
    if (status == HM_OK)
        return queue(connection, MHD_HTTP_OK, respond(text, "text/plain; charset=utf-8"));
    free(text.bytes);
    return say(connection,
               status == HM_ERROR_INVALID ? MHD_HTTP_NOT_FOUND : MHD_HTTP_INTERNAL_SERVER_ERROR,
               hm_last_error());
}

static const char *argument(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
}

/* Reads an argument that is a number, or 0 if there is none. False: it is something else. */
static bool read_number(struct MHD_Connection *connection, const char *name, int base,
                        uint64_t most, uint64_t *number)
{
    const char *digits = argument(connection, name);
    *number = 0;
    if (digits == NULL)
        return true;
    if (base == 16 && digits[0] == '0' && digits[1] == 'x')
        digits += 2;
    size_t length = strspn(digits, base == 16 ? "0123456789abcdefABCDEF" : "0123456789");
    if (length == 0 || digits[length] != '\0' || length > (base == 16 ? 16U : 10U))
        return false;
    *number = strtoull(digits, NULL, base);
    return *number <= most;
}

/* What is asked */

static enum MHD_Result send_page(struct inspect *inspect, struct MHD_Connection *connection)
{
    (void)inspect;
    struct text text = {0};
    if (!text_write(&text, inspect_page, sizeof inspect_page))
        return MHD_NO;
    return queue(connection, MHD_HTTP_OK, respond(text, "text/html; charset=utf-8"));
}

/* All that ask in the same call get the same text. */
static enum MHD_Result send_report(struct inspect *inspect, struct MHD_Connection *connection)
{
    if (inspect->report == NULL) {
        struct text text = {0};
        hm_status status = hm_report_json((hm_sink){text_write, &text});
        if (status != HM_OK)
            return send_text(connection, text, status);
        inspect->report = respond(text, "application/json");
    }
    if (inspect->report == NULL)
        return MHD_NO;
    return MHD_queue_response(connection, MHD_HTTP_OK, inspect->report);
}

static enum MHD_Result send_items(struct inspect *inspect, struct MHD_Connection *connection)
{
    uint64_t id, first, most;
    (void)inspect;
    if (!read_number(connection, "id", 10, UINT32_MAX, &id) ||
        !read_number(connection, "first", 10, UINT32_MAX, &first) ||
        !read_number(connection, "most", 10, UINT32_MAX, &most))
        return say(connection, MHD_HTTP_BAD_REQUEST, "id, first and most are numbers");
    const hm_dump_desc part = {.first = (uint32_t)first,
                               .most = (uint32_t)most,
                               .component = argument(connection, "component")};
    struct text text = {0};
    hm_status status = hm_report_items((uint32_t)id, &part, (hm_sink){text_write, &text});
    return send_text(connection, text, status);
}

static enum MHD_Result send_handle(struct inspect *inspect, struct MHD_Connection *connection)
{
    uint64_t bits;
    (void)inspect;
    if (!read_number(connection, "bits", 16, UINT64_MAX, &bits))
        return say(connection, MHD_HTTP_BAD_REQUEST, "a handle has up to 16 hexadecimal digits");
    struct text text = {0};
    hm_status status = hm_report_describe((hm_handle){bits}, (hm_sink){text_write, &text});
    return send_text(connection, text, status);
}

static const struct question {
    const char *path;
    bool is_limited; /* to one in a call */
    enum MHD_Result (*answer)(struct inspect *inspect, struct MHD_Connection *connection);
} questions[] = {
    {"/", false, send_page},
    {"/report", false, send_report},
    {"/items", true, send_items},
    {"/handle", true, send_handle},
};

/* Returns what follows the token, or NULL. Looks at all of it, so that the time tells nothing. */
static const char *without_token(const struct inspect *inspect, const char *url)
{
    unsigned difference = 0;
    if (strlen(url) <= TOKEN || url[0] != '/')
        return NULL;
    for (size_t i = 0; i < TOKEN; i++)
        difference |= (unsigned char)url[1 + i] ^ (unsigned char)inspect->token[i];
    return difference == 0 ? url + 1 + TOKEN : NULL;
}

/* A page of another server may have a browser ask here, by a name that leads here since. */
static bool is_called_by_address(const struct inspect *inspect, struct MHD_Connection *connection)
{
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    return host != NULL && strcmp(host, inspect->host) == 0;
}

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **state)
{
    struct inspect *inspect = context;
    (void)version;
    (void)upload;
    (void)state;
    *upload_size = 0;
    inspect->requests++;
    if (strcmp(method, "GET") != 0)
        return say(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET is answered");
    const char *path = without_token(inspect, url);
    if (path == NULL || !is_called_by_address(inspect, connection))
        return say(connection, MHD_HTTP_FORBIDDEN, "the address has no token, or a wrong one");
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        if (strcmp(path, questions[i].path) != 0)
            continue;
        if (questions[i].is_limited && inspect->is_busy)
            return say(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "much is asked: ask again");
        inspect->is_busy |= questions[i].is_limited;
        return questions[i].answer(inspect, connection);
    }
    return say(connection, MHD_HTTP_NOT_FOUND, "there is no such page");
}

/* The window */

static bool make_token(char token[TOKEN + 1])
{
    unsigned char random[TOKEN / 2];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return false;
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(token + 2 * i, 3, "%02x", (unsigned)random[i]);
    return true;
}

static bool listen_on(struct inspect *inspect, uint32_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    inspect->daemon = MHD_start_daemon(
        MHD_USE_EPOLL, 0, NULL, NULL, answer, inspect, MHD_OPTION_SOCK_ADDR, &address,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)CONNECTION_SIZE, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)PATIENCE, MHD_OPTION_END);
    if (inspect->daemon == NULL)
        return false;
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(inspect->daemon, MHD_DAEMON_INFO_BIND_PORT);
    snprintf(inspect->host, sizeof inspect->host, "127.0.0.1:%u", (unsigned)info->port);
    return true;
}

struct inspect *inspect_open(const char *program, uint32_t port)
{
    if (port == INSPECT_OFF)
        return NULL;
    struct inspect *inspect = calloc(1, sizeof *inspect);
    if (inspect == NULL || !make_token(inspect->token) || !listen_on(inspect, port)) {
        fprintf(stderr, "%s: nothing can be inspected on port %u\n", program, (unsigned)port);
        free(inspect);
        return NULL;
    }
    inspect->program = program;
    snprintf(inspect->address, sizeof inspect->address, "http://%s/%s/", inspect->host,
             inspect->token);
    fprintf(stderr, "%s: open %s to look inside\n", program, inspect->address);
    return inspect;
}

const char *inspect_address(const struct inspect *inspect)
{
    return inspect != NULL ? inspect->address : NULL;
}

void inspect_answer(struct inspect *inspect)
{
    if (inspect == NULL)
        return;
    uint64_t begin = now_ns(), requests = inspect->requests;
    if (inspect->last != 0)
        times_add(&inspect->frames, begin - inspect->last);
    inspect->last = begin;
    inspect->is_busy = false;
    MHD_run(inspect->daemon);
    if (inspect->report != NULL)
        MHD_destroy_response(inspect->report);
    inspect->report = NULL;
    uint64_t ns = now_ns() - begin;
    times_add(&inspect->answered, ns);
    if (inspect->requests != requests)
        times_add(&inspect->answered_questions, ns);
}

void inspect_close(struct inspect *inspect)
{
    if (inspect == NULL)
        return;
    MHD_stop_daemon(inspect->daemon);
    fprintf(stderr, "%s: %llu frames, %llu requests\n", inspect->program,
            (unsigned long long)inspect->answered.count, (unsigned long long)inspect->requests);
    times_print("from frame to frame", &inspect->frames);
    times_print("of which for the window", &inspect->answered);
    if (inspect->requests != 0)
        times_print("in frames with a request", &inspect->answered_questions);
    free(inspect);
}

#else

struct inspect *inspect_open(const char *program, uint32_t port)
{
    if (port != INSPECT_OFF)
        fprintf(stderr, "%s: built without libmicrohttpd: nothing can be inspected\n", program);
    return NULL;
}

const char *inspect_address(const struct inspect *inspect)
{
    (void)inspect;
    return NULL;
}

void inspect_answer(struct inspect *inspect)
{
    (void)inspect;
}

void inspect_close(struct inspect *inspect)
{
    (void)inspect;
}

#endif
