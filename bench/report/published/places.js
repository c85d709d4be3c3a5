/**
 * Fills the places of generated tables and plots: `<!-- pitv bench: table NAME -->` or `plot NAME`, to
 * `<!-- end of pitv bench -->`.
 */

const PLACE =
  /(<!-- pitv bench: ((?:table|plot) [\w-]+) -->)([\s\S]*?)(<!-- end of pitv bench -->)/g;

/** Lists the places, as `table NAME` or `plot NAME`. @param {string} text of a Markdown file @returns {string[]} */
export const placesIn = (text) => [...text.matchAll(PLACE)].map(([, , name]) => name);

/**
 * Fills places. The rest of the text does not change.
 * @param {string} text of a Markdown file
 * @param {Map<string, string>} contents Markdown by the name of the place; places without a content do not change
 */
export const fillPlaces = (text, contents) =>
  text.replace(PLACE, (whole, start, name, _, end) => {
    const content = contents.get(name);
    return content === undefined ? whole : `${start}\n\n${content.trim()}\n\n${end}`;
  });

/**
 * Removes places and their contents. The number of lines does not change.
 * @param {string} text of a Markdown file @param {(name: string) => boolean} which
 */
export const withoutPlaces = (text, which) =>
  text.replace(PLACE, (whole, _, name) =>
    which(name) ? '\n'.repeat(whole.split('\n').length - 1) : whole,
  );
