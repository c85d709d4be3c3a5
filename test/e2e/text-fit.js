/** Finds texts of a page that do not fit. */

/** Texts may be this much larger than their place, because browsers round sizes, CSS pixels. */
const ROUNDING_PX = 1;

/**
 * Lists the texts in a box that stick out of it, are cut off, or overlap each other.
 * @param {import('playwright-core').Page} page
 * @param {string} box selector
 * @param {string} texts selector of elements in the box; hidden and empty ones do not count
 * @returns {Promise<string[]>} one sentence for each
 */
export async function misfits(page, box, texts) {
  await page.evaluate(() => document.fonts.ready);
  return page.evaluate(findMisfits, { box, texts, rounding: ROUNDING_PX });
}

/** Runs in the page. @param {{box: string, texts: string, rounding: number}} where */
function findMisfits({ box, texts, rounding }) {
  const place = /** @type {Element} */ (document.querySelector(box));
  const outer = place.getBoundingClientRect();
  const shown = [...place.querySelectorAll(texts)]
    .filter((element) => element.textContent && element.getClientRects().length > 0)
    .map((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      const { left, right } = range.getBoundingClientRect();
      const { top, bottom } = element.getBoundingClientRect();
      return { element, left, right, top, bottom, name: `“${element.textContent}”` };
    });
  /** @type {string[]} */
  const found = [];
  shown.forEach((text, i) => {
    const { left, right, top, bottom, name } = text;
    const above = Math.max(outer.left - left, outer.top - top);
    const below = Math.max(right - outer.right, bottom - outer.bottom);
    if (Math.max(above, below) > rounding) found.push(`${name} sticks out of ${box}`);
    for (let one = text.element; ; one = /** @type {Element} */ (one.parentElement)) {
      const width = one.scrollWidth - one.clientWidth;
      const height = one.scrollHeight - one.clientHeight;
      if (getComputedStyle(one).overflow !== 'visible' && Math.max(width, height) > rounding) {
        found.push(`${name} is cut off by ${one.id || one.className}`);
      }
      if (one === place) break;
    }
    for (const other of shown.slice(i + 1)) {
      const across = Math.min(right, other.right) - Math.max(left, other.left);
      const down = Math.min(bottom, other.bottom) - Math.max(top, other.top);
      if (Math.min(across, down) > rounding) found.push(`${name} overlaps ${other.name}`);
    }
  });
  return found;
}
