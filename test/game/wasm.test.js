import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createKernel, createWasmKernel } from '../../app/game/select-kernel.js';
import { SHAPE, World } from '../../app/game/world.js';
import { temporaryFolder } from '../support/folders.js';

const folder = fileURLToPath(new URL('../../app/game', import.meta.url));
const committed = readFileSync(join(folder, 'kernel.wasm'));
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

test('kernel.wasm is up to date with kernel.c', { skip }, () => {
  const out = temporaryFolder();
  const file = join(out, 'kernel.wasm');
  const made = spawnSync('make', ['-s', '-C', folder, `OUT=${file}`], { encoding: 'utf8' });
  assert.equal(made.status, 0, made.stderr);
  const rebuilt = readFileSync(file);
  if (producerOf(rebuilt) === producerOf(committed)) {
    assert.ok(rebuilt.equals(committed), 'rebuild it with `make wasm` and commit it');
  }
  // Another compiler may generate different code, but the results must be the same.
  const module = new WebAssembly.Module(rebuilt);
  const kernel = (/** @type {number} */ bytes) => createWasmKernel(bytes, module);
  const worlds = [SIZE, { ...SIZE, kernel }].map((size) => new World(size));
  for (const world of worlds) {
    for (let i = 0; i < 300; i++) {
      const place = { x: world.random() * 400, y: world.random() * 300, kind: 0 };
      if (i % 5) world.add({ ...place, shape: SHAPE.circle, radius: i % 17, vx: 60, vy: i });
      else world.add({ ...place, shape: SHAPE.box, halfWidth: i % 7, halfHeight: 9, vy: 99 });
    }
    for (let i = 0; i < 100; i++) world.step();
  }
  assert.deepEqual(worlds[0].bytes, worlds[1].bytes);
});

test('the compiled kernel imports only its memory, and has no stack and no data', () => {
  const module = new WebAssembly.Module(committed);
  const imports = WebAssembly.Module.imports(module).map(({ module, name }) => `${module}.${name}`);
  assert.deepEqual(imports, ['env.memory']);
  const exports = WebAssembly.Module.exports(module).map(({ name }) => name);
  assert.deepEqual(exports.sort(), ['findPairs', 'integrate']);
  // Instantiating it leaves a memory of one page filled with zeros.
  const memory = new WebAssembly.Memory({ initial: 1 });
  new WebAssembly.Instance(module, { env: { memory } });
  assert.ok(new Uint8Array(memory.buffer).every((byte) => byte === 0));
});

test('wasm is the default; an option or PITV_KERNEL selects js', (t) => {
  assert.equal(new World(SIZE).kernel, 'wasm');
  assert.equal(new World({ ...SIZE, kernel: 'js' }).kernel, 'js');
  process.env.PITV_KERNEL = 'js';
  t.after(() => delete process.env.PITV_KERNEL);
  assert.equal(new World(SIZE).kernel, 'js');
  process.env.PITV_KERNEL = 'fortran';
  assert.throws(() => new World(SIZE), { code: 'PITV_WORLD_OPTIONS', message: /fortran/ });
});

test('a request for an unavailable kernel is rejected', () => {
  const sizes = { capacity: 1, stateWords: 0, maxContacts: 1 };
  assert.throws(() => createKernel(sizes, () => undefined), { code: 'PITV_WORLD_OPTIONS' });
});

test('without WebAssembly a world runs on JavaScript', () => {
  const script = `
    delete globalThis.WebAssembly;
    const { World } = await import(${JSON.stringify(new URL('../../app/game/world.js', import.meta.url).href)});
    const world = new World({ capacity: 1, width: 10, height: 10 });
    world.step();
    console.log(world.kernel);`;
  const result = spawnSync(process.execPath, ['--input-type=module', '-e', script]);
  assert.equal(String(result.stdout).trim(), 'js', String(result.stderr));
});
