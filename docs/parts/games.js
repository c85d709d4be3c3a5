/** The reference of `pitv/game` in games.md, made from the types and comments of its code. */
import { readFileSync } from 'node:fs';
import * as kernel from '../../app/game/index.js';
import { DESCRIPTION } from '../../app/game/game-fields.js';
import { LIMITS } from '../../app/limits/table.js';
import { markdownTable } from '../../bench/report/markdown.js';

/** Types of the fields of a game and its bodies, in the order of the page. */
const TYPES = ['GameSpec', 'View', 'Team', 'GameRecord', 'Texts', 'Option', 'BodyOptions'];
/** Classes that a game meets, by the name of the file, and the name that a game has for an object of it. */
const CLASSES = { flow: 'flow', world: 'flow.world', 'decor-writer': 'writer' };
/** What the sentence about a field says of each text. */
const EACH_TEXT = /, none of them a control, direction or invisible one/;
/** Members that only pitv itself uses. */
const INTERNAL =
  /^(spec|head|body|bytes|checkpoint\w*|restore|advance|pairs|step|begin|done|kernel|events)$/;

/** @param {string} name */
const read = (name) => readFileSync(new URL(`../../app/game/${name}.js`, import.meta.url), 'utf8');

/** Formats the reference as Markdown. @returns {string} */
export function reference() {
  const comments = (read('define') + read('body')).match(/\/\*\*[^]*?\*\//g) ?? [];
  const sources = comments.map(textOf);
  const names = Object.keys(kernel).sort();
  return [
    ...TYPES.map((name) => table(`\`${name}\``, propertiesOf(sources, name))),
    texts(),
    ...Object.entries(CLASSES).map(([file, title]) =>
      table(`\`${title}\``, membersOf(read(file)), false),
    ),
    `\`pitv/game\` exports ${names.map((name) => `\`${name}\``).join(', ')}, and the types \`Flow\`, \`GameSpec\` and \`DecorWriter\`.`,
  ].join('\n\n');
}

/**
 * Lists the texts among the fields of an object and their parts, with their limits.
 * @param {Record<string, import('../../app/options.js').Field>} fields @param {string} [path] of the object
 * @returns {string[][]}
 */
function textsIn(fields, path = '') {
  const all = Object.entries(fields).map(([name, field]) => ({ name: path + name, ...field }));
  const own = all.filter(({ allowed }) => EACH_TEXT.test(allowed));
  const parts = all.flatMap(({ name, fields: inside = {}, element }) => [
    ...textsIn(inside, `${name}.`),
    ...textsIn(element?.fields ?? {}, name === 'translations' ? `${name}.ko.` : `${name}[i].`),
  ]);
  const rows = own.map(({ name, allowed }) => [`\`${name}\``, allowed.replace(EACH_TEXT, '')]);
  return [...rows, ...parts];
}

/** Formats the limits of texts. @returns {string} */
function texts() {
  const kib = LIMITS.localeBytes.value / 1024;
  return [
    'Lengths of texts, in UTF-16 code units, as `length` counts them. A text is one line: control characters, direction characters such as U+202E, and invisible ones such as U+200B are refused. Joiners within emoji and words are allowed.',
    markdownTable(['field', ''], textsIn(DESCRIPTION)),
    `A file \`locales/ko.json\` has the fields of \`translations.ko\`, and at most ${kib} KiB.`,
  ].join('\n\n');
}

/** @typedef {{name: string, type: string, text: string}} Row */

/** @param {string} title @param {Row[]} rows @param {boolean} [typed] */
function table(title, rows, typed = true) {
  const cells = rows.map(({ name, type, text }) =>
    typed ? [`\`${name}\``, `\`${type}\``, text] : [`\`${name}\``, text],
  );
  const head = typed ? ['field', 'type', ''] : ['member', ''];
  return `${title}:\n\n${markdownTable(head, cells)}`;
}

/** Returns the text of a comment as one line. @param {string} comment */
const textOf = (comment) =>
  comment
    .replace(/^\/\*\*|\*\/$/g, '')
    .replace(/^\s*\* ?/gm, '')
    .replace(/\s+/g, ' ')
    .trim();

/**
 * Reads the properties of a type definition.
 * @param {string[]} sources comments, each as one line @param {string} name @returns {Row[]}
 */
function propertiesOf(sources, name) {
  const pattern = new RegExp(
    `@typedef (?:\\{object\\} ${name}\\b(.*?)(?=@typedef|$)|\\{(\\{[^}]*\\})\\} ${name}\\b)`,
  );
  const [, body, inline] = sources.map((source) => pattern.exec(source)).find(Boolean) ?? [];
  if (inline) {
    const fields = [...inline.matchAll(/(\w+): (\w+)/g)];
    return fields.map(([, field, type]) => ({ name: field, type, text: 'a whole number' }));
  }
  if (body === undefined) throw new Error(`define.js has no type ${name}`);
  return body
    .split('@property ')
    .slice(1)
    .map((property) => {
      const end = closingBrace(property);
      const [, field, text] = /^ (\S+) ?(.*)$/.exec(property.slice(end + 1).trimEnd()) ?? [];
      const optional = /^\[(.*)\]$/.exec(field)?.[1];
      return { name: optional ? `${optional}?` : field, type: property.slice(1, end), text };
    });
}

/** Finds the brace that closes the first one. @param {string} text begins with a brace */
function closingBrace(text) {
  let depth = 0;
  for (let i = 0; ; i++) {
    if (text[i] === '{') depth++;
    else if (text[i] === '}' && --depth === 0) return i;
  }
}

/** Reads the documented members of a class. @param {string} source @returns {Row[]} */
function membersOf(source) {
  const pattern =
    /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*(?:get (\w+)\(|(\w+)\(([^)]*)\) \{|this\.(\w+) =)/g;
  return [...source.matchAll(pattern)].flatMap(([, comment, getter, method, parameters, field]) => {
    const name = getter ?? field ?? `${method}(${parameters})`;
    const text = textOf(`/**${comment}*/`).replace(/^@type \{.*?\} /, '');
    const [sentence, ...tags] = text.split(/(?=@(?:param|returns|throws)\b)/);
    const result = tags
      .find((tag) => tag.startsWith('@returns'))
      ?.replace(/^@returns \{.*?\} ?/, '');
    const about = [sentence.trim(), result && `Result: ${result.trim()}.`]
      .filter(Boolean)
      .join(' ');
    const isInternal = INTERNAL.test(method ?? name) || method === 'constructor' || about === '';
    return isInternal ? [] : [{ name, type: '', text: about }];
  });
}
