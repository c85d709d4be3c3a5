/** The flame graph: one HTML file that needs no network, with everything in it. */
import { readFile } from 'node:fs/promises';
import { notes } from './text.js';

/** @param {string} name @returns {Promise<string>} */
const part = (name) => readFile(new URL(`./page/${name}`, import.meta.url), 'utf8');

/** @param {string} text */
const escape = (text) =>
  text.replace(/[&<>"]/g, (letter) => `&#${/** @type {number} */ (letter.codePointAt(0))};`);

/**
 * @param {import('./run.js').Profile} profile
 * @returns {Promise<string>} HTML
 */
export async function flamePage(profile) {
  const [html, css, script] = await Promise.all([
    part('flame.html'),
    part('flame.css'),
    part('flame.browser.js'),
  ]);
  const { scenario, seconds, connections, engine } = profile;
  const about = `${scenario}: ${connections} connections for ${seconds} s, engine ${engine}`;
  const data = {
    threads: profile.threads.map(({ name, flame, summary, utilization, cpuPercent }) => ({
      name,
      flame,
      summary: summary.summary,
      busy: utilization === undefined ? cpuPercent : utilization * 100,
    })),
  };
  /** @type {Record<string, string>} */
  const put = {
    '{{title}}': escape(`pitv profile ${scenario}`),
    '{{about}}': escape(about),
    '{{notes}}': escape(notes(profile).join(' ')),
    '/* css */': css,
    '/* script */': script,
    // Within a script element only the end tag and a comment's begin mean anything.
    '"data"': JSON.stringify(data).replace(/</g, '\\u003c'),
  };
  return html.replace(/\{\{\w+\}\}|\/\* \w+ \*\/|(?<=\n\s*)"data"/g, (place) => put[place]);
}
