/* SPDX-License-Identifier: MIT */
/* State spaces whose steps are the operations of a subject: of the same model, and in the same
 * table, as those of random scripts and of the fuzzer.
 *
 *     a state = its form, if it has one + a part of the model, the container in it + the arena
 *
 * An operation takes numbers, usually modulo what is there; an action is one of them with numbers
 * that mean something else than those of every other action. */
#ifndef TEST_EXHAUSTIVE_SUBJECT_H
#define TEST_EXHAUSTIVE_SUBJECT_H

#include "arena.h"
#include "search.h"

#include "support/runner.h"

#include <handle_map/save.h>

/* How the container is saved and loaded. */
typedef struct subject_file {
    void (*save)(hm_sink sink);
    void (*load)(hm_source source); /* Empties the arena, and makes and loads a new container. */
    const void *own; /* from here to the end of the live part: what no file has, and steps use */
    bool (*has_more)(void);  /* whether steps use more, which a load forgets; NULL: they never do */
    const uint64_t *ordered; /* counts calls of compare and key; NULL: there are none */
} subject_file;

typedef struct subject_space {
    const space_config *config;
    const test_subject *subject;
    void *model;
    void *live; /* the part of the model that a state has: a container and what it must answer */
    size_t live_size;
    const uint32_t *refusals; /* counts operations that must change nothing; NULL: none does */
    void (*blank)(void);      /* makes the live part and the arena canonical */
    void (*probe)(hm_handle handle); /* passes it to every function that must not change anything */
    void (*fini)(void);              /* of container and model, and checks that nothing is left */
    void (*check_trimmed)(void);     /* after a trim that was not refused; may be NULL */
    const subject_file *file;
} subject_space;

/* Begins with the first state, which the caller has made. Returns the bytes of a state. */
size_t subject_begin(const subject_space *space);

/* The same; a form at the start of a state tells it from others, instead of all its bytes. */
size_t subject_begin_with_form(const subject_space *space, size_t form_size,
                               void (*form)(unsigned char *bytes));

void subject_add(space_actions *list, const char *operation, uint32_t a, uint32_t b, uint32_t c);

/* An operation that makes no memory call. */
void subject_add_quiet(space_actions *list, const char *operation, uint32_t a, uint32_t b,
                       uint32_t c);

/* The adopts of each slot, under the handle that it had last and the one after it. */
void subject_add_adopts(space_actions *list, uint32_t slots);

/* Runs an operation before the search begins. */
void subject_run(const char *operation, const uint32_t arguments[TEST_ARGUMENTS]);

/* Fills and clears the container once for each life that the configuration spends, and fills it
 * again if it is to begin full. */
void subject_spend_lives(void (*fill)(void));

bool subject_is(const space_action *action, const char *operation);

/* Makes the live state canonical and copies it, and copies it back. */
void subject_capture(void *state);
void subject_restore(const void *state);

/* Whether a loaded copy must go on as the live state does. */
bool subject_is_like_loaded(void);

/* Returns a hash of all that a loaded copy should have in common with the live state, which has
 * been captured: the bytes of a save, and what the model knows; not 0. */
uint64_t subject_hash(void);

/* Returns how often the last step has called compare and key. */
uint64_t subject_cost(void);

/* Saves the live state, and loads it in its place. */
void subject_reload(void);

/* Members of the kind. */
void subject_check(void);
uint32_t subject_take(const void *before, const space_action *action, uint32_t refuse,
                      bool *changed);

#endif
