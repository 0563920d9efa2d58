// SPDX-License-Identifier: MIT
// page: draws what the functions of page.c return, and calls them for the controls. The library's
// bytes are in LIBRARY, which build.py puts before this script.
'use strict';

const bytes = Uint8Array.from(atob(LIBRARY), (c) => c.charCodeAt(0));
const module = new WebAssembly.Module(bytes);
// The library writes no file: what wasi-libc imports for that is answered with "not supported".
const imports = { wasi_snapshot_preview1: {} };
for (const { module: space, name } of WebAssembly.Module.imports(module))
    imports[space][name] = () => 58;
const lib = new WebAssembly.Instance(module, imports).exports;
lib._initialize();

const by = (id) => document.getElementById(id);
const text = (address) => {
    const memory = new Uint8Array(lib.memory.buffer);
    return new TextDecoder().decode(memory.slice(address, memory.indexOf(0, address)));
};
const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// The bits of a handle: handle.h.
const indexOf = (bits) => Number(bits & 0xFFFFFFFFn);
const generationOf = (bits) => Number(BigInt.asUintN(64, bits) >> 32n & 0xFFFFn);

/* A map, with all its parts. */

const SHOWN = 24; // handles; older stale ones are left out
const NO_POSITION = 0xFFFFFFFF;
let chosen = -1; // number of the handle among those held

function cell(kind, words, className) {
    const made = document.createElement('div');
    made.className = `cell ${className}`;
    made.textContent = words;
    made.id = kind;
    return made;
}

function shownHandles() {
    const all = [...Array(lib.small_held_end()).keys()];
    const stale = all.filter((held) => !lib.small_lives(held));
    const room = Math.max(0, SHOWN - (all.length - stale.length));
    const old = new Set(stale.slice(0, Math.max(0, stale.length - room)));
    return all.filter((held) => !old.has(held) || held === chosen);
}

function drawSmall() {
    const shown = shownHandles();
    by('small-handles').replaceChildren(...shown.map((held) => {
        const bits = lib.small_handle(held);
        const lives = lib.small_lives(held);
        const made = cell(`handle-${held}`, `index ${indexOf(bits)}, gen ${generationOf(bits)}`,
            (lives ? 'live' : 'stale') + (held === chosen ? ' chosen' : ''));
        made.setAttribute('role', 'option');
        made.setAttribute('aria-selected', held === chosen);
        made.addEventListener('click', () => choose(held));
        return made;
    }));
    by('small-handles').setAttribute('aria-activedescendant', `handle-${chosen}`);
    const count = lib.small_count();
    by('small-entries').replaceChildren(...Array.from({ length: lib.small_slots() }, (_, slot) => {
        const entry = lib.small_entry(slot);
        const position = indexOf(entry);
        const lives = position < count;
        const where = lives ? ` -> ${position}` : position === NO_POSITION ? ' retired' : ' free';
        return cell(`entry-${slot}`, `${String(slot).padStart(2)}: gen ${generationOf(entry)}${where}`,
            lives ? 'live' : 'free');
    }));
    by('small-items').replaceChildren(...Array.from({ length: count }, (_, index) =>
        cell(`item-${index}`, `${index}: ${lib.small_number_at(index)}`, 'live')));
    by('small-meta').replaceChildren(...Array.from({ length: count }, (_, index) =>
        cell(`meta-${index}`, `read ${lib.small_meta_at(index)}`, '')));
    by('small-stats').textContent = `${count} items, ${lib.small_slots()} slots, ` +
        `${lib.small_committed()} bytes of memory in pages of 64`;
    drawArrows(shown);
}

function arrow(from, to, className) {
    const view = by('small-view').getBoundingClientRect();
    const a = from.getBoundingClientRect(), b = to.getBoundingClientRect();
    const scroll = by('small-view').scrollLeft;
    const x = a.right - view.left + scroll, y = a.top + a.height / 2 - view.top;
    const u = b.left - view.left + scroll, v = b.top + b.height / 2 - view.top;
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    const bend = (u - x) / 2;
    path.setAttribute('d', `M${x} ${y} C${x + bend} ${y} ${u - bend} ${v} ${u} ${v} ` +
        `m-6 -4 l6 4 l-6 4`);
    path.setAttribute('class', className);
    return path;
}

function drawArrows(shown) {
    const svg = by('small-arrows');
    svg.setAttribute('width', 0); // else a view that becomes narrower would keep it
    svg.setAttribute('width', by('small-view').scrollWidth);
    svg.setAttribute('height', by('small-view').scrollHeight);
    const paths = [];
    for (const held of shown) {
        const slot = indexOf(lib.small_handle(held));
        const lives = lib.small_lives(held);
        const name = held === chosen ? 'chosen' : '';
        if (!lives && held !== chosen)
            continue;
        const entry = by(`entry-${slot}`);
        if (entry !== null)
            paths.push(arrow(by(`handle-${held}`), entry, lives ? name : 'refused'));
        if (lives)
            paths.push(arrow(entry, by(`item-${indexOf(lib.small_entry(slot))}`), name));
    }
    svg.replaceChildren(...paths);
}

function say(words) {
    by('small-said').textContent = words;
}

function choose(held) {
    chosen = held;
    const index = lib.small_look_up(held);
    say(index < 0 ? `Refused. ${text(lib.small_describe(held))}`
        : `Item ${index} is ${lib.small_number_at(index)}. ${text(lib.small_describe(held))}`);
    drawSmall();
}

const smallActions = {
    insert() {
        const held = lib.small_insert();
        if (held < 0)
            return `Refused. ${text(lib.last_error())}`;
        chosen = held;
        return `Inserted. ${text(lib.small_describe(held))}`;
    },
    erase() {
        if (chosen < 0)
            return 'Select a handle first.';
        return lib.small_erase(chosen) ? `Erased. ${text(lib.small_describe(chosen))}`
            : `Refused. ${text(lib.small_describe(chosen))}`;
    },
    step() {
        return ['All items are in order.', 'One swap nearer to the order.',
            'One swap, and all items are in order.'][lib.small_step()];
    },
    clear() {
        lib.small_clear();
        return 'Cleared: the count is 0, and no entry was touched. All handles are refused.';
    },
    trim() {
        const before = lib.small_committed();
        if (!lib.small_trim())
            return `Refused. ${text(lib.last_error())}`;
        return `Trimmed: ${before - lib.small_committed()} bytes given back.`;
    },
    // Two slots are in their second use, and the handle of the first use is selected.
    restart() {
        lib.small_begin();
        for (let i = 0; i < 8; i++)
            lib.small_insert();
        for (const held of [1, 4])
            lib.small_erase(held);
        for (let i = 0; i < 2; i++)
            lib.small_insert();
        chosen = 1;
        return `Refused. ${text(lib.small_describe(chosen))}`;
    },
};

function actSmall(action) {
    say(smallActions[action]());
    drawSmall();
}

function stepHandle(distance) {
    const shown = shownHandles();
    const at = shown.indexOf(chosen);
    const next = at < 0 ? 0 : Math.min(Math.max(at + distance, 0), shown.length - 1);
    if (shown.length > 0)
        choose(shown[next]);
}

function beginSmall() {
    for (const action of Object.keys(smallActions))
        by(`small-${action}`).addEventListener('click', () => actSmall(action));
    by('small-handles').addEventListener('keydown', (event) => {
        const distance = { ArrowUp: -1, ArrowDown: 1 }[event.key];
        if (distance === undefined)
            return;
        event.preventDefault();
        stepHandle(distance);
    });
    const keys = { i: 'insert', e: 'erase', d: 'step', c: 'clear', t: 'trim' };
    document.addEventListener('keydown', (event) => {
        const isTyping = event.ctrlKey || event.metaKey || event.altKey ||
            event.target.closest('select, input');
        if (!isTyping && keys[event.key] !== undefined)
            actSmall(keys[event.key]);
    });
    actSmall('restart');
}

/* 100,000 items, kept in order under a budget. */

const COMPARES_A_SWAP = 10; // as many compares may be spent for each swap
let isRunning = false;
const frameTimes = []; // ms of the last frames

function drawSwarm() {
    const canvas = by('swarm-canvas');
    const width = lib.swarm_width(), height = lib.swarm_height();
    const pixels = new Uint8ClampedArray(lib.memory.buffer, lib.swarm_draw(), 4 * width * height);
    canvas.getContext('2d').putImageData(new ImageData(pixels.slice(), width, height), 0, 0);
}

function frameSwarm() {
    const budget = by('swarm-budget').valueAsNumber;
    const begin = performance.now();
    lib.swarm_frame(by('swarm-churn').valueAsNumber, budget, budget * COMPARES_A_SWAP,
        by('swarm-by').value === 'key');
    const taken = performance.now() - begin;
    drawSwarm();
    frameTimes.push(taken);
    if (frameTimes.length > 60)
        frameTimes.shift();
    const mean = frameTimes.reduce((a, b) => a + b) / frameTimes.length;
    const count = (n) => n.toLocaleString('en');
    by('swarm-stats').textContent = `${count(lib.swarm_swaps())} swaps, ` +
        `${count(lib.swarm_compares())} compares, ${mean.toFixed(2)} ms a frame; ` +
        `${(lib.swarm_order() / 10).toFixed(1)}% of neighbours in order` +
        (lib.swarm_is_done() ? '; done' : '');
}

function runSwarm() {
    if (!isRunning)
        return;
    frameSwarm();
    requestAnimationFrame(runSwarm);
}

function beginSwarm() {
    const canvas = by('swarm-canvas');
    canvas.width = lib.swarm_width();
    canvas.height = lib.swarm_height();
    const turn = () => {
        isRunning = !isRunning;
        by('swarm-run').setAttribute('aria-pressed', isRunning);
        by('swarm-run').textContent = isRunning ? 'Pause' : 'Run';
        runSwarm();
    };
    by('swarm-run').addEventListener('click', turn);
    by('swarm-one').addEventListener('click', frameSwarm);
    by('swarm-restart').addEventListener('click', () => {
        lib.swarm_begin();
        frameTimes.length = 0;
        by('swarm-stats').textContent = '';
        drawSwarm();
    });
    for (const name of ['swarm-churn', 'swarm-budget']) {
        const show = () => {
            by(`${name}-value`).textContent = by(name).valueAsNumber.toLocaleString('en');
        };
        by(name).addEventListener('input', show);
        show();
    }
    lib.swarm_begin();
    drawSwarm();
    if (!matchMedia('(prefers-reduced-motion: reduce)').matches)
        turn();
}

/* A pool and its holes. */

const COLUMNS = 32, PLACE = 22, GAP = 2; // pixels
let cursor = 0;

function drawGrid() {
    const canvas = by('grid-canvas');
    const context = canvas.getContext('2d');
    const colours = [style('--line'), style('--hole'), style('--live')];
    context.fillStyle = style('--paper');
    context.fillRect(0, 0, canvas.width, canvas.height);
    for (let i = 0; i < lib.grid_capacity(); i++) {
        const x = i % COLUMNS * PLACE, y = Math.floor(i / COLUMNS) * PLACE;
        const state = lib.grid_state(i);
        context.fillStyle = colours[state];
        const inset = state === 0 ? PLACE / 3 : GAP;
        context.fillRect(x + inset, y + inset, PLACE - 2 * inset, PLACE - 2 * inset);
        if (i === cursor && document.activeElement === canvas) {
            context.strokeStyle = style('--ink');
            context.lineWidth = 2;
            context.strokeRect(x + 1, y + 1, PLACE - 2, PLACE - 2);
        }
    }
    by('grid-stats').textContent = `${lib.grid_count()} items in ${lib.grid_runs()} runs`;
}

function eraseInGrid(index) {
    const generation = lib.grid_generation(index);
    by('grid-said').textContent = lib.grid_erase(index)
        ? `Erased place ${index}, generation ${generation}. No other item has moved.`
        : `Place ${index} holds no item.`;
    drawGrid();
}

function insertInGrid(n) {
    let last = -1, inserted = 0;
    for (let i = 0; i < n; i++) {
        const index = lib.grid_insert();
        if (index < 0)
            break;
        last = index;
        inserted++;
    }
    by('grid-said').textContent = inserted < n ? `Inserted ${inserted}. ${text(lib.last_error())}`
        : `Inserted ${inserted}, the last at place ${last}, generation ` +
          `${lib.grid_generation(last)}.`;
    drawGrid();
}

function beginGrid() {
    const canvas = by('grid-canvas');
    canvas.width = COLUMNS * PLACE;
    canvas.height = lib.grid_capacity() / COLUMNS * PLACE;
    canvas.addEventListener('click', (event) => {
        const box = canvas.getBoundingClientRect();
        const column = Math.floor((event.clientX - box.left) / box.width * COLUMNS);
        const row = Math.floor((event.clientY - box.top) / box.height * canvas.height / PLACE);
        cursor = row * COLUMNS + column;
        eraseInGrid(cursor);
    });
    canvas.addEventListener('keydown', (event) => {
        const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -COLUMNS, ArrowDown: COLUMNS }[event.key];
        if (event.key === 'Enter' || event.key === ' ')
            eraseInGrid(cursor);
        else if (step !== undefined && cursor + step >= 0 && cursor + step < lib.grid_capacity())
            cursor += step;
        else if (step === undefined)
            return;
        event.preventDefault();
        drawGrid();
    });
    for (const event of ['focus', 'blur'])
        canvas.addEventListener(event, drawGrid);
    by('grid-insert').addEventListener('click', () => insertInGrid(1));
    by('grid-fill').addEventListener('click', () => insertInGrid(50));
    by('grid-half').addEventListener('click', () => {
        by('grid-said').textContent = `Erased ${lib.grid_erase_half()} items.`;
        drawGrid();
    });
    by('grid-clear').addEventListener('click', () => {
        lib.grid_clear();
        by('grid-said').textContent = 'Cleared.';
        drawGrid();
    });
    lib.grid_begin();
    insertInGrid(200);
    by('grid-said').textContent = '';
}

/* A world, with a table for each set of components. */

const COMPONENTS = ['position', 'velocity', 'health'];
const WALK = 700; // ms that an entity takes from one table to the next
let walker = -1; // slot of the selected entity

function worldRows() {
    return Array.from({ length: lib.world_count() }, (_, row) => {
        const values = COMPONENTS.map((_, number) => lib.world_value(row, number));
        return { row, values, slot: indexOf(lib.world_handle(row)),
            set: COMPONENTS.filter((_, number) => values[number] >= 0) };
    });
}

function archetypeTable(set, rows) {
    const table = document.createElement('table');
    table.createCaption().textContent = `{${set.join(', ')}}`;
    const head = table.createTHead().insertRow();
    for (const name of ['entity', ...set]) {
        const made = document.createElement('th');
        made.textContent = name;
        made.scope = 'col';
        head.append(made);
    }
    const body = table.createTBody();
    for (const { row, slot, values } of rows) {
        const line = body.insertRow();
        line.id = `entity-${slot}`;
        line.className = slot === walker ? 'chosen' : '';
        const choice = document.createElement('button');
        choice.textContent = `slot ${slot}`;
        choice.addEventListener('click', () => {
            walker = slot;
            sayWorld(text(lib.world_describe(row)));
        });
        line.insertCell().append(choice);
        for (const value of values.filter((value) => value >= 0))
            line.insertCell().textContent = value;
    }
    return table;
}

// Rows that are elsewhere than before walk there.
function drawWorld() {
    const lines = () => [...by('world-tables').querySelectorAll('tbody tr')];
    const before = new Map(lines().map((line) => [line.id, line.getBoundingClientRect()]));
    const rows = worldRows();
    const sets = [...new Set(rows.map(({ set }) => set.join()))].sort();
    by('world-tables').replaceChildren(...sets.map((set) => {
        const inside = rows.filter((row) => row.set.join() === set);
        return archetypeTable(inside[0].set, inside);
    }));
    const chosen = rows.find(({ slot }) => slot === walker);
    for (const name of COMPONENTS) {
        const has = chosen !== undefined && chosen.set.includes(name);
        by(`world-${name}`).textContent = `${has ? 'Remove' : 'Add'} ${name}`;
        by(`world-${name}`).parentElement.querySelector('.add').hidden = has;
        by(`world-${name}`).parentElement.querySelector('.remove').hidden = !has;
    }
    by('world-stats').textContent = `${rows.length} entities in ${sets.length} tables`;
    if (matchMedia('(prefers-reduced-motion: reduce)').matches)
        return;
    for (const line of lines()) {
        const from = before.get(line.id), to = line.getBoundingClientRect();
        if (from !== undefined && (from.x !== to.x || from.y !== to.y))
            line.animate([{ transform: `translate(${from.x - to.x}px, ${from.y - to.y}px)` },
                { transform: 'none' }], { duration: WALK, easing: 'ease-in-out' });
    }
}

function sayWorld(words) {
    by('world-said').textContent = words;
    drawWorld();
}

// Calls what a button stands for with the row of the selected entity.
function actOnWalker(act) {
    const chosen = worldRows().find(({ slot }) => slot === walker);
    sayWorld(chosen === undefined ? 'Select an entity first.' : act(chosen));
}

function beginWorld() {
    COMPONENTS.forEach((name, number) => {
        by(`world-${name}`).addEventListener('click', () => actOnWalker(({ row, set }) => {
            if (!lib.world_change(row, number))
                return `Refused. ${text(lib.last_error())}`;
            return set.includes(name) ? `Slot ${walker} walked to the table without ${name}.`
                : `Slot ${walker} walked to the table that has ${name} too.`;
        }));
    });
    by('world-create').addEventListener('click', () => {
        const slot = lib.world_create(3);
        if (slot >= 0)
            walker = slot;
        sayWorld(slot < 0 ? `Refused. ${text(lib.last_error())}` : `Created, in slot ${slot}.`);
    });
    by('world-destroy').addEventListener('click', () => actOnWalker(({ row, slot }) => {
        lib.world_destroy(row);
        walker = -1;
        return `Destroyed the entity of slot ${slot}. The last row filled the gap.`;
    }));
    const restart = () => {
        lib.world_begin();
        walker = [3, 3, 3, 1, 1, 7, 7].map((set) => lib.world_create(set))[0];
        sayWorld('');
    };
    by('world-restart').addEventListener('click', restart);
    restart();
}

/* The containers of a running program, by report.js. */

// A file that is no report leaves what is shown.
function showReport(words) {
    const shown = document.createElement('div');
    let report;
    try {
        report = JSON.parse(words);
        for (const told of report.containers.slice(0, MOST_CARDS))
            tellContainer(card(shown, containerTitle(told), ''), told);
        for (const leak of report.leaks.slice(0, MOST_CARDS))
            leakCard(shown, leak);
    } catch {
        by('report-said').textContent = 'This is no report of hm_report_json.';
        return;
    }
    by('report-cards').replaceChildren(...shown.childNodes);
    by('report-said').textContent = reportTitle(report);
}

function beginReport() {
    const own = () => showReport(text(lib.report_text()));
    by('report-own').addEventListener('click', own);
    by('report-file').addEventListener('change', async (event) => {
        const [file] = event.target.files;
        if (file !== undefined)
            showReport(await file.text());
        event.target.value = '';
    });
    lib.report_begin();
    own();
}
