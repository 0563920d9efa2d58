/* SPDX-License-Identifier: MIT */
/* rollback: a game of two players over a line that delays and loses, as fighting games do it.
 *
 *     rollback --help
 *
 *     frame      40    41    42    43    44    45    46
 *     mine        .     .     .     .     .     .     .     known at once
 *     theirs      .     .     .     ?     ?     ?     ?     guessed: as in the last frame known
 *                             |<--- played on a guess --->| now
 *
 * Each side plays both players' inputs in each frame, and guesses what has not come yet. When it
 * comes and the guess was wrong, the history puts world, index and query back to the frame that was
 * wrong, and the frames since are played again. A side that is eight frames ahead of what it knows
 * waits. Handles are as they were after a rewind, so both sides issue the same ones.
 *
 * Both sides hash their state every 60 frames by a save into a checksum. The exit code is 1 if two
 * hashes differ, or if something is refused; 2 if the command line is wrong. */
#define _POSIX_C_SOURCE 200809L

#include "command_line.h"
#include "scene_import.h"

#include <handle_map/handle_map.h>

#include <stdlib.h>
#include <time.h>

enum {
    SIDES = 2,
    BACK = 8,  /* frames that are played on a guess, at most */
    SENT = 24, /* inputs in a packet, so that a lost one is no loss */
    LINE = 32, /* packets on the line, by the tick in which they arrive */
    KEPT = 64, /* frames whose inputs are remembered */
    MARKS = BACK + 2,
    CELL = 1 << 16, /* of the field, in units; it has 64 x 64 of them */
    FIELD = 64 * CELL,
    CHECKED = 60 /* frames from one hash to the next */
};

/* The bits of an input. */
enum { LEFT = 1, RIGHT = 2, UP = 4, DOWN = 8, REPLACE = 16 };

struct drone {
    int32_t x, y, dx, dy; /* units; all sides calculate alike */
    uint32_t player;
};

/* All that a rewind puts back: watched by the history, with memory from its table. */
struct game {
    hm_world world;
    hm_query drones;
    hm_index cells; /* of drones */
    hm_component drone;
    uint32_t frame;
    uint64_t random;
};

struct packet {
    uint32_t end, count; /* the inputs of the `count` frames before `end`; 0: there is none */
    uint8_t inputs[SENT];
};

struct cost {
    double mark, rewind, replay; /* microseconds */
    uint32_t replayed;           /* frames */
};

struct side {
    struct game game;
    hm_history history;
    uint64_t marks[KEPT];        /* of the beginning of a frame */
    uint8_t inputs[SIDES][KEPT]; /* as they were played, or are known */
    uint32_t known;              /* the other's inputs are known for the frames before */
    uint32_t player;
    uint64_t random;  /* of the player */
    uint8_t held;     /* the keys that the player holds */
    uint64_t *hashes; /* one for each CHECKED frames */
    uint32_t waits, rewinds, replayed, most;
    struct cost cost; /* of this tick */
};

struct settings {
    uint32_t drones, frames, delay, loss; /* ticks; percent */
    const char *csv;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

/* the game */

static bool add_drone(struct game *game, uint32_t player)
{
    const struct drone drone = {.x = (int32_t)random_below(&game->random, FIELD),
                                .y = (int32_t)random_below(&game->random, FIELD),
                                .dx = (int32_t)random_below(&game->random, 2001) - 1000,
                                .dy = (int32_t)random_below(&game->random, 2001) - 1000,
                                .player = player};
    const void *values[] = {&drone};
    hm_handle made = hm_world_create_with(&game->world, &game->drone, 1, values);
    return !hm_handle_is_null(made) && hm_index_set(&game->cells, made, 0) == HM_OK;
}

static bool begin_game(struct game *game, const hm_memory *memory, uint32_t drones)
{
    const hm_component_desc desc = {.size = sizeof(struct drone), .name = "drone"};
    *game = (struct game){.random = 1};
    if (hm_world_init(&game->world, &(hm_world_desc){.memory = memory}) != HM_OK)
        return false;
    game->drone = hm_world_component(&game->world, &desc);
    const hm_query_desc query = {.all = &game->drone, .all_count = 1};
    const hm_index_desc cells = {
        .owners = hm_world_as_owners(&game->world), .key_limit = 64 * 64, .memory = memory};
    if (hm_query_init(&game->drones, &game->world, &query) != HM_OK ||
        hm_index_init(&game->cells, &cells) != HM_OK)
        return false;
    for (uint32_t i = 0; i < drones; i++)
        if (!add_drone(game, i % SIDES))
            return false;
    return true;
}

static void end_game(struct game *game)
{
    hm_index_fini(&game->cells);
    hm_query_fini(&game->drones);
    hm_world_fini(&game->world);
}

/* Turns back at the edges. */
static void advance(int32_t *at, int32_t *speed)
{
    *at += *speed;
    if (*at < 0 || *at >= FIELD) {
        *speed = -*speed;
        *at += *speed;
    }
}

static int32_t pushed(uint8_t input, uint8_t less, uint8_t more)
{
    return ((input & more) != 0) - ((input & less) != 0);
}

static void move_drones(struct game *game, const uint8_t *inputs)
{
    hm_query_loop loop;
    hm_view view;
    for (hm_query_begin(&game->drones, &loop); hm_query_next(&loop, &view);) {
        struct drone *drones = view.columns[0];
        for (uint32_t i = 0; i < view.count; i++) {
            struct drone *drone = &drones[i];
            int32_t before = drone->y / CELL * 64 + drone->x / CELL;
            drone->dx += pushed(inputs[drone->player], LEFT, RIGHT);
            drone->dy += pushed(inputs[drone->player], UP, DOWN);
            advance(&drone->x, &drone->dx);
            advance(&drone->y, &drone->dy);
            int32_t cell = drone->y / CELL * 64 + drone->x / CELL;
            if (cell != before)
                (void)hm_index_set(&game->cells, view.entities[i], (uint64_t)cell);
        }
    }
}

/* A player who asks for it loses a drone, and gets another one. */
static bool replace_drone(struct game *game, uint32_t player)
{
    uint32_t at = random_below(&game->random, hm_world_count(&game->world));
    hm_handle lost = hm_world_handle_at(&game->world, at);
    (void)hm_index_remove(&game->cells, lost);
    (void)hm_world_destroy(&game->world, lost);
    return add_drone(game, player);
}

static bool play_frame(struct game *game, const uint8_t *inputs)
{
    move_drones(game, inputs);
    for (uint32_t player = 0; player < SIDES; player++)
        if ((inputs[player] & REPLACE) != 0 && !replace_drone(game, player))
            return false;
    game->frame++;
    return true;
}

static uint64_t hash_game(const struct game *game)
{
    hm_hash hash = {0};
    hm_hash_add(&hash, &game->random, sizeof game->random);
    if (hm_world_save(&game->world, NULL, hm_sink_hash(&hash)) != HM_OK ||
        hm_index_save(&game->cells, NULL, hm_sink_hash(&hash)) != HM_OK)
        return 0;
    return hm_hash_end(&hash);
}

/* the sides */

/* Plays the frame that is next, on what is known or guessed. Its beginning gets a mark, unless it
 * has one since a rewind. */
static bool step(struct side *side, bool is_marked)
{
    uint32_t frame = side->game.frame, other = 1 - side->player;
    if (frame >= side->known && frame > 0)
        side->inputs[other][frame % KEPT] = side->inputs[other][(frame - 1) % KEPT];
    if (frame % CHECKED == 0)
        side->hashes[frame / CHECKED] = hash_game(&side->game);
    double begin = now();
    if (!is_marked)
        side->marks[frame % KEPT] = hm_history_mark(&side->history);
    side->cost.mark += now() - begin;
    const uint8_t inputs[SIDES] = {side->inputs[0][frame % KEPT], side->inputs[1][frame % KEPT]};
    return side->marks[frame % KEPT] != 0 && play_frame(&side->game, inputs);
}

/* Takes what a packet tells. Returns the first frame that was played on a wrong guess. */
static uint32_t receive(struct side *side, const struct packet *packet)
{
    uint8_t *inputs = side->inputs[1 - side->player];
    uint32_t wrong = UINT32_MAX;
    for (uint32_t i = 0; i < packet->count; i++) {
        uint32_t frame = packet->end - packet->count + i;
        if (frame != side->known)
            continue;
        if (frame < side->game.frame && inputs[frame % KEPT] != packet->inputs[i] &&
            wrong == UINT32_MAX)
            wrong = frame;
        inputs[frame % KEPT] = packet->inputs[i];
        side->known++;
    }
    return wrong;
}

/* Goes back to a frame, and plays those since again. */
static bool roll_back(struct side *side, uint32_t frame)
{
    uint32_t end = side->game.frame;
    double begin = now();
    if (hm_history_rewind(&side->history, side->marks[frame % KEPT]) != HM_OK)
        return false;
    side->cost.rewind = now() - begin;
    begin = now() - side->cost.mark;
    for (bool is_marked = true; side->game.frame < end; is_marked = false)
        if (!step(side, is_marked))
            return false;
    side->cost.replay = now() - begin - side->cost.mark; /* The marks are counted already. */
    side->cost.replayed = end - frame;
    side->rewinds++;
    side->replayed += end - frame;
    if (side->most < end - frame)
        side->most = end - frame;
    return true;
}

/* Plays one more frame, unless too many are guessed. The player holds keys for a while. */
static bool go_on(struct side *side, uint32_t frames)
{
    uint32_t frame = side->game.frame;
    if (frame == frames)
        return true;
    if (frame >= side->known + BACK) {
        side->waits++;
        return true;
    }
    if (random_below(&side->random, 10) == 0)
        side->held = (uint8_t)random_below(&side->random, 32);
    side->inputs[side->player][frame % KEPT] = side->held;
    return step(side, false);
}

static struct packet pack(const struct side *side)
{
    struct packet packet = {.end = side->game.frame};
    packet.count = packet.end < SENT ? packet.end : SENT;
    for (uint32_t i = 0; i < packet.count; i++)
        packet.inputs[i] = side->inputs[side->player][(packet.end - packet.count + i) % KEPT];
    return packet;
}

static bool begin_side(struct side *side, uint32_t player, const struct settings *settings)
{
    const hm_history_desc desc = {.marks = MARKS};
    *side = (struct side){.player = player, .random = 10 + player};
    side->hashes = calloc(settings->frames / CHECKED + 1, sizeof *side->hashes);
    return side->hashes != NULL && hm_history_init(&side->history, &desc) == HM_OK &&
           begin_game(&side->game, &side->history.table, settings->drones) &&
           hm_history_watch(&side->history, &side->game, sizeof side->game) == HM_OK;
}

static void end_side(struct side *side)
{
    end_game(&side->game);
    hm_history_fini(&side->history);
    free(side->hashes);
}

/* the line */

static void write_cost(FILE *csv, uint32_t tick, const struct side *side)
{
    if (csv != NULL)
        fprintf(csv, "%u,%u,%.1f,%.1f,%.1f,%u\n", (unsigned)tick, (unsigned)side->player,
                side->cost.mark, side->cost.rewind, side->cost.replay,
                (unsigned)side->cost.replayed);
}

/* One tick of both sides. */
static bool tick_both(struct side *sides, struct packet (*line)[LINE], uint32_t tick,
                      uint64_t *random, const struct settings *settings, FILE *csv)
{
    for (uint32_t i = 0; i < SIDES; i++) {
        struct side *side = &sides[i];
        struct packet *arrived = &line[i][tick % LINE];
        side->cost = (struct cost){0};
        uint32_t wrong = receive(side, arrived);
        *arrived = (struct packet){0};
        if ((wrong != UINT32_MAX && !roll_back(side, wrong)) || !go_on(side, settings->frames))
            return false;
        write_cost(csv, tick, side);
        /* One that arrives together with another takes its place: it tells all that the other does.
         */
        uint32_t late = settings->delay + random_below(random, 2);
        if (random_below(random, 100) >= settings->loss)
            line[1 - i][(tick + late) % LINE] = pack(side);
    }
    return true;
}

static bool is_done(const struct side *sides, uint32_t frames)
{
    for (uint32_t i = 0; i < SIDES; i++)
        if (sides[i].game.frame < frames || sides[i].known < frames)
            return false;
    return true;
}

/* Returns NULL, or what went wrong. */
static const char *compare(const struct side *sides, const struct settings *settings)
{
    uint32_t count = (settings->frames - 1) / CHECKED + 1;
    for (uint32_t i = 0; i < count; i++)
        if (sides[0].hashes[i] != sides[1].hashes[i] || sides[0].hashes[i] == 0)
            return "the sides differ";
    if (hash_game(&sides[0].game) != hash_game(&sides[1].game))
        return "the sides differ at the end";
    printf("%u hashes are equal, the last %016llx\n", (unsigned)count + 1,
           (unsigned long long)hash_game(&sides[0].game));
    return NULL;
}

static const char *play(struct side *sides, const struct settings *settings, FILE *csv)
{
    static struct packet line[SIDES][LINE];
    uint64_t random = 5;
    for (uint32_t tick = 0; !is_done(sides, settings->frames); tick++) {
        if (!tick_both(sides, line, tick, &random, settings, csv))
            return hm_last_error();
        if (progress_is_due())
            fprintf(stderr, "rollback: %u of %u frames\n", (unsigned)sides[0].game.frame,
                    (unsigned)settings->frames);
    }
    for (uint32_t i = 0; i < SIDES; i++)
        printf("side %u: %u frames, %u rewinds of at most %u frames, %u frames again, %u waits\n",
               (unsigned)i, (unsigned)sides[i].game.frame, (unsigned)sides[i].rewinds,
               (unsigned)sides[i].most, (unsigned)sides[i].replayed, (unsigned)sides[i].waits);
    return compare(sides, settings);
}

static const char usage[] = "usage: rollback [OPTION...]\n"
                            "Two sides of a game agree over a line that delays and loses.\n"
                            "  --drones N    entities (10000)\n"
                            "  --frames N    frames to play, 60 a second (3600)\n"
                            "  --delay N     ticks that a packet takes, or one more (6)\n"
                            "  --loss N      packets lost, percent (5)\n"
                            "  --csv FILE    write what each tick costs\n"
                            "  --help        print this text\n";

int main(int argc, char **argv)
{
    static struct side sides[SIDES];
    struct settings settings = {10000, 3600, 6, 5, NULL};
    const struct command_line_option known[] = {
        {"--drones", .number = &settings.drones, .least = 1, .most = 1000000},
        {"--frames", .number = &settings.frames, .least = 1, .most = 10000000},
        {"--delay", .number = &settings.delay, .least = 1, .most = LINE - 2},
        {"--loss", .number = &settings.loss, .least = 0, .most = 90},
        {"--csv", .text = &settings.csv}};
    const struct command_line line = {"rollback", usage, known, sizeof known / sizeof *known};
    int code = command_line_read(&line, argc, argv, NULL);
    if (code != COMMAND_LINE_RUN)
        return code;
    FILE *csv = NULL;
    if (settings.csv != NULL) {
        csv = command_line_open("rollback", "--csv", settings.csv, "w");
        if (csv == NULL)
            return COMMAND_LINE_WRONG;
        fputs("tick,side,mark,rewind,replay,replayed\n", csv);
    }
    const char *reason = NULL;
    for (uint32_t i = 0; i < SIDES && reason == NULL; i++)
        if (!begin_side(&sides[i], i, &settings))
            reason = hm_last_error();
    if (reason == NULL)
        reason = play(sides, &settings, csv);
    for (uint32_t i = 0; i < SIDES; i++)
        end_side(&sides[i]);
    if (csv != NULL && fclose(csv) != 0)
        reason = "the file of --csv could not be written";
    if (reason != NULL)
        fprintf(stderr, "rollback: %s\n", reason);
    return reason != NULL;
}
