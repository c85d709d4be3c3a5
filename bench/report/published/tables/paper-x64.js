/** Makes the paper's table in docs/results/paper-x64.md. */
import { markdown } from '../../paper-markdown.js';

export const sources = ['startup*', 'memory*', 'runtime*'];
/** The table itself describes how each file was measured. */
export const isBrief = true;

/** @param {import('../../results.js').Results[]} files */
export const render = (files) => markdown(files);
