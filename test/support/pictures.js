/** Makes small pictures for tests. */
import { crc32, deflateSync } from 'node:zlib';

/** @param {string} type @param {Buffer} data */
function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}

/** Makes a PNG of magenta. @param {number} width @param {number} height px */
export function pngOf(width, height) {
  const row = Buffer.from(Array(Math.min(width, 64)).fill([255, 0, 255]).flat());
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2], 8); // 8 bits each of red, green and blue
  const line = Buffer.concat([Buffer.alloc(1), row]);
  const rows = Buffer.concat(Array(Math.min(height, 64)).fill(line));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]);
  const content = chunk('IDAT', deflateSync(rows));
  return Buffer.concat([signature, chunk('IHDR', head), content, chunk('IEND', Buffer.alloc(0))]);
}

/**
 * Makes the beginning of a WebP file.
 * @param {'VP8 ' | 'VP8L' | 'VP8X'} kind @param {number} width @param {number} height px
 */
export function webpOf(kind, width, height) {
  const bytes = Buffer.alloc(64);
  bytes.write('RIFF', 0);
  bytes.write(`WEBP${kind}`, 8);
  if (kind === 'VP8 ') {
    bytes.writeUInt16LE(width, 26);
    bytes.writeUInt16LE(height, 28);
  } else if (kind === 'VP8L') {
    bytes.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 21);
  } else {
    bytes.writeUIntLE(width - 1, 24, 3);
    bytes.writeUIntLE(height - 1, 27, 3);
  }
  return bytes;
}
