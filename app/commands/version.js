/** `pitv version [--json]`: prints the version. */
import { SWITCH } from '../config/flags.js';
import { readVersion } from '../version.js';
import { print } from './common/output.js';

export const summary = 'print the versions of pitv and Node.js, and the platform [--json]';

export const help = `Usage: pitv version [--json]

  --json  print one JSON object: name, version, node, v8, platform, arch
`;
export const options = { json: SWITCH };

/** @param {Record<string, any>} values */
export function run({ json }) {
  const { platform, arch } = process;
  const { node, v8 } = process.versions;
  const version = readVersion();
  const facts = { name: 'pitv', version, node, v8, platform, arch };
  print(
    `${json ? JSON.stringify(facts) : `pitv ${version} (Node ${node}, ${platform} ${arch})`}\n`,
  );
}
