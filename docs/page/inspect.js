// SPDX-License-Identifier: MIT
// inspect: asks the program for its report, again and again, and for items and handles on demand.
// What it answers is shown as text.

const INTERVAL = 500; // ms from one report to the next
const KEPT = 240; // reports that the charts go back
const SHOWN = 100; // items at a time
const PATIENCE = 5000; // ms that an answer may take
const by = (id) => document.getElementById(id);
const cards = new Map(); // by a container's id
let isPaused = false;
let listed = null; // the container whose items are shown, and from which on

// Returns the text of the answer; fails with what the program says.
async function ask(question) {
    const answer = await fetch(question, { signal: AbortSignal.timeout(PATIENCE) });
    const words = await answer.text();
    if (!answer.ok)
        throw new Error(words);
    return words;
}

/* The containers */

function line(svg, values, colour) {
    const most = Math.max(...values, 1);
    const made = document.createElementNS('http://www.w3.org/2000/svg', 'polyline');
    made.setAttribute('points', values.map((value, i) =>
        `${i},${39 - 38 * value / most}`).join(' '));
    made.style.stroke = `var(${colour})`;
    svg.append(made);
}

// Items and memory over time, each as a share of its own most.
function chart(made, past) {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    svg.setAttribute('viewBox', `0 0 ${Math.max(past.length - 1, 1)} 40`);
    svg.setAttribute('preserveAspectRatio', 'none');
    svg.setAttribute('class', 'chart');
    line(svg, past.map(({ size }) => size), '--hole');
    line(svg, past.map(({ count }) => count), '--live');
    made.append(svg);
    const most = (field) => Math.max(...past.map((moment) => moment[field]));
    const legend = part('p', 'figures', made, '');
    part('span', 'live', legend, `items, up to ${number(most('count'))}`);
    part('span', 'hole', legend, `memory, up to ${kib(most('size'))}`);
}

function cardOf(told) {
    if (!cards.has(told.id)) {
        const made = card(by('cards'), containerTitle(told), '');
        const button = part('button', '', made, 'Items');
        made.prepend(button);
        const body = part('div', '', made, '');
        cards.set(told.id, { made, body, past: [] });
        button.addEventListener('click', () => list(told.id, 0, ''));
    }
    return cards.get(told.id);
}

function show(report) {
    for (const told of report.containers.slice(0, MOST_CARDS)) {
        const shown = cardOf(told);
        shown.told = told;
        shown.past.push({ count: Number(told.count), size: Number(told.committed_size) });
        shown.past.splice(0, shown.past.length - KEPT);
        shown.body.replaceChildren();
        chart(shown.body, shown.past);
        tellContainer(shown.body, told);
    }
    const alive = new Set(report.containers.map(({ id }) => id));
    for (const [id, { made }] of cards)
        if (!alive.has(id)) {
            made.remove();
            cards.delete(id);
        }
    by('leaks').replaceChildren();
    for (const leak of report.leaks.slice(0, MOST_CARDS))
        leakCard(by('leaks'), leak);
    by('state').textContent = reportTitle(report);
}

async function watch() {
    if (!isPaused) {
        try {
            show(JSON.parse(await ask('report')));
        } catch {
            by('state').textContent = 'The program does not answer.';
        }
    }
    setTimeout(watch, INTERVAL);
}

/* Items, and handles */

function offerComponents({ archetypes, sparse }, component) {
    const names = new Set((archetypes ?? []).flatMap(({ components }) => components.map(String)));
    for (const { component: name } of sparse ?? [])
        names.add(String(name));
    by('having').hidden = archetypes === undefined;
    by('component').replaceChildren(...['', ...names].map((name) =>
        new Option(name === '' ? '(any)' : name, name, false, name === component)));
}

async function list(id, first, component) {
    const shown = cards.get(id);
    if (shown === undefined) {
        by('items-said').textContent = 'The container is gone.';
        return;
    }
    const query = new URLSearchParams({ id, first, most: SHOWN });
    if (component !== '')
        query.set('component', component);
    let lines;
    try {
        lines = (await ask(`items?${query}`)).trimEnd().split('\n').slice(1);
    } catch (error) {
        by('items-said').textContent = error.message;
        return;
    }
    listed = { id, first, component };
    by('items').hidden = false;
    by('items-title').textContent = `Items of ${containerTitle(shown.told)}`;
    by('items-said').textContent = lines.length === 0 ? 'There are no more.' :
        `${number(first + 1)} to ${number(first + lines.length)}`;
    by('back').disabled = first === 0;
    by('on').disabled = lines.length < SHOWN;
    offerComponents(shown.told, component);
    by('lines').replaceChildren();
    for (const words of lines)
        part('div', '', by('lines'), words);
}

async function tellHandle() {
    const bits = by('handle').value.trim();
    try {
        by('meaning').textContent = (await ask(`handle?${new URLSearchParams({ bits })}`)).trimEnd();
    } catch (error) {
        by('meaning').textContent = error.message;
    }
}

by('pause').addEventListener('click', () => {
    isPaused = !isPaused;
    by('pause').textContent = isPaused ? 'Go on' : 'Pause';
});
by('search').addEventListener('submit', (event) => {
    event.preventDefault();
    tellHandle();
});
by('back').addEventListener('click', () =>
    list(listed.id, Math.max(listed.first - SHOWN, 0), listed.component));
by('on').addEventListener('click', () => list(listed.id, listed.first + SHOWN, listed.component));
by('again').addEventListener('click', () => list(listed.id, listed.first, listed.component));
by('component').addEventListener('change', () => list(listed.id, 0, by('component').value));
watch();
