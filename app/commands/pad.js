/** `pitv pad --udp HOST:PORT --code CODE`: a pad on a desktop computer; its inputs go as datagrams. */
import { readFile } from 'node:fs/promises';
import { parseFlags } from '../config/flags.js';
import { PitvError, messageOf } from '../errors.js';

export const summary = 'play from a keyboard or a script: a pad without a browser, over UDP';

const DEFAULT_PORT = 8080;

const OPTIONS = Object.freeze({
  udp: { type: /** @type {const} */ ('string') },
  code: { type: /** @type {const} */ ('string') },
  name: { type: /** @type {const} */ ('string') },
  game: { type: /** @type {const} */ ('string') },
  script: { type: /** @type {const} */ ('string') },
});

/** @param {string} keys @param {string} script */
const help = (keys, script) => `Usage: pitv pad --udp HOST[:PORT] --code CODE [options]

  --udp HOST[:PORT]   the TV's address as on its screen; the port is that of its pages,
                      default ${DEFAULT_PORT}; with https:// before it when the TV
                      speaks HTTPS. The TV tells its UDP port (pitv serve --udp)
  --code CODE         the join code on the screen
  --name NAME         of the player
  --game GAME         start this game at once
  --script FILE       play by a script instead of the keyboard; - is stdin

Keys: ${keys}.

Script:
${script}
`;

/** @param {string[]} argv */
export async function run(argv) {
  const flags = parseFlags(argv, OPTIONS, 'pitv pad');
  const [{ KEYBOARD_HELP, Keyboard }, { SCRIPT_HELP, parseScript, runScript }] = await Promise.all([
    import('../udp/keyboard.js'),
    import('../udp/script.js'),
  ]);
  if (flags.help) {
    process.stdout.write(help(KEYBOARD_HELP, SCRIPT_HELP));
    return 0;
  }
  const { udp: tv, code, name, game, script } = /** @type {Record<string, string>} */ (flags);
  if (!tv || !code) throw new PitvError('PITV_USAGE', 'pitv pad needs --udp HOST:PORT and --code.');
  const address = addressOf(tv);
  const steps = script === undefined ? undefined : parseScript(await textOf(script));
  if (!steps && !process.stdin.isTTY) {
    throw new PitvError('PITV_USAGE', 'This is no terminal: play by --script, - for stdin.');
  }
  const { UdpPad } = await import('../udp/client.js');
  const pad = await UdpPad.join({ tv: address, code, name });
  const over = new AbortController();
  const stop = () => over.abort(new PitvError('PITV_INTERRUPTED', 'Interrupted.'));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  pad.on('close', (reason) =>
    over.abort(new PitvError('PITV_TV_UNREACHABLE', `The TV has gone: ${reason}.`)),
  );
  say(`in as ${pad.player?.name}`);
  pad.on('match', ({ title, match, slot }) => say(`${title}: match ${match}, slot ${slot}`));
  pad.on('ended', ({ message }) => say(message));
  pad.on('notice', say);
  pad.on('problem', (error) => say(error.message));
  try {
    if (game) pad.send({ t: 'start', game });
    if (steps) await runScript(pad, steps, over.signal);
    else await play(pad, Keyboard, KEYBOARD_HELP, over.signal);
    say(`${pad.sent} datagrams sent`);
    return 0;
  } catch (error) {
    // What a wait was ended by says less than why.
    throw over.signal.aborted ? over.signal.reason : error;
  } finally {
    process.removeListener('SIGINT', stop).removeListener('SIGTERM', stop);
    pad.close();
  }
}

/** @param {string} text */
const say = (text) => void process.stdout.write(`${text}\n`);

/** @param {string} text @returns {string} HOST:PORT, after https:// when that was given @throws {PitvError} PITV_USAGE */
function addressOf(text) {
  const scheme = text.startsWith('https://') ? 'https://' : '';
  try {
    const url = new URL(`http://${text.slice(scheme.length)}`);
    if (url.host && `${url.pathname}${url.search}${url.hash}${url.username}` === '/') {
      return url.port || /:80$/.test(text)
        ? `${scheme}${url.hostname}:${url.port || 80}`
        : `${scheme}${url.hostname}:${DEFAULT_PORT}`;
    }
  } catch {
    // Not an address.
  }
  throw new PitvError('PITV_USAGE', `--udp may be HOST or HOST:PORT, not "${text.slice(0, 80)}".`);
}

/** @param {string} file @throws {PitvError} PITV_USAGE */
async function textOf(file) {
  try {
    if (file !== '-') return await readFile(file, 'utf8');
    let text = '';
    for await (const part of process.stdin.setEncoding('utf8')) text += part;
    return text;
  } catch (cause) {
    const sentence = `The script ${file} cannot be read: ${messageOf(cause)}.`;
    throw new PitvError('PITV_USAGE', sentence, { cause });
  }
}

/**
 * @param {import('../udp/client.js').UdpPad} pad
 * @param {typeof import('../udp/keyboard.js').Keyboard} Keyboard
 * @param {string} keys @param {AbortSignal} signal
 */
async function play(pad, Keyboard, keys, signal) {
  const { stdin } = process;
  say(keys);
  await new Promise((resolve, reject) => {
    const keyboard = new Keyboard(
      (state) => pad.set(state),
      (what) => (what === 'quit' ? resolve(undefined) : pad.send({ t: 'again' })),
    );
    const read = (/** @type {string} */ text) => keyboard.read(text);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    stdin.setRawMode(true).setEncoding('utf8').on('data', read).resume();
  }).finally(() => stdin.setRawMode(false).pause());
}
