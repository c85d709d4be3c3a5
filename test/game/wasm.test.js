import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { createWasmKernel } from '../../app/game/kernel.js';
import { SHAPE, World } from '../../app/game/world.js';
import { temporaryFolder } from '../support/folders.js';

const folder = fileURLToPath(new URL('../../app/game', import.meta.url));
const FILES = ['kernel.wasm', 'kernel-simd.wasm'];
const read = (/** @type {string} */ file) => readFileSync(join(folder, file));
const SIZE = { capacity: 300, width: 400, height: 300, border: /** @type {const} */ ('bounce') };

/** Returns the compiler's major version (producers section). @param {Uint8Array<ArrayBuffer>} bytes */
function producerOf(bytes) {
  const [section] = WebAssembly.Module.customSections(new WebAssembly.Module(bytes), 'producers');
  const text = Buffer.from(section).toString('latin1');
  return /processed-by.*?clang.(\d+)\.\d+\.\d+/s.exec(text)?.[1];
}

/** @param {string} program */
const has = (program) => spawnSync(program, ['--version']).status === 0;
const missing = ['clang', 'wasm-ld', 'make'].filter((program) => !has(program));
const skip = missing.length > 0 && `${missing.join(', ')} not installed`;

/** Makes a kernel factory. @param {Uint8Array<ArrayBuffer>} bytes of a module */
function factoryOf(bytes) {
  const module = new WebAssembly.Module(bytes);
  return (/** @type {number} */ size) => createWasmKernel(size, module);
}

test('the modules are up to date with kernel.c', { skip }, () => {
  const out = temporaryFolder();
  const made = spawnSync('make', ['-s', '-C', folder, `OUT=${out}`], { encoding: 'utf8' });
  assert.equal(made.status, 0, made.stderr);
  const rebuilt = FILES.map((file) => readFileSync(join(out, file)));
  for (const [i, file] of FILES.entries()) {
    if (producerOf(rebuilt[i]) !== producerOf(read(file))) continue;
    assert.ok(rebuilt[i].equals(read(file)), `rebuild ${file} with \`make wasm\` and commit it`);
  }
  // Another compiler may generate different code, but the results must be the same.
  const [expected, ...others] = [undefined, ...rebuilt.map(factoryOf)]
    .map((kernel) => new World({ ...SIZE, kernel }))
    .map(runWorld);
  for (const bytes of others) assert.deepEqual(bytes, expected);
});

/** Fills a world and lets it run. @param {World} world */
function runWorld(world) {
  for (let i = 0; i < 300; i++) {
    const place = { x: world.random() * 400, y: world.random() * 300, kind: 0 };
    if (i % 5) world.add({ ...place, shape: SHAPE.circle, radius: i % 17, vx: 60, vy: i });
    else world.add({ ...place, shape: SHAPE.box, halfWidth: i % 7, halfHeight: 9, vy: 99 });
  }
  for (let i = 0; i < 100; i++) world.step();
  return world.bytes.slice();
}

test('a compiled kernel imports only its memory, and has no stack and no data', () => {
  for (const module of FILES.map((file) => new WebAssembly.Module(read(file)))) {
    const imports = WebAssembly.Module.imports(module);
    assert.deepEqual(
      imports.map(({ module, name }) => `${module}.${name}`),
      ['env.memory'],
    );
    const exports = WebAssembly.Module.exports(module).map(({ name }) => name);
    assert.deepEqual(exports.sort(), ['findPairs', 'integrate']);
    // Instantiating it leaves a memory of one page filled with zeros.
    const memory = new WebAssembly.Memory({ initial: 1 });
    new WebAssembly.Instance(module, { env: { memory } });
    assert.ok(new Uint8Array(memory.buffer).every((byte) => byte === 0));
  }
});

test('a bundle that has a copy of pitv/game says that it should not', async () => {
  const outfile = join(temporaryFolder(), 'game.mjs');
  const entryPoints = [join(folder, 'world.js')];
  await build({ entryPoints, outfile, bundle: true, format: 'esm', platform: 'node' });
  const { World: Copied } = await import(pathToFileURL(outfile).href);
  assert.throws(
    () => new Copied(SIZE),
    /kernel.wasm is not .* tell the bundler that it is external/,
  );
});
