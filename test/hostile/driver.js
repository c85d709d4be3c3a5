/** `make hostile`: runs every attack for its full time against every engine. */
import { ENGINES } from '../../app/engine/index.js';
import { tableOf } from '../../bench/report/markdown.js';
import { ATTACKS } from './attacks.js';
import { DESCRIPTORS, MEMORY_MIB } from './game.js';
import { COLUMNS, RULES, Trials } from './trial.js';

/** @type {import('../drive.js').Driver} */
export const driver = {
  title: 'Hostile clients',
  about: 'Attacks a TV on which a screen and two pads play, and checks that the match goes on.',
  options: {
    ENGINE: { about: 'of the TV', value: 'all', choices: ['all', ...ENGINES] },
    ONLY: { about: 'only the attacks with this text in their key', value: '' },
  },
  async drive({ ENGINE, ONLY }, { signal, show }) {
    const attacks = Object.entries(ATTACKS).filter(([key]) => key.includes(ONLY));
    /** @type {string[]} */
    const tables = [];
    /** @type {string[]} */
    const problems = attacks.length > 0 ? [] : ['no attack was run'];
    for (const engine of ENGINE === 'all' ? ENGINES : [ENGINE]) {
      const trials = new Trials(engine);
      const figuresOfAll = [];
      for (const [key, attack] of attacks) {
        if (signal.aborted) break;
        try {
          const figures = await trials.run(key, attack, attack.bounds.seconds);
          figuresOfAll.push(figures);
          show({ engine, ...figures });
          problems.push(...figures.broken.map((why) => `${engine}, ${attack.name}: ${why}`));
        } catch (error) {
          problems.push(`${engine}, ${attack.name}: ${error}`);
        }
      }
      await trials.close();
      tables.push(`## Engine ${engine}`, tableOf(COLUMNS, figuresOfAll, 1));
    }
    return {
      paragraphs: [
        `Does a match go on while a client attacks the TV? Each TV has ${MEMORY_MIB} MiB of memory and ${DESCRIPTORS} descriptors. A match with a
screen and two pads is played during each of the ${attacks.length} attacks.`,
        `The rules are the same for all attacks. During one, \`/healthz\` answers within ${RULES.healthMs} ms, a new phone joins
within ${RULES.joinMs} ms, and the match has at least ${RULES.tickRatio} of the ticks that it has in the same time without an attack. Within
${RULES.recoveryMs / 1000} s after it, at most ${RULES.descriptors} descriptors and ${RULES.memoryMib} MiB more than before are in use. It adds at most ${RULES.logLines} lines
to the log.`,
        'Descriptors and memory: before, peak and after. The other columns are the worst during the attack.',
        ...tables,
      ],
      problems,
    };
  },
};
