import { loadScenario, scenarioNames } from '../harness/scenarios.js';

export const help = `pitv bench list
    lists the scenarios
`;

export async function run() {
  for (const name of scenarioNames()) {
    const { title } = await loadScenario(name);
    process.stdout.write(`${name.padEnd(12)} ${title}\n`);
  }
  return 0;
}
