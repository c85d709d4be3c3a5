/** Texts of records and achievements, for screens and phones. */
import { language, text } from './language.js';

/** @type {import('./language.js').TextKey[]} */
const BESTS = ['record.ever', 'record.week', 'record.evening'];
/** @type {import('./language.js').TextKey[]} */
const AWARDS = ['award.close', 'award.losses', 'award.bots', 'award.late', 'award.draw'];

/**
 * Describes a record or an achievement.
 * @param {import('./types.js').News} news @param {import('./types.js').Game['records']} [records] of the game
 * @param {boolean} [isNew] whether the record was just broken
 */
export function newsText(
  { people, award, record = 0, span, value = 0 },
  records = [],
  isNew = false,
) {
  const names = people.map(({ name }) => name).join(', ');
  const [achievement] = AWARDS.filter((key) => key === `award.${award}`);
  if (achievement) return text(achievement, { names });
  const [best = BESTS[0]] = BESTS.filter((key) => key === `record.${span}`);
  const { name = text('record.wins'), of = 'score' } = records[record] ?? {};
  const number = new Intl.NumberFormat(language).format(of === 'time' ? value / 10 : value);
  const shown = of === 'time' ? text('record.seconds', { number }) : number;
  const line = text(best, { record: name, value: shown, names });
  return isNew ? text('record.new', { line }) : line;
}
