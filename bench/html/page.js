/** Results as one page that needs nothing else. @param {import('../results.js').Results} results */
export function toHtml(results) {
  return `<!doctype html><title>${results.suite}</title>`;
}
