/**
 * `make boot-time [BOARD=armel]`: how long the card takes from the kernel's start until the TV is there,
 * and how long the same packages take as Debian installs them. On an emulated board that counts
 * instructions, so that it is the same each time. With it, so that nothing is paid for by what nobody looks
 * at, when the network is managed and when the name is answered for.
 */
import { BOARDS } from '../boards.js';
import { buildCard } from '../build.js';
import { choose, program } from '../program.js';
import { Disk } from './disk.js';
import { COUNTED, runJob } from './job.js';

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
 * @param {string} card a file @param {string} board
 * @returns {Promise<Record<'tvS' | 'networkS' | 'nameS' | 'units' | 'modules', number> & Record<'state' | 'analysis' | 'chain', string>>}
 */
async function bootTime(card, board) {
  const disk = await Disk.copyOf(card);
  try {
    const how = { board, machine: COUNTED[board] };
    const { files } = await runJob(disk, how, SCRIPT, { deterministic: true });
    const text = (/** @type {string} */ name) => (files.get(name) ?? '').trim();
    return {
      tvS: Number(text('since-pitv')) / 1e6,
      networkS: Number(text('since-systemd-networkd')) / 1e6,
      nameS: Number(text('since-avahi-daemon')) / 1e6,
      units: Number(text('units')),
      modules: Number(text('modules')) - 1, // its head
      state: text('state'),
      analysis: text('analysis'),
      chain: text('chain'),
    };
  } finally {
    await disk.remove();
  }
}

const HELP = `Usage: node image/qemu/boot-time.js [${Object.keys(COUNTED).join('|')}]`;

/** @param {unknown} _ @param {string[]} names */
async function main(_, names) {
  const name = choose(names, Object.keys(COUNTED), 'armel');
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
