/** `pitv update`: installs an update on a card with two systems, and shows the systems. */
import { SWITCH, usageError } from '../config/flags.js';
import { sentenceText } from '../language/index.js';
import { checkBundle, checkUpdatable, install, listSystems, restart } from '../system/rauc.js';
import { print, printSentence } from './common/output.js';

export const summary = 'install an update on a card with two systems: `pitv update FILE|URL`';

export const help = `Usage: pitv update FILE|URL [--no-restart] [--allow-older]
       pitv update --status [--json]

Installs an update, a file of \`make bundle\`, into the system that is not running, then restarts the machine. Matches
are saved and go on. If the new system does not work, the machine goes back to this one. Run it as root on the card.

  --no-restart    do not restart; the new system starts with the next one
  --allow-older   install a version that is older than the running one
  --status        show both systems and their versions
  --json          print them as JSON
  --confirm       wait until the running system works and mark it as good; the card does this at each start
  --requested     do what the admin page has requested; a service of the card does this
`;

export const options = {
  'no-restart': SWITCH,
  'allow-older': SWITCH,
  status: SWITCH,
  json: SWITCH,
  confirm: SWITCH,
  requested: SWITCH,
};
export const operands = /** @type {[number, number]} */ ([0, 1]);

/** @param {Record<string, any>} flags @param {string[]} operands */
export async function run(flags, [source = '']) {
  const actions = [source !== '', flags.status, flags.confirm, flags.requested];
  if (actions.filter(Boolean).length !== 1)
    throw usageError('Name one update, or --status.', 'pitv update');
  await checkUpdatable();
  if (flags.status) return printSystems(flags.json);
  if (flags.confirm) return (await import('./update/confirm.js')).confirm();
  if (flags.requested) return (await import('./update/requested.js')).installRequested();
  const { fetchBundle } = await import('./update/fetch.js');
  const bundle = await fetchBundle(source);
  try {
    await checkBundle(bundle.file, { allowOlder: flags['allow-older'] });
    await install(bundle.file, showProgress);
  } finally {
    await bundle.remove();
  }
  printSentence('The update is installed.');
  if (flags['no-restart']) printSentence('It starts with the next restart.');
  else {
    printSentence('The machine restarts.');
    await restart();
  }
  return 0;
}

/** Prints both systems. @param {boolean} [json] */
async function printSystems(json) {
  const systems = await listSystems();
  if (json) print(`${JSON.stringify(systems, undefined, 2)}\n`);
  for (const { name, running, good, version } of json ? [] : systems) {
    const words = [running ? 'running' : 'not running', good ? 'good' : 'not startable'];
    print(`${[name, version ?? '-', ...words.map((word) => sentenceText(word))].join('\t')}\n`);
  }
  return 0;
}

/** @param {number} percent */
function showProgress(percent) {
  if (process.stderr.isTTY) process.stderr.write(`\r${percent} %${percent === 100 ? '\n' : ''}`);
}
