/**
 * `make boot-time [BOARD=armel]`: measures the time from the start of the kernel until the TV is available,
 * for the card and for the same packages as Debian installs them. The emulated board counts instructions, so
 * the times are repeatable. Also prints when systemd-networkd and avahi have started, to show what the TV's
 * early start delays.
 */
import { BOARDS } from '../boards.js';
import { buildCard } from '../build.js';
import { choose, program } from '../program.js';
import { Disk } from './disk.js';
import { COUNTING_MACHINES, runJob } from './job.js';

const SCRIPT = `systemctl is-system-running --wait >state
systemd-analyze time >analysis
systemd-analyze critical-chain pitv.service --no-pager >chain
for unit in pitv systemd-networkd avahi-daemon; do
  systemctl show -P ActiveEnterTimestampMonotonic $unit >since-$unit
done
systemctl list-units --no-legend --state=active,failed --no-pager | wc -l >units
lsmod | wc -l >modules
`;

/**
 * Measures the start of a card.
 * @param {string} card a file @param {string} board
 * @returns {Promise<Record<'tvS' | 'networkS' | 'nameS' | 'units' | 'modules', number> & Record<'state' | 'analysis' | 'chain', string>>}
 */
async function bootTime(card, board) {
  const disk = await Disk.copyOf(card);
  try {
    const machineOptions = { board, machine: COUNTING_MACHINES[board] };
    const { files } = await runJob(disk, machineOptions, SCRIPT, { deterministic: true });
    const text = (/** @type {string} */ name) => (files.get(name) ?? '').trim();
    return {
      tvS: Number(text('since-pitv')) / 1e6,
      networkS: Number(text('since-systemd-networkd')) / 1e6,
      nameS: Number(text('since-avahi-daemon')) / 1e6,
      units: Number(text('units')),
      modules: Number(text('modules')) - 1, // without the header line
      state: text('state'),
      analysis: text('analysis'),
      chain: text('chain'),
    };
  } finally {
    await disk.remove();
  }
}

const HELP = `Usage: node image/qemu/boot-time.js [${Object.keys(COUNTING_MACHINES).join('|')}]`;

/** @param {unknown} _ @param {string[]} names */
async function main(_, names) {
  const name = choose(names, Object.keys(COUNTING_MACHINES), 'armel');
  const board = BOARDS[name];
  for (const untrimmed of [false, true]) {
    const { file } = await buildCard(board, { untrimmed });
    const { tvS, networkS, nameS, units, modules, state, analysis, chain } = await bootTime(
      file,
      name,
    );
    const what = untrimmed ? 'the same packages, untrimmed' : 'the card';
    const others = `networkd after ${networkS.toFixed(2)} s, avahi after ${nameS.toFixed(2)} s`;
    console.log(`\n${what}: the TV after ${tvS.toFixed(2)} s, ${others}`);
    console.log(`  ${units} units, ${modules} modules, ${state}\n${analysis}\n${chain}`);
  }
}

await program(HELP, {}, main);
