/** `pitv version [--json]`: prints the version. */
import { parseFlags } from '../config/flags.js';
import { readVersion } from '../version.js';
import { print } from './common/output.js';

export const summary = 'print the versions of pitv and Node.js, and the platform [--json]';

const HELP = `Usage: pitv version [--json]

  --json  print one JSON object: name, version, node, v8, platform, arch
`;

/** @param {string[]} argv */
export async function run(argv) {
  const flags = parseFlags(argv, { json: { type: 'boolean' } }, 'pitv version');
  if (flags.help) {
    print(HELP);
    return 0;
  }
  const facts = {
    name: 'pitv',
    version: await readVersion(),
    node: process.versions.node,
    v8: process.versions.v8,
    platform: process.platform,
    arch: process.arch,
  };
  print(
    flags.json
      ? `${JSON.stringify(facts)}\n`
      : `pitv ${facts.version} (Node ${facts.node}, ${facts.platform} ${facts.arch})\n`,
  );
  return 0;
}
