import { byId, h } from '../lib/dom.js';
import { text as textOf } from '../lib/language.js';

/**
 * A column of a table: its title, and what it shows of an item.
 * @template T
 * @typedef {readonly [title: string, value: (item: T) => string | number | undefined]} Column
 */

/**
 * Returns the cells of a table; what is not known is empty.
 * @template T @param {readonly Column<T>[]} columns @param {T[]} items one for each row
 * @returns {string[][]}
 */
export const rowsOf = (columns, items) =>
  items.map((item) => columns.map(([, value]) => String(value(item) ?? '')));

/**
 * Returns the button of the page with the same id, if there is one: it may just ask whether it was meant.
 * @param {HTMLElement | null} button
 */
const present = (button) => (button?.id && document.getElementById(button.id)) || button;

/**
 * Draws a table if its content has changed.
 * @template T
 * @param {string} id of the table
 * @param {readonly Column<T>[]} columns @param {T[]} items one for each row
 * @param {(item: T) => HTMLElement | null} [action] makes the button at the end of each row
 */
export function drawTable(id, columns, items, action) {
  const table = byId(id);
  const titles = columns.map(([title]) => title);
  const rows = rowsOf(columns, items);
  // A button must not be replaced while it is being pressed.
  const state = JSON.stringify([titles, rows]);
  if (table.getAttribute('data-state') === state) return;
  table.setAttribute('data-state', state);
  const focused = document.activeElement?.id;
  const head = titles.map((text) => h('th', { text, scope: 'col' }));
  const body = rows.map((row, i) =>
    h(
      'tr',
      {},
      ...row.map((text) => h('td', { text })),
      action && h('td', { class: 'action' }, present(action(items[i]))),
    ),
  );
  const width = titles.length + (action ? 1 : 0);
  const none = h('td', { class: 'empty', text: textOf('admin.none'), colSpan: width });
  table.replaceChildren(
    h('thead', {}, h('tr', {}, ...head, action && h('td'))),
    h('tbody', {}, ...(body.length > 0 ? body : [h('tr', {}, none)])),
  );
  if (focused) document.getElementById(focused)?.focus();
}
