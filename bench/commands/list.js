import { alignColumns } from '../../ksm/table.js';
import { loadScenario, scenarioNames } from '../harness/scenarios.js';

export const help = `pitv bench list
    lists the scenarios
`;

export async function run() {
  const rows = scenarioNames().map(async (name) => [name, (await loadScenario(name)).title]);
  process.stdout.write(`${alignColumns(await Promise.all(rows)).join('\n')}\n`);
  return 0;
}
