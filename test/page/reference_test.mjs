// SPDX-License-Identifier: MIT
// reference_test.mjs HTML: opens each page of the reference's table of contents in a browser
// without a screen, as wide as a desk's and as a telephone, and searches for a typed function. A
// page fails if it is wider than the screen, lacks a picture, or has an error.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import puppeteer from 'puppeteer-core';

const root = pathToFileURL(`${process.argv[2]}/`);
const browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
});
const page = await browser.newPage();
const troubles = [];
let place;
page.on('pageerror', (error) => troubles.push(`${place}: ${error.message}`));
page.on('requestfailed', (request) => troubles.push(`${place}: no ${request.url()}`));

async function open(name, width) {
    place = `${name}, ${width} wide`;
    await page.setViewport({ width, height: 900 });
    await page.goto(new URL(name, root).href);
}

await open('index.html', 1280);
const names = await page.evaluate(() => [...new Set([NAVTREE[0][1],
    ...NAVTREE[0][2].map((entry) => entry[1])]
    .filter((url) => url).map((url) => url.split('#')[0]))]);
assert.ok(names.length > 20, `the table of contents has ${names.length} pages`);
for (const name of [...names, 'texture_8h.html', 'map_8h.html']) {
    for (const width of [1280, 390]) {
        await open(name, width);
        const [wide, lost, title] = await page.evaluate(() => [
            Math.max(...[document.documentElement, document.getElementById('doc-content')]
                .map((element) => innerWidth + element.scrollWidth - element.clientWidth)),
            [...document.querySelectorAll('.contents img')]
                .filter((image) => !image.complete || image.naturalWidth === 0)
                .map((image) => image.src),
            document.querySelector('.title')?.getBoundingClientRect().height ?? 0,
        ]);
        if (wide > width)
            troubles.push(`${place}: it takes ${wide}`);
        if (title === 0)
            troubles.push(`${place}: no title is seen`);
        troubles.push(...lost.map((picture) => `${place}: no picture ${picture}`));
    }
}

await open('index.html', 1280);
await page.click('#MSearchField');
await page.keyboard.type('texture_map_get');
const frame = await page.waitForFrame((shown) => shown.url().endsWith('?texture_map_get'));
const found = await (await frame.waitForFunction(() =>
    [...document.querySelectorAll('.SRResult')].find((result) => result.offsetHeight > 0)
        ?.textContent.trim())).jsonValue();
assert.ok(found.startsWith('texture_map_get'), `found: ${found}`);
if (existsSync(`${process.argv[2]}/page.html`)) {
    await open('page.html', 1280);
    const links = await page.$$eval('#links a', (all) => all.filter((link) => link.offsetHeight > 0)
        .map((link) => link.getAttribute('href')));
    assert.equal(links.length, 3, 'the page leads to the guide');
    for (const link of links)
        await open(link, 1280);
}
assert.deepEqual(troubles, []);
await browser.close();
console.log(`reference: ${names.length + 2} pages opened at two widths, texture_map_get found`);
