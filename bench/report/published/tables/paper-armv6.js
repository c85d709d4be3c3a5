/** Makes the paper's table in docs/results/paper-armv6.md. */
import { markdown } from '../../paper-markdown.js';

export const sources = ['paper-armv6*'];
/** The table itself describes how each file was measured. */
export const isBrief = true;

/** @param {import('../../results.js').Results[]} files */
export const render = (files) => markdown(files);
