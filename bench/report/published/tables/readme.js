/** Makes the table of results in README.md. */
import { SOURCES, readmeTable } from '../readme-table.js';

export const sources = SOURCES;
export const isBrief = true;

/** @type {import('../readme-table.js').Words} */
const WORDS = {
  head: ['Question', 'Result', 'Read it with care'],
  lines: [
    {
      question: 'How long until a worker is [ready](docs/results/zygote.md)?',
      result: 'zygote {demand zygote} ms, thread {demand thread} ms, process {demand process} ms',
      care: 'On demand: nothing was prepared for this worker, but the zygote was warm. With a spare that waits: {spare zygote}, {spare thread} and {spare process} ms. Until the last of 8 at once: {burst zygote}, {burst thread} and {burst process} ms.',
    },
    {
      question: 'What does each further [game](docs/results/paper-x64.md) take?',
      result: 'zygote {game zygote} MiB, thread {game thread} MiB, process {game process} MiB',
      care: 'Unreclaimable memory: all but clean pages of files, which the kernel can drop. The mean of the second to fourth game, after 3 s of play; [more](docs/results/zygote.md#what-a-game-adds-to-the-whole-tv) later. The zygote is one more process.',
    },
    {
      question: 'What does [KSM](docs/results/ksm.md) save with four games?',
      result: '`mark` {ksm mark} %, `seeds` {ksm seeds} %, `identical` {ksm identical} %',
      care: 'Of the unreclaimable memory of the whole TV, against the same launch without merging. As root. `identical` turns ASLR off.',
    },
    {
      question:
        'How long does it take to find all [collisions](docs/results/collision.md) of 5,000 circles?',
      result: '{pitv} ms; {library}, the fastest library, {libraryMs} ms; C {c-native} ms',
      care: 'CPU time. Equal circles, spread evenly; the page has other clouds. C with `-O3 -march=native`.',
    },
  ],
};

/** @param {import('../../results.js').Results[]} files */
export const render = (files) => readmeTable(files, WORDS);
