// SPDX-License-Identifier: MIT
// inspect_test.mjs PROGRAM PICTURES: runs the example `world` twice, first on its own, then with the
// page that shows what is inside it open in a browser without a screen. Uses each control of the page,
// and compares what it shows with what the program answers. Keeps pictures of it in a directory. Prints
// what frames took in both runs; times are not checked.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import puppeteer from 'puppeteer-core';

const [program, pictures] = process.argv.slice(2);
const OPTIONS = ['--count', '50000', '--frames', '40000', '--inspect', '0'];
let checks = 0;
function check(condition, what) {
    assert.ok(condition, what);
    checks++;
}

// Starts the program; `ended` gives what it has said.
async function start(options) {
    const child = spawn(program, options, { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    const ended = new Promise((resolve, reject) => child.on('close', (code) => code === 0
        ? resolve(said) : reject(new Error(`exit code ${code}: ${said}`))));
    const address = await new Promise((resolve) => child.stderr.on('data', (bytes) => {
        said += bytes;
        const found = /open (http:\S+)/.exec(said);
        if (found !== null)
            resolve(found[1]);
    }));
    return { address, ended };
}
const times = (said) => said.slice(said.lastIndexOf('world: ')).trimEnd();

const alone = times(await (await start(OPTIONS)).ended);
console.log(`without a page:\n${alone}`);

const { address, ended } = await start(OPTIONS);
const browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
});
const page = await browser.newPage();
const troubles = [];
const foreign = [];
page.on('request', (request) => {
    if (!request.url().startsWith('data:') && !request.url().startsWith(address))
        foreign.push(request.url());
});
page.on('console', (message) => troubles.push(message.text()));
page.on('pageerror', (error) => troubles.push(error.message));
await page.setViewport({ width: 1280, height: 900 });
await page.goto(address);
const said = (id) => page.$eval(`#${id}`, (element) => element.textContent);
const until = (id, words) => page.waitForFunction((id, words) =>
    document.getElementById(id).textContent.includes(words), {}, id, words);
const ask = (question) => page.evaluate(async (question) =>
    (await fetch(question)).text(), question);

// The report, again and again.
await until('state', '1 container of handle_map');
const cardText = () => page.$eval('#cards .card', (made) => made.innerText);
check((await cardText()).includes("world 'battle'"), 'the world has a card');
check((await cardText()).includes('{position, velocity, gun}'), 'with its archetypes');
const first = await cardText();
await page.waitForFunction((first) =>
    document.querySelector('#cards .card').innerText !== first, {}, first);
check(await page.$$eval('.chart polyline', (lines) => lines.length === 2 &&
    lines[0].points.length > 1), 'a chart of items and of memory');

// It stands still while it is paused.
await page.click('#pause');
const still = await cardText();
await new Promise((resolve) => setTimeout(resolve, 1500));
check(await cardText() === still, 'a pause holds the page');
await page.click('#pause');

// Items, by parts and by component.
await page.click('#cards .card button');
await until('items-said', '1 to 100');
check(await page.$$eval('#lines div', (lines) => lines.length) === 100, '100 items');
check((await said('lines')).includes('position'), 'with their values');
await page.click('#on');
await until('items-said', '101 to 200');
await page.click('#back');
await until('items-said', '1 to 100');
await page.select('#component', 'burning');
await page.waitForFunction(() => [...document.querySelectorAll('#lines div')]
    .every((line) => line.textContent.includes('burning')));
check(await page.$$eval('#lines div', (lines) => lines.length) > 0, 'some burn');
await page.select('#component', '');
await page.waitForFunction(() => [...document.querySelectorAll('#lines div')]
    .some((line) => !line.textContent.includes('burning')));

// A handle, as the first line of the items has it, and others.
const handle = (await page.$eval('#lines div', (line) => line.textContent)).slice(0, 18);
async function meaningOf(bits) {
    await page.$eval('#handle', (input, bits) => { input.value = bits; }, bits);
    await page.$eval('#meaning', (made) => { made.textContent = ''; });
    await page.click('#search button');
    await page.waitForFunction(() => document.getElementById('meaning').textContent !== '');
    return said('meaning');
}
check(/^world, (live|stale): slot \d+ of 'battle'/.test(await meaningOf(handle)), 'a handle');
check((await meaningOf('0')).startsWith('no live container'), 'the null handle');
check((await meaningOf('<b>')).startsWith('a handle has up to 16'), 'what is none');
check((await ask('handle?bits=0001000100000000')).startsWith('world, '), 'without 0x');

for (const [width, scheme] of [[1280, 'light'], [390, 'dark'], [1280, 'dark'], [390, 'light']]) {
    await page.setViewport({ width, height: 900 });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    check(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
        `fits ${width} pixels`);
    await page.screenshot({ path: join(pictures, `inspect-${width}-${scheme}.png`) });
}
assert.deepEqual(foreign, [], 'only the program is asked');
assert.equal(troubles.length, 1, `${troubles}`);
assert.match(troubles[0], /400/, 'of what is no handle');

// When the program ends the page says so.
const beside = times(await ended);
await until('state', 'The program does not answer.');
await browser.close();
console.log(`with a page:\n${beside}`);
console.log(`inspect: ${checks} checks`);
