import { SWITCH } from '../../app/config/flags.js';
import { examine, formatFindings } from '../machine/doctor.js';
import { machineFacts, passingFacts } from '../machine/facts.js';
import { machineLine } from '../report/text.js';

export const help = `pitv bench doctor [--json]
    lists what distorts measurements on this machine, and what to do
`;

export const options = { json: SWITCH };

/** @param {{json?: boolean}} values */
export async function run({ json }) {
  const machine = machineFacts();
  const now = await passingFacts();
  const findings = examine(machine, now);
  const line = machineLine({ ...machine, before: now, after: now });
  const text = json
    ? `${JSON.stringify({ machine, now, findings }, undefined, 2)}\n`
    : `${line}\n\n${formatFindings(findings)}`;
  process.stdout.write(text);
  return 0;
}
