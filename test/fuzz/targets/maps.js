/** Lines of /proc/PID/maps and smaps, as @pitv/ksm reads them. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isPrivateAnonymous, parseMapping, parseMaps, sumSmaps } from '../../../ksm/maps.js';
import { edited, randomBytes } from '../support/arbitraries.js';

const hex = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((value) => value.toString(16));
const name = fc.oneof(
  fc.constantFrom('', '[heap]', '[stack:1]', '[anon:x y]', '/a b (deleted)', '[vsyscall]', '\\012'),
  fc.string({ maxLength: 40 }),
);
const mapping = fc
  .tuple(hex, hex, fc.constantFrom('rw-p', 'r-xs', '---p'), hex, fc.nat(), name)
  .map(([from, to, mode, offset, inode, path]) =>
    Buffer.from(`${from}-${to} ${mode} ${offset} fe:00 ${inode} ${' '.repeat(5)}${path}`),
  );
const field = fc
  .tuple(fc.constantFrom('Rss', 'Pss', 'KSM', 'VmFlags', '__proto__'), fc.bigInt({ min: 0n }))
  .map(([key, value]) => Buffer.from(`${key}:${' '.repeat(6)}${value} kB`));
const valid = fc.oneof(mapping, field);

/** @type {import('../support/target.js').Target<Buffer>} */
export default {
  batch: 20,
  input: fc.oneof(valid, edited(valid), randomBytes(80)),
  open: async () => ({
    check(lines) {
      const text = Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')])).toString();
      for (const each of parseMaps(text)) {
        assert.ok(each.end > each.start && each.bytes === each.end - each.start);
        assert.equal(typeof isPrivateAnonymous(each), 'boolean');
      }
      for (const line of lines) parseMapping(line.toString('latin1'));
      for (const sum of Object.values(sumSmaps(text))) assert.ok(sum >= 0);
    },
  }),
};
