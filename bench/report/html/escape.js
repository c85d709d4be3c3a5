/** @param {unknown} value @returns {string} as text or attribute of HTML */
export function escape(value) {
  const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return String(value).replace(/[&<>"']/g, (c) => entities[/** @type {'&'} */ (c)]);
}
