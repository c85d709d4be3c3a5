/** `pitv pad --udp HOST:PORT --code CODE`: a pad on a desktop computer that sends its inputs as datagrams. */
import { readFile } from 'node:fs/promises';
import { TEXT } from '../config/flags.js';
import { PitvError, messageOf } from '../errors.js';
import { print } from './common/output.js';

export const summary = 'play over UDP from a script, without a browser';

const DEFAULT_PORT = 8080;

export const options = { udp: TEXT, code: TEXT, name: TEXT, game: TEXT, script: TEXT };

export async function help() {
  const { SCRIPT_HELP } = await import('../udp/script.js');
  return `Usage: pitv pad --udp HOST[:PORT] --code CODE --script FILE [options]

  --udp HOST[:PORT]   address of the TV as shown on its screen, with https:// before it if the
                      TV uses HTTPS. The port is the one of its pages, default ${DEFAULT_PORT};
                      the pad gets the UDP port (pitv serve --udp) from the TV
  --code CODE         join code on the screen
  --script FILE       the script to play; - is stdin
  --name NAME         name of the player
  --game GAME         start this game at once

Script:
${SCRIPT_HELP}
`;
}

/** @param {Record<string, any>} values */
export async function run({ udp: tv, code, name, game, script }) {
  if (!tv || !code || !script) {
    throw new PitvError('PITV_USAGE', 'pitv pad needs --udp HOST:PORT, --code and --script.');
  }
  const address = parseAddress(tv);
  const { parseScript, runScript } = await import('../udp/script.js');
  const steps = parseScript(await readScript(script));
  const { UdpPad } = await import('../udp/client.js');
  const pad = await UdpPad.join({ tv: address, code, name });
  const ended = new AbortController();
  const stop = () => ended.abort(new PitvError('PITV_INTERRUPTED', 'Interrupted.'));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  pad.on('close', (reason) => {
    const why = `The TV has closed the connection: ${reason}.`;
    ended.abort(new PitvError('PITV_TV_UNREACHABLE', why));
  });
  printLine(`joined as ${pad.player?.name}`);
  pad.on('match', ({ title, match, slot }) => printLine(`${title}: match ${match}, slot ${slot}`));
  pad.on('ended', ({ message }) => printLine(message));
  pad.on('notice', printLine);
  pad.on('problem', (error) => printLine(error.message));
  try {
    if (game) pad.send({ t: 'start', game });
    await runScript(pad, steps, ended.signal);
    printLine(`${pad.sent} datagrams sent`);
  } catch (error) {
    throw ended.signal.aborted ? ended.signal.reason : error;
  } finally {
    process.removeListener('SIGINT', stop).removeListener('SIGTERM', stop);
    pad.close();
  }
}

/** @param {string} text */
const printLine = (text) => print(`${text}\n`);

/** Parses --udp. @param {string} text @returns {string} [https://]HOST:PORT @throws {PitvError} PITV_USAGE */
function parseAddress(text) {
  const scheme = text.startsWith('https://') ? 'https://' : '';
  try {
    const url = new URL(`http://${text.slice(scheme.length)}`);
    if (url.host && `${url.pathname}${url.search}${url.hash}${url.username}` === '/') {
      const port = url.port || (/:80$/.test(text) ? 80 : DEFAULT_PORT);
      return `${scheme}${url.hostname}:${port}`;
    }
  } catch {
    // It is not an address.
  }
  throw new PitvError('PITV_USAGE', `--udp must be HOST or HOST:PORT, not "${text.slice(0, 80)}".`);
}

/** @param {string} file path, or - for stdin @returns {Promise<string>} @throws {PitvError} PITV_USAGE */
async function readScript(file) {
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
