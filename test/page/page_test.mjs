// SPDX-License-Identifier: MIT
// page_test.mjs PAGE SCREENSHOT: opens the page in a browser without a screen, uses each control,
// compares what is drawn with what the library's own functions return, and keeps a picture. Any
// request, any message on the console and any error fails.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import puppeteer from 'puppeteer-core';

const [path, screenshot] = process.argv.slice(2);
const browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
});
const page = await browser.newPage();
const troubles = [];
let requests = 0;
page.on('request', (request) => {
    if (!request.url().startsWith('data:'))
        requests++;
});
page.on('console', (message) => troubles.push(message.text()));
page.on('pageerror', (error) => troubles.push(error.message));
await page.setViewport({ width: 1000, height: 1400 });
await page.goto(pathToFileURL(path).href);

// Reads a canvas through a copy: reading the page's own one often would change how it is kept.
await page.evaluate(() => {
    globalThis.pixelsOf = (id) => {
        const canvas = document.getElementById(id);
        const copy = new OffscreenCanvas(canvas.width, canvas.height);
        const context = copy.getContext('2d', { willReadFrequently: true });
        context.drawImage(canvas, 0, 0);
        return context.getImageData(0, 0, canvas.width, canvas.height).data;
    };
});

const said = (id) => page.$eval(`#${id}`, (element) => element.textContent);
const press = (id) => page.click(`#${id}`);
let checks = 0;
function check(condition, what) {
    assert.ok(condition, what);
    checks++;
}

// What is drawn of the small map is what the library says it is.
async function checkSmall() {
    const wrong = await page.evaluate(() => {
        const cells = (id) => [...document.getElementById(id).children].map((c) => c.textContent);
        const wrong = [];
        const items = cells('small-items'), entries = cells('small-entries');
        if (items.length !== lib.small_count() || entries.length !== lib.small_slots())
            wrong.push('counts');
        items.forEach((words, index) => {
            if (words !== `${index}: ${lib.small_number_at(index)}`)
                wrong.push(`item ${index}`);
        });
        document.querySelectorAll('#small-handles .cell').forEach((made) => {
            const held = Number(made.id.slice('handle-'.length));
            if (made.classList.contains('live') !== (lib.small_lives(held) !== 0))
                wrong.push(made.id);
        });
        const arrows = document.querySelectorAll('#small-arrows path:not(.refused)').length;
        const live = document.querySelectorAll('#small-handles .live').length;
        if (arrows !== 2 * live)
            wrong.push(`${arrows} arrows for ${live} live handles`);
        if (!lib.small_is_valid())
            wrong.push('validate');
        return wrong;
    });
    assert.deepEqual(wrong, []);
    checks++;
}

// It opens on a handle that is refused and arrows that cross, with the swarm running.
await checkSmall();
check((await said('small-said')).startsWith('Refused. stale: slot 1'), 'it opens on a refusal');
check(await page.$('#small-arrows path.refused') !== null, 'the refusal is drawn');
check(await page.evaluate(() => lib.small_number_at(1) !== lib.small_number_at(7) &&
    indexOf(lib.small_entry(1)) === 7 && indexOf(lib.small_entry(7)) === 1), 'arrows cross');
check(await said('swarm-run') === 'Pause', 'the swarm runs');
await press('swarm-run');
check(await page.$$eval('.controls div:has(button)', (groups) =>
    groups.length > 10 && groups.every((group) => group.querySelector('code'))),
    'each button has its line of C');
async function checkWidths() {
    for (const width of [390, 1280, 1000]) {
        await page.setViewport({ width, height: 1400 });
        // Arrows are drawn anew when the page hears of its width, before a frame.
        await page.evaluate(() => new Promise((resolve) =>
            requestAnimationFrame(() => requestAnimationFrame(resolve))));
        const wide = await page.$$eval('html, .small-view, .tables, .lanes, .chips', (all) =>
            all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.className));
        assert.deepEqual(wide, [], `what is wider than ${width}`);
        checks++;
    }
}
await checkWidths();
await press('small-insert');
check((await said('small-said')).startsWith('Inserted. live: slot 8'), 'insert is said');
await checkSmall();
await page.click('#handle-2');
check((await said('small-said')).startsWith('Item 2 is'), 'a look-up finds the item');
await press('small-erase');
check((await said('small-said')).startsWith('Erased. stale: slot 2'), 'erase is said');
await checkSmall();
await page.click('#handle-2');
check((await said('small-said')).startsWith('Refused. stale: slot 2'), 'a stale handle is refused');
check(await page.$('#small-arrows path.refused') !== null, 'a refusal is drawn');
await page.focus('#small-handles');
await page.keyboard.press('ArrowDown');
check((await said('small-said')).startsWith('Item'), 'arrow keys select');
for (const key of ['i', 'e', 'i'])
    await page.keyboard.press(key);
await checkSmall();
let steps = 0;
do {
    await press('small-step');
    steps++;
    await checkSmall();
} while ((await said('small-said')) === 'One swap nearer to the order.' && steps < 100);
const isSorted = await page.evaluate(() => {
    for (let i = 1; i < lib.small_count(); i++)
        if (lib.small_number_at(i - 1) > lib.small_number_at(i))
            return false;
    return true;
});
check(steps > 1 && steps < 100 && isSorted, 'steps end in order');
await page.keyboard.press('d');
check((await said('small-said')) === 'All items are in order.', 'no step is left');
for (let i = 0; i < 30; i++)
    await page.keyboard.press('i');
check((await said('small-said')).startsWith("Refused. 'number' has 24 of 24 items"),
    'a full map refuses');
await press('small-clear');
await checkSmall();
check(await page.evaluate(() => lib.small_count()) === 0, 'clear empties the map');
await press('small-trim');
check(/^Trimmed: [1-9]\d* bytes/.test(await said('small-said')), 'trim gives memory back');
await page.keyboard.press('c');
await page.keyboard.press('t');
await checkSmall();
await press('small-restart');
await checkSmall();

// The swarm's pixels are the colours of the keys.
async function checkSwarm() {
    const different = await page.evaluate(() => {
        const drawn = pixelsOf('swarm-canvas');
        const colours = new Map();
        let different = 0;
        for (let i = 0; 4 * i < drawn.length; i++) {
            const shade = lib.swarm_key_at(i) >> 8;
            const colour = drawn[4 * i] | drawn[4 * i + 1] << 8 | drawn[4 * i + 2] << 16;
            if (!colours.has(shade))
                colours.set(shade, colour);
            different += colours.get(shade) !== colour;
        }
        if (colours.size !== 256 || new Set(colours.values()).size < 250)
            different++;
        return different + !lib.swarm_is_valid();
    });
    assert.equal(different, 0);
    checks++;
}
const set = (id, value) => page.$eval(`#${id}`, (slider, to) => {
    slider.value = to;
    slider.dispatchEvent(new Event('input', { bubbles: true }));
}, value);

await checkSwarm();
await set('swarm-churn', 100);
await set('swarm-budget', 1000);
check(await said('swarm-churn-value') === '100' && await said('swarm-budget-value') === '1,000',
    'sliders say their values');
await press('swarm-one');
await checkSwarm();
const spent = await page.evaluate(() => [lib.swarm_swaps(), lib.swarm_compares()]);
check(spent[0] <= 1000 && spent[1] <= 10000, `the budget holds: ${spent}`);
await set('swarm-budget', 0);
await press('swarm-one');
check(await page.evaluate(() => lib.swarm_swaps()) === 0, 'without a budget nothing moves');
await page.select('#swarm-by', 'compare');
await set('swarm-budget', 20000);
for (let i = 0; i < 40; i++)
    await press('swarm-one');
check(await page.evaluate(() => lib.swarm_order()) > 950, 'the order is nearly complete');
await checkSwarm();
await press('swarm-restart');
await checkSwarm();

await page.select('#swarm-by', 'key');
await set('swarm-churn', 500);
await set('swarm-budget', 5000);
await press('swarm-run');
const rate = await page.evaluate(() => new Promise((resolve) => {
    let frames = 0;
    const begin = performance.now();
    const next = (now) => {
        frames++;
        if (now - begin < 3000)
            requestAnimationFrame(next);
        else
            resolve(1000 * frames / (now - begin));
    };
    requestAnimationFrame(next);
}));
await press('swarm-run');
check(await page.$eval('#swarm-run', (button) => button.textContent) === 'Run', 'run pauses');
await checkSwarm();

// The squares of the pool are what the library says of each place.
async function checkGrid() {
    const wrong = await page.evaluate(() => {
        const drawn = pixelsOf('grid-canvas');
        const seen = new Map();
        let wrong = 0;
        for (let i = 0; i < lib.grid_capacity(); i++) {
            const x = i % COLUMNS * PLACE + PLACE / 2, y = Math.floor(i / COLUMNS) * PLACE + PLACE / 2;
            const at = 4 * (y * COLUMNS * PLACE + x);
            const colour = drawn.slice(at, at + 3).join();
            const state = lib.grid_state(i);
            if (!seen.has(state))
                seen.set(state, colour);
            wrong += seen.get(state) !== colour;
        }
        wrong += new Set(seen.values()).size !== seen.size;
        return wrong + !lib.grid_is_valid();
    });
    assert.equal(wrong, 0);
    checks++;
}
await checkGrid();
await press('grid-half');
await checkGrid();
check(/^Erased \d+ items/.test(await said('grid-said')), 'a half is erased');
await press('grid-insert');
check((await said('grid-said')).startsWith('Inserted 1, the last at place'), 'insert is said');
await press('grid-fill');
await checkGrid();
const canvas = await (await page.$('#grid-canvas')).boundingBox();
await page.evaluate(() => { lib.grid_clear(); insertInGrid(64); });
await page.mouse.click(canvas.x + 3.5 * canvas.width / 32, canvas.y + canvas.width / 64);
check((await said('grid-said')).startsWith('Erased place 3,'), 'a click erases');
await checkGrid();
await page.keyboard.press('ArrowRight');
await page.keyboard.press('ArrowDown');
await page.keyboard.press('Enter');
check((await said('grid-said')).startsWith('Erased place 36,'), 'keys erase');
await page.keyboard.press(' ');
check((await said('grid-said')) === 'Place 36 holds no item.', 'a hole holds no item');
await page.touchscreen.tap(canvas.x + 5.5 * canvas.width / 32, canvas.y + canvas.width / 64);
check((await said('grid-said')).startsWith('Erased place 5,'), 'a touch erases');
await press('grid-clear');
await checkGrid();
check(await page.evaluate(() => lib.grid_count()) === 0, 'clear empties the pool');

// The tables have what the library says of each entity.
async function checkWorld() {
    const wrong = await page.evaluate(() => {
        const wrong = worldRows().filter(({ slot, values, set }) => {
            const line = document.getElementById(`entity-${slot}`);
            const cells = line === null ? [] : [...line.cells].map((cell) => cell.textContent);
            const heads = line === null ? [] :
                [...line.closest('table').tHead.rows[0].cells].map((cell) => cell.textContent);
            return cells.join() !== [`slot ${slot}`, ...values.filter((v) => v >= 0)].join() ||
                heads.join() !== ['entity', ...set].join();
        });
        const lines = document.querySelectorAll('#world-tables tbody tr').length;
        return wrong.length + (lines !== lib.world_count()) + !lib.world_is_valid();
    });
    assert.equal(wrong, 0);
    checks++;
}
await checkWorld();
const health = () => page.$eval('#world-health + .add', (line) => line.hidden);
check(!await health() && await said('world-health') === 'Add health', 'health can be added');
const handle = await page.evaluate(() => String(lib.world_handle(0)));
await press('world-health');
check(await page.evaluate(() =>
    document.getElementById('entity-0').getAnimations().length === 1), 'the entity walks');
check((await said('world-said')).startsWith('Slot 0 walked to the table that has health'),
    'walking is said');
check(await page.evaluate((bits) => worldRows().some(({ row, slot, set }) => slot === 0 &&
    set.length === 3 && String(lib.world_handle(row)) === bits), handle), 'its handle stays');
await checkWorld();
check(await health() && await said('world-health') === 'Remove health', 'health can be removed');
for (const name of ['position', 'velocity', 'health', 'health']) {
    await press(`world-${name}`);
    await checkWorld();
}
await press('world-destroy');
check((await said('world-said')).startsWith('Destroyed'), 'destroy is said');
await press('world-destroy');
check(await said('world-said') === 'Select an entity first.', 'none is selected');
await checkWorld();
await page.click('#entity-5 button');
check((await said('world-said')).startsWith('live: slot 5'), 'an entity is described');
for (let i = 0; i < 7; i++)
    await press('world-create');
check((await said('world-said')).startsWith('Refused.'), 'a full world refuses');
await checkWorld();
await checkWidths();
await press('world-restart');
await checkWorld();
await press('world-health');

// The table: what is drawn, in the order of addresses, is what its cells have; lanes say how they lie.
async function checkLanes(lines) {
    const wrong = await page.evaluate(() => {
        const shown = [...document.querySelectorAll('#lanes-memory .cell:not(.free)')].map((c) => c.textContent);
        const cells = lanesCells().map(({ name, row, value }) => `${name}${row} ${value}`);
        return shown.join() === cells.join() && cells.length === 3 * lib.lanes_count() &&
            lib.lanes_is_valid() ? '' : `${shown} is not ${cells}`;
    });
    check(wrong === '', wrong);
    check(await page.$$eval('#lanes-memory .lane', (all) => all.length) === lines,
        `${lines} lines of memory`);
}
const lanesOf = () => page.$$eval('#lanes-memory .cell', (all) =>
    all.map((c) => c.textContent.replace(/\d.*/, '')).join(''));
await checkLanes(3);
check(await lanesOf() === 'xxxxxxxyyyyyyymassmassmassmassmassmassmass', 'whole columns');
await page.select('#lanes-choice', '4');
await checkLanes(2);
check((await lanesOf()).startsWith('xxxxyyyymassmassmassmassxxxunusedyyy'), 'groups of four');
await page.select('#lanes-choice', '1');
await checkLanes(7);
check((await lanesOf()).startsWith('xymassxymass'), 'structs');
const point = await page.evaluate(() => String(lib.lanes_handle(6)));
await page.click('#lane-1-0');
check((await said('lanes-said')).startsWith('live: slot 1 '), 'a row is described');
await press('lanes-erase');
check((await said('lanes-said')).startsWith('Erased: the last row fills'), 'a row is erased');
check(await page.evaluate((bits) => lib.lanes_row(BigInt(bits)), point) === 1, 'the last one is there');
await press('lanes-erase');
check((await said('lanes-said')).startsWith('Refused. stale'), 'and not again');
await checkLanes(6);
await press('lanes-sort');
check(await page.evaluate(() => [...Array(lib.lanes_count() - 1).keys()].every((row) =>
    lib.lanes_value(row, 0) <= lib.lanes_value(row + 1, 0))), 'by x');
check(await page.evaluate((bits) => lib.lanes_row(BigInt(bits)), point) >= 0, 'the handle holds');
for (let i = 0; i < 8; i++)
    await press('lanes-insert');
check((await said('lanes-said')).startsWith('Refused.'), 'a full table refuses');
await page.select('#lanes-choice', '0');
await checkLanes(3);

// The history: marks bring items, and what handles mean, back and forth.
async function checkRewind(live) {
    const wrong = await page.evaluate(() => {
        const shown = [...document.querySelectorAll('#rewind-handles .cell.live')].map((c) =>
            c.textContent);
        const there = held.flatMap((bits) => [...Array(lib.rewind_count()).keys()]
            .filter((index) => lib.rewind_handle(index) === bits)
            .map((index) => `index ${indexOf(bits)}, gen ${generationOf(bits)}: ` +
                lib.rewind_number(index)));
        return shown.join() === there.join() && lib.rewind_is_valid() ? '' : `${shown}, ${there}`;
    });
    check(wrong === '', wrong);
    check(await page.evaluate(() => lib.rewind_count()) === live, `${live} items`);
}
const marks = () => page.$$eval('#rewind-marks button', (all) => all.map((one) => one.textContent));
const goTo = (nth) => page.click(`#rewind-marks button:nth-child(${nth})`);
await checkRewind(4);
assert.deepEqual(await marks(), ['Mark 1: the oldest', 'Mark 2: 1 inserted, 1 erased']);
await press('rewind-edit');
await press('rewind-mark');
check((await marks())[2] === 'Mark 3: 1 edited', 'an edit is said');
const later = await page.evaluate(() => [...Array(4).keys()].map(lib.rewind_number).join());
await goTo(1);
check(await said('rewind-said') === 'All is as it was at mark 1.', 'back');
await checkRewind(4);
check(await page.$$eval('#rewind-handles .stale', (all) => all.map((one) => one.id).join()) ===
    'note-4', 'the erased one is live again, and what came later is not');
await goTo(3);
check(await page.evaluate(() => [...Array(4).keys()].map(lib.rewind_number).join()) === later,
    'and forward');
await goTo(2);
await press('rewind-insert');
await goTo(3);
check((await said('rewind-said')).startsWith('Refused.'), 'not forward after a change');
await checkRewind(5);
await press('rewind-mark');
assert.deepEqual((await marks()).map((words) => words.slice(0, 6)),
    ['Mark 1', 'Mark 2', 'Mark 4'], 'the marks that were ahead are gone');
await page.click('#note-0');
await press('rewind-erase');
check((await said('rewind-said')).startsWith('Erased. stale'), 'an erased one is stale');
await press('rewind-erase');
check((await said('rewind-said')).startsWith('Refused. stale'), 'and refused');
for (let i = 0; i < 9; i++)
    await press('rewind-mark');
check((await marks()).length === 8, 'the history keeps eight marks');
await goTo(1);
await checkRewind(4);
await checkWidths();

// The report is that of the page's own containers, or of a file, whose names are text.
const cards = () => page.$$eval('#report-cards .card', (all) => all.map((one) => one.innerText));
await press('report-own');
const own = await cards();
check(own.length === 6 && (await said('report-said')).startsWith('6 containers'), 'its own report');
check(own[2].includes(await page.evaluate(() =>
    `${lib.grid_count()} of ${lib.grid_capacity()} items`)), 'of the pool');
check(own[3].includes('{position, velocity}: 2 in 1 chunk'), 'of the world');
check(await page.evaluate(() => document.querySelectorAll('.strip div').length ===
    JSON.parse(text(lib.report_text())).containers[2].occupancy.counts.length), 'a cell for a part');
async function open(words) {
    const file = join(dirname(screenshot), 'report.json');
    writeFileSync(file, words);
    await page.$eval('#report-said', (element) => { element.textContent = ''; });
    await (await page.$('#report-file')).uploadFile(file);
    await page.waitForFunction(() => document.getElementById('report-said').textContent !== '');
    return said('report-said');
}
const hostile = '<img src=x onerror="document.title=1">';
check((await open(JSON.stringify({ version: hostile, containers: [{ kind: 'lists', name: hostile,
    count: 7, capacity: 0, items: 30 }], leaks: [{ kind: 'map', name: null, times: 2,
    committed_size: 4096 }] }))).startsWith('1 container '), 'a file is shown');
const shown = await cards();
check(shown.length === 2 && shown[0].includes(hostile) && shown[0].includes('30 items') &&
    shown[1].includes("leaked: map '(finished)'") && shown[1].includes('2; 4 KiB'), `${shown}`);
check(await page.$('main img') === null, 'a name is text');
for (const words of ['', '[]', '{"containers": 3}', '{"containers": [null]}', hostile])
    check((await open(words)).startsWith('This is no report'), 'what is no report is refused');
check((await cards()).length === 2, 'and leaves what is shown');
await checkWidths();

// For the picture: something to look at in each view.
await page.evaluate(() => { insertInGrid(300); lib.grid_erase_half(); insertInGrid(60); });
await press('report-own');
await page.click('#handle-1');
await press('small-erase');
await press('small-insert');
await page.click('#handle-1');
for (const scheme of ['dark', 'light']) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await checkSmall();
    await checkGrid();
}
await page.screenshot({ path: screenshot, fullPage: true });
assert.equal(requests, 1, 'the page is the only request');
assert.deepEqual(troubles, []);
await browser.close();
console.log(`page: ${checks} checks, ${rate.toFixed(1)} frames a second with 100,000 items`);
