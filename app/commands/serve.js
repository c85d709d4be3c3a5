/** `pitv serve`: runs the TV until a signal ends it. */
import { parseSettings, serveHelp } from '../config/parse.js';
import { runTv } from './common/run-tv.js';
import { print } from './common/output.js';

export const summary = 'run the TV: pages, API and games';

/** @param {string[]} argv */
export async function run(argv) {
  const settings = parseSettings(argv);
  if (settings.help) {
    print(serveHelp());
    return 0;
  }
  const { BUNDLED } = await import('../packages/catalog.js'); // not needed by --help
  return runTv(settings, { bundled: BUNDLED });
}
