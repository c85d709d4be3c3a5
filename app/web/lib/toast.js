import { h } from './dom.js';

const SHOWN_MS = 4500;
const MAX_TOASTS = 3;

/**
 * Shows a short message at the bottom of the page. Screen readers read it out.
 * @param {string} message
 * @param {string} [level] 'info' | 'warn' | 'error'
 */
export function toast(message, level = 'info') {
  let list = document.querySelector('.toasts');
  if (!list) {
    list = h('div', { class: 'toasts', role: 'status', 'aria-live': 'polite' });
    document.body.append(list);
  }
  const element = h('p', { class: 'toast', text: message, 'data-level': level });
  list.append(element);
  while (list.children.length > MAX_TOASTS) list.firstElementChild?.remove();
  setTimeout(() => element.remove(), SHOWN_MS);
}
