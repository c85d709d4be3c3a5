import { byId, h } from '../lib/dom.js';
import { text as textOf } from '../lib/language.js';

/**
 * Returns the button of the page with the same id, if there is one: it may just ask whether it was meant.
 * @param {HTMLElement | null} button
 */
const present = (button) => (button?.id && document.getElementById(button.id)) || button;

/**
 * Draws a table if its content has changed.
 * @param {string} id of the table
 * @param {readonly string[]} columns
 * @param {string[][]} rows
 * @param {(row: number) => HTMLElement | null} [action] makes the button at the end of each row
 */
export function drawTable(id, columns, rows, action) {
  const table = byId(id);
  // A button must not be replaced while it is being pressed.
  const state = JSON.stringify([columns, rows]);
  if (table.getAttribute('data-state') === state) return;
  table.setAttribute('data-state', state);
  const focused = document.activeElement?.id;
  const head = h(
    'tr',
    {},
    ...columns.map((text) => (text ? h('th', { text, scope: 'col' }) : h('td'))),
  );
  const body = rows.map((row, i) =>
    h(
      'tr',
      {},
      ...row.map((text) => h('td', { text })),
      action ? h('td', { class: 'action' }, present(action(i))) : null,
    ),
  );
  if (rows.length === 0)
    body.push(
      h('tr', {}, h('td', { class: 'empty', text: textOf('admin.none'), colSpan: columns.length })),
    );
  table.replaceChildren(h('thead', {}, head), h('tbody', {}, ...body));
  if (focused) document.getElementById(focused)?.focus();
}
