/** The format of the datagram as README.md describes it: the test vector is computed, and the C code is run. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { OUTCOMES, encodeDatagram } from '../../app/udp/datagram.js';
import { temporaryFolder } from '../support/tv.js';

const readme = readFileSync(new URL('../../app/udp/README.md', import.meta.url), 'utf8');

/** The test vector in README.md. */
const vector = Object.fromEntries(
  /## Test vector\n\n((?: {4}.+\n)+)/
    .exec(readme)?.[1]
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/)) ?? [],
);
const { key: keyText, datagram, ...fields } = vector;
const key = Buffer.from(keyText, 'hex');
const input = /** @type {import('../../app/udp/datagram.js').PadInput} */ (
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, Number(value)]))
);

test('encodeDatagram() makes the test vector of README.md', () => {
  assert.equal(encodeDatagram(input, key).toString('hex'), datagram);
});

test('the C code of README.md makes the test vector', async (t) => {
  const [, code] = /```c\n([\s\S]*?)```/.exec(readme) ?? [];
  const folder = temporaryFolder();
  const source = join(folder, 'pad.c');
  const main = `
    #include <stdio.h>
    int main(void) {
      struct pad p = {{${[...key]}}, ${input.match}, ${input.pad}u, ${input.sequence - 1}u, ${input.slot},
        ${input.x}, ${input.y}, ${input.buttons}, ${input.pressesA}, ${input.pressesB}};
      uint8_t out[32];
      pad_datagram(&p, out);
      for (int i = 0; i < 32; i++) printf("%02x", out[i]);
      return 0;
    }`;
  writeFileSync(source, code + main);
  const program = join(folder, 'pad');
  const flags = ['-Wall', '-Wextra', '-Werror', '-o', program, source];
  const built = spawnSync(process.env.CC ?? 'cc', flags, { encoding: 'utf8' });
  if (built.error) return t.skip('needs a C compiler');
  assert.equal(built.status, 0, built.stderr);
  assert.equal(spawnSync(program, { encoding: 'utf8' }).stdout, datagram);
});

test('README.md lists every outcome', () => {
  for (const outcome of OUTCOMES) assert.match(readme, new RegExp(`\`${outcome}\``));
});

test('a field or a key out of range is an error', () => {
  for (const wrong of [
    { match: 65536 },
    { pad: -1 },
    { sequence: 2 ** 32 },
    { slot: 256 },
    { x: 128 },
    { y: -129 },
    { buttons: 256 },
    { pressesA: -1 },
    { pressesB: 256 },
  ]) {
    assert.throws(() => encodeDatagram({ ...input, ...wrong }, key), RangeError);
  }
  assert.throws(() => encodeDatagram(input, key.subarray(1)), RangeError);
});
