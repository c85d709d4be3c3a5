import { examine, formatFindings } from '../machine/doctor.js';
import { machineFacts, passingFacts } from '../machine/facts.js';
import { machineLine } from '../report/text.js';

export const help = `pitv bench doctor
    lists what distorts measurements on this machine, and what to do
`;

export async function run() {
  const machine = machineFacts();
  const now = passingFacts();
  process.stdout.write(`${machineLine({ ...machine, before: now, after: now })}\n\n`);
  process.stdout.write(formatFindings(examine(machine, now)));
  return 0;
}
