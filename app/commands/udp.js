/** `pitv udp`: encodes or decodes a pad's datagram, for developers of native pads. */
import { TEXT, parseFlags } from '../config/flags.js';
import { parseValue, whole } from '../config/values.js';
import { PitvError } from '../errors.js';
import { alignColumns, print } from './common/output.js';

export const summary = "encode or decode a native pad's datagram (format: app/udp/README.md)";

const FIELDS = Object.freeze({
  match: whole(0, 0xffff),
  pad: whole(0, 0xffffffff),
  sequence: whole(1, 0xffffffff),
  slot: whole(0, 255),
  x: whole(-127, 127, 0),
  y: whole(-127, 127, 0),
  buttons: whole(0, 3),
  'presses-a': whole(0, 255),
  'presses-b': whole(0, 255),
});
const OPTIONS = Object.freeze({
  key: TEXT,
  read: TEXT,
  ...Object.fromEntries(Object.keys(FIELDS).map((name) => [name, TEXT])),
});

const HELP = `Usage: pitv udp --key KEY [fields]       print a datagram with these fields
       pitv udp --key KEY --read HEX     print the fields of a datagram, and check its signature

  --key KEY       32 hexadecimal digits, from the TV
${Object.entries(FIELDS)
  .map(([name, { range, defaultValue }]) => {
    return `  --${name} N`.padEnd(18) + `${range}, default ${defaultValue}`;
  })
  .join('\n')}
`;

/** @param {string[]} argv */
export async function run(argv) {
  const flags = parseFlags(joinNegativeValues(argv), OPTIONS, 'pitv udp');
  if (flags.help) {
    print(HELP);
    return 0;
  }
  const { DATAGRAM_BYTES, MAGIC, VERSION, decodeDatagram, encodeDatagram, isSigned } =
    await import('../udp/datagram.js');
  const key = parseHex('key', flags.key, 16);
  if (flags.read === undefined) {
    const values = Object.entries(FIELDS).map(([name, kind]) =>
      parseValue(`--${name}`, kind, flags[name] ?? kind.defaultValue),
    );
    const [match, pad, sequence, slot, x, y, buttons, pressesA, pressesB] = values;
    const fields = { match, pad, sequence, slot, x, y, buttons, pressesA, pressesB };
    print(`${encodeDatagram(fields, key).toString('hex')}\n`);
    return 0;
  }
  const bytes = parseHex('read', flags.read, DATAGRAM_BYTES);
  const [magic, version] = bytes;
  if (magic !== MAGIC || version !== VERSION) {
    const sentence = `This is not a datagram of version ${VERSION}: it begins with ${bytes.toString('hex', 0, 2)}.`;
    throw new PitvError('PITV_USAGE', sentence);
  }
  const signed = isSigned(bytes, key);
  const fields = { ...decodeDatagram(bytes), mac: signed ? 'right' : 'wrong' };
  print(alignColumns(Object.entries(fields).map(([name, value]) => [name, String(value)])));
  return signed ? 0 : 1;
}

/** Joins negative numbers to their flags, because parseArgs() takes -127 for an option. @param {string[]} argv */
function joinNegativeValues(argv) {
  return argv.reduce((all, word) => {
    const last = all.at(-1);
    if (last?.startsWith('--') && !last.includes('=') && /^-\d/.test(word)) {
      all[all.length - 1] = `${last}=${word}`;
    } else all.push(word);
    return all;
  }, /** @type {string[]} */ ([]));
}

/** @param {string} name @param {string | undefined} value @param {number} bytes */
function parseHex(name, value, bytes) {
  if (value === undefined || value.length !== 2 * bytes || !/^[0-9a-f]*$/i.test(value)) {
    throw new PitvError('PITV_USAGE', `--${name} must be ${2 * bytes} hexadecimal digits.`);
  }
  return Buffer.from(value, 'hex');
}
