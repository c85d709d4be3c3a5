/* Draws the flame graph that the page holds; no module, for it is put into the page as it is. */
/**
 * @typedef {import('../summary.js').Node} Node
 * @typedef {{name: string, flame: Node, summary: {name: string, percent: number}[], busy?: number}} Thread
 */
(() => {
  const ROW = 22;
  /** Thinner ones cannot be seen. */
  const LEAST_PIXELS = 0.7;
  const KINDS = ['js', 'cpp', 'gc', 'lib', 'unknown'];
  /** @param {string} id @returns {any} */
  const byId = (id) => document.getElementById(id);
  /** @type {{threads: Thread[]}} */
  const { threads } = JSON.parse(byId('data').textContent);
  let thread = threads[0];
  /** From the root to what is enlarged. */
  let path = [thread.flame];

  /** @param {number} part @param {number} whole */
  const percent = (part, whole) => `${whole > 0 ? ((100 * part) / whole).toFixed(1) : '0.0'} %`;
  /** @param {string} tag @param {object} props */
  const make = (tag, props) => Object.assign(document.createElement(tag), props);

  /** @param {Node} node @param {Node} [parent] */
  function describe(node, parent) {
    const all = thread.flame.value;
    const of =
      parent && parent !== thread.flame
        ? `, ${percent(node.value, parent.value)} of its caller`
        : '';
    return `${node.name}: ${node.value} samples, ${percent(node.value, all)} of all${of}`;
  }

  function draw() {
    const graph = byId('graph');
    const width = graph.clientWidth;
    const wanted = byId('find').value.trim().toLowerCase();
    /** @type {HTMLElement[]} */
    const bars = [];
    let rows = 0;
    let hits = 0;

    /**
     * @param {Node} node @param {Node[]} way from the root @param {number} x @param {number} wide pixels
     * @param {number} y row @param {boolean} above what is enlarged
     */
    function bar(node, way, x, wide, y, above) {
      rows = Math.max(rows, y + 1);
      const hit = wanted !== '' && node.name.toLowerCase().includes(wanted);
      const element = make('button', {
        type: 'button',
        className: `bar ${node.kind}${hit ? ' hit' : ''}${above ? ' above' : ''}${wide < 24 ? ' narrow' : ''}`,
        textContent: wide < 24 ? '' : node.name,
        onclick: () => {
          path = way;
          byId('detail').textContent = describe(node, way.at(-2));
          draw();
        },
      });
      const tell = () => (byId('detail').textContent = describe(node, way.at(-2)));
      element.addEventListener('pointerenter', tell);
      element.addEventListener('focus', tell);
      element.setAttribute('aria-label', describe(node, way.at(-2)));
      if (wide < 24) element.tabIndex = -1;
      element.style.left = `${x}px`;
      element.style.width = `${Math.max(1, wide - 1)}px`;
      element.style.top = `${y * ROW}px`;
      bars.push(element);
      return hit;
    }

    /**
     * @param {Node} node @param {Node[]} way @param {number} x @param {number} wide @param {number} y
     * @param {boolean} within something that was found
     */
    function grow(node, way, x, wide, y, within) {
      const hit = bar(node, way, x, wide, y, false);
      if (hit && !within) hits += node.value;
      let at = x;
      for (const child of node.children) {
        const part = (wide * child.value) / node.value;
        if (part >= LEAST_PIXELS) grow(child, [...way, child], at, part, y + 1, within || hit);
        at += part;
      }
    }

    const focus = /** @type {Node} */ (path.at(-1));
    path.slice(0, -1).forEach((node, i) => bar(node, path.slice(0, i + 1), 0, width, i, true));
    if (focus.value > 0) grow(focus, path, 0, width, path.length - 1, false);
    graph.replaceChildren(...bars);
    graph.style.height = `${rows * ROW}px`;
    byId('reset').hidden = path.length === 1;
    byId('found').textContent =
      wanted === '' ? '' : `${percent(hits, focus.value)} of what is shown`;
  }

  /** @param {Thread} next */
  function choose(next) {
    thread = next;
    path = [thread.flame];
    for (const [i, tab] of [...byId('threads').children].entries()) {
      tab.setAttribute('aria-selected', String(threads[i] === thread));
    }
    const rows = thread.summary.map(({ name, percent: share }, i) => {
      const row = make('span', { textContent: `${name} ${share.toFixed(1)} %` });
      row.prepend(make('i', { className: KINDS[i] }));
      return row;
    });
    const busy =
      thread.busy === undefined
        ? []
        : [make('span', { textContent: `busy ${thread.busy.toFixed(1)} % of the time` })];
    byId('summary').replaceChildren(...rows, ...busy);
    draw();
  }

  byId('threads').replaceChildren(
    ...threads.map((one) => {
      const tab = make('button', {
        type: 'button',
        textContent: one.name,
        onclick: () => choose(one),
      });
      tab.setAttribute('role', 'tab');
      return tab;
    }),
  );
  byId('find').oninput = draw;
  byId('reset').onclick = () => {
    path = [thread.flame];
    draw();
  };
  addEventListener('resize', draw);
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape') byId('reset').click();
  });
  choose(thread);
})();
