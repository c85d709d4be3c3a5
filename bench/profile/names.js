/** Shortens the names of functions. */
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Shortens the path. @param {string} name of a JavaScript function, with its path and position @returns {string} */
export function shortenName(name) {
  return name
    .replace(`file://${ROOT}`, '')
    .replace(ROOT, '')
    .replace(/^ /, '(anonymous) ')
    .replace(/file:\/\/.*\/node_modules\//, 'node_modules/')
    .replace(/(:\d+):\d+$/, '$1');
}

/** Removes the types. @param {string} name of a C++ function @returns {string} without arguments and result */
export function shortenSymbol(name) {
  let depth = 0;
  let out = '';
  for (const letter of name) {
    if (letter === '(' || letter === '<') depth++;
    if (depth === 0) out += letter;
    if (letter === ')' || letter === '>') depth = Math.max(0, depth - 1);
  }
  const plain = out
    .replace(/ \[clone [^\]]*\]/g, '')
    .replace(/(\s+(const|volatile|&+))+\s*$/, '')
    .trim();
  const withoutResult = plain.replace(/^.* (?=[\w:~$.]+$)/, '');
  return (withoutResult || name).slice(0, 160);
}
