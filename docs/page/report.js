// SPDX-License-Identifier: MIT
// What hm_report_json tells, as cards. A report may be any file: what it says is shown as text.
'use strict';

const MOST_CARDS = 1000; // and as many archetypes in one of them

function part(tag, className, parent, words) {
    const made = document.createElement(tag);
    made.className = className;
    made.textContent = words;
    parent.append(made);
    return made;
}

const number = (value) => Number(value).toLocaleString('en');
const kib = (bytes) => `${number(Math.ceil(Number(bytes) / 1024))} KiB`;
const share = (a, b) => Number(b) > 0 ? Math.min(Math.max(Number(a) / Number(b), 0), 1) : 0;

function bar(parent, filled) {
    part('div', '', part('div', 'bar', parent, ''), '').style.width = `${100 * filled}%`;
}

// A cell for each part of the slots, the fuller the stronger.
function strip(parent, occupancy) {
    const line = part('div', 'strip', parent, '');
    for (const count of occupancy.counts.slice(0, MOST_CARDS))
        part('div', '', line, '').style.opacity = 0.1 + 0.9 * share(count, occupancy.slots);
}

function card(parent, title, className) {
    const made = part('div', `card ${className}`, parent, '');
    part('h3', '', made, title);
    return made;
}

// Half of the slots that were looked at have been issued less often than this.
function wearOf({ slots, counts }) {
    let below = 0;
    for (let i = 0; i < counts.length; i++) {
        below += Number(counts[i]);
        if (below * 2 >= Number(slots))
            return 2 ** (i + 1);
    }
    return 0;
}

function tellParts(made, { occupancy, archetypes, sparse, count: all }) {
    if (occupancy !== undefined) {
        part('p', '', made, `how full each ${number(occupancy.slots)} slots are, from the first on:`);
        strip(made, occupancy);
    }
    for (const { components, count, chunks } of (archetypes ?? []).slice(0, MOST_CARDS)) {
        part('p', '', made, `{${components.join(', ')}}: ${number(count)} in ${number(chunks)} ` +
            (chunks === 1 ? 'chunk' : 'chunks'));
        bar(made, share(count, all));
    }
    for (const { component, count } of (sparse ?? []).slice(0, MOST_CARDS))
        part('p', '', made, `${component}, sparse: ${number(count)}`);
}

function tellContainer(made, told) {
    const room = Number(told.capacity) < 0xFFFFFFFE ? ` of ${number(told.capacity)}` : '';
    part('p', '', made, `${number(told.count)}${room} items; ` +
        `${number(told.slots)} of ${number(told.max_slots)} slots used, ` +
        `${number(told.retired_slots)} retired; ${kib(told.committed_size)}`);
    bar(made, share(told.count, room !== '' ? told.capacity : told.slots));
    if (told.wear !== undefined && Number(told.wear.slots) > 0)
        part('p', '', made, `half of the slots were issued less than ${number(wearOf(told.wear))} times`);
    if (told.in_order !== undefined) {
        part('p', '', made, `${number(told.in_order)} of ${number(told.count)} items in order`);
        bar(made, share(told.in_order, told.count));
    }
    if (told.items !== undefined)
        part('p', '', made, `${number(told.items)} items in all lists` + (told.blocks_size > 0
            ? `, in ${kib(told.blocks_size)}, of which they take ` +
                `${Math.round(100 * share(told.items * told.item_size, told.blocks_size))}%` : ''));
    tellParts(made, told);
}

const containerTitle = (told) => `${told.kind} '${told.name}'`;

function leakCard(parent, leak) {
    part('p', '', card(parent, `leaked: ${leak.kind} '${leak.name ?? '(finished)'}'`, 'leak'),
        `initialised again while alive: ${number(leak.times)}; ${kib(leak.committed_size)}`);
}

const reportTitle = ({ containers, leaks, version }) => `${containers.length} ` +
    `${containers.length === 1 ? 'container' : 'containers'} of handle_map ${version}, ` +
    `${leaks.length} leaked.`;
