/** Escapes a value for a text or an attribute in HTML. @param {unknown} value @returns {string} */
export function escape(value) {
  const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return String(value).replace(/[&<>"']/g, (c) => entities[/** @type {'&'} */ (c)]);
}
