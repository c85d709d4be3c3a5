/** `pitv udp`: encodes or decodes a pad's datagram, for developers of native pads. */
import { TEXT, parseFlags } from '../config/flags.js';
import { PitvError } from '../errors.js';
import { alignColumns, print } from './common/output.js';

export const summary = "encode or decode a native pad's datagram (format: app/udp/README.md)";

/** Field -> [minimum, maximum, default]. */
const FIELDS = Object.freeze({
  match: [0, 0xffff, 0],
  pad: [0, 0xffffffff, 0],
  sequence: [1, 0xffffffff, 1],
  slot: [0, 255, 0],
  x: [-127, 127, 0],
  y: [-127, 127, 0],
  buttons: [0, 3, 0],
  'presses-a': [0, 255, 0],
  'presses-b': [0, 255, 0],
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
  .map(
    ([name, [min, max, value]]) => `  --${name} N`.padEnd(18) + `${min}..${max}, default ${value}`,
  )
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
    const [match, pad, sequence, slot, x, y, buttons, pressesA, pressesB] = Object.keys(FIELDS).map(
      (name) => parseField(/** @type {keyof typeof FIELDS} */ (name), flags[name]),
    );
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

/** @param {keyof typeof FIELDS} name @param {string | undefined} value */
function parseField(name, value) {
  const [min, max, defaultValue] = FIELDS[name];
  const number = value === undefined ? defaultValue : Number(value);
  if (!/^-?\d{1,10}$/.test(value ?? '0') || number < min || number > max) {
    throw new PitvError('PITV_USAGE', `--${name} must be ${min}..${max}, not "${value}".`);
  }
  return number;
}
