// SPDX-License-Identifier: MIT
// wasm.mjs PROGRAM [ARGUMENT...]: runs a program for WASI, gives it the variables that begin with
// HM_TEST_, and exits with its code. The program may ask to be run again with another argument, as
// a separate instance, which shares nothing with it but the output.
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { WASI } from 'node:wasi';

// Otherwise a call from WebAssembly may collect garbage when it must not, and node crashes:
// https://github.com/nodejs/node/issues/46777
setFlagsFromString('--no-turbo-fast-api-calls');

const [path, ...programArguments] = process.argv.slice(2);
const program = new WebAssembly.Module(readFileSync(path));
const variables = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => name.startsWith('HM_TEST_')));

function textAt(memory, address) {
    const bytes = new Uint8Array(memory.buffer, address >>> 0);
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
}

function run(args) {
    const wasi = new WASI(
        { version: 'preview1', args: [path, ...args], env: variables, returnOnExit: true });
    const instance = new WebAssembly.Instance(program, {
        wasi_snapshot_preview1: wasi.wasiImport,
        env: { run_again: (argument) => runAgain(textAt(instance.exports.memory, argument)) },
    });
    return wasi.start(instance);
}

function runAgain(argument) {
    try {
        return run([argument]);
    } catch (trap) {
        console.error(trap);
        return -1;
    }
}

process.exitCode = run(programArguments);
