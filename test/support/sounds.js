/** Makes small sounds for tests. */

/**
 * Makes a WAV file of silence.
 * @param {number} ms duration
 * @param {{code?: number, channels?: number, rate?: number, bits?: number, extra?: Buffer}} [format] extra: a chunk
 *   before the samples
 */
export function wavOf(ms, { code = 1, channels = 1, rate = 8000, bits = 8, extra } = {}) {
  const block = (channels * bits) / 8;
  const size = Math.round((ms * rate) / 1000) * block;
  const format = Buffer.alloc(24);
  format.write('fmt ');
  format.writeUInt32LE(16, 4);
  format.writeUInt16LE(code, 8);
  format.writeUInt16LE(channels, 10);
  format.writeUInt32LE(rate, 12);
  format.writeUInt32LE(rate * block, 16);
  format.writeUInt16LE(block, 20);
  format.writeUInt16LE(bits, 22);
  const data = Buffer.alloc(8 + size, 128);
  data.write('data');
  data.writeUInt32LE(size, 4);
  const chunks = Buffer.concat([format, ...(extra ? [extra] : []), data]);
  const head = Buffer.from('RIFF0000WAVE');
  head.writeUInt32LE(4 + chunks.length, 4);
  return Buffer.concat([head, chunks]);
}
