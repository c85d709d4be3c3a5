import { SWITCH } from '../../app/config/flags.js';
import { alignColumns } from '../../ksm/table.js';
import { loadScenario, scenarioNames } from '../harness/scenarios.js';

export const help = `pitv bench list [--json]
    lists the scenarios
`;

export const options = { json: SWITCH };

/** @param {{json?: boolean}} values */
export async function run({ json }) {
  const titled = scenarioNames().map(async (name) => [name, (await loadScenario(name)).title]);
  const rows = await Promise.all(titled);
  const scenarios = rows.map(([name, title]) => ({ name, title }));
  const text = json ? JSON.stringify(scenarios, undefined, 2) : alignColumns(rows).join('\n');
  process.stdout.write(`${text}\n`);
  return 0;
}
