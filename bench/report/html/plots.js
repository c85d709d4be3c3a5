/**
 * Runs in the page: draws the figures with uPlot in the colours of the theme, and downloads the data. The page contains
 * this file as it is, so it imports nothing.
 */
(() => {
  /** @typedef {import('./figures.js').Figure} Figure */
  const uPlot = /** @type {any} */ (Reflect.get(globalThis, 'uPlot'));
  const page = globalThis.document;
  const root = page.documentElement;
  const HEIGHT = 300;
  const data = JSON.parse(page.getElementById('data')?.textContent ?? '{}');

  const probe = page.body.appendChild(page.createElement('i'));
  probe.hidden = true;
  /** Returns a colour of the current theme. @param {string} name */
  const variable = (name) => {
    probe.style.color = `var(--${name})`;
    return globalThis.getComputedStyle(probe).color;
  };
  /** @param {string} tone */
  const colorOf = (tone) => variable(/^\d+$/.test(tone) ? `c${tone}` : tone);

  /** Lines also differ in their dashes, for print and for colour-blind readers. */
  const DASHES = [[], [7, 4], [2, 3], [10, 3, 2, 3], [4, 2], [12, 4], [1, 2], [6, 2, 2, 2], [3, 5]];

  /** Returns the dashes of a tone; those of an engine are the same in every figure. @param {string} tone */
  const dashOf = (tone) =>
    DASHES[
      /^\d+$/.test(tone) ? Number(tone) : ['process', 'thread', 'zygote', 'ideal'].indexOf(tone)
    ];

  /** Draws the paper's range. @param {any} plot @param {Figure} figure */
  function drawBand(plot, { band }) {
    if (!band) return;
    const { ctx, bbox } = plot;
    const [top, bottom] = [plot.valToPos(band.high, 'y', true), plot.valToPos(band.low, 'y', true)];
    ctx.save();
    ctx.fillStyle = variable('band');
    ctx.globalAlpha = 0.32;
    ctx.fillRect(bbox.left, top, bbox.width, Math.max(2, bottom - top));
    ctx.globalAlpha = 1;
    ctx.fillStyle = variable('soft');
    const ratio = globalThis.devicePixelRatio;
    ctx.font = `${12 * ratio}px system-ui, 'DejaVu Sans', sans-serif`;
    ctx.textAlign = 'right';
    ctx.textBaseline = 'bottom';
    ctx.fillText(band.label, bbox.left + bbox.width - 6 * ratio, top - 2 * ratio);
    ctx.restore();
  }

  /** Draws intervals as whiskers. @param {any} plot @param {Figure} figure */
  function drawIntervals(plot, { x, series }) {
    const { ctx } = plot;
    const ratio = globalThis.devicePixelRatio;
    const cap = 4 * ratio;
    ctx.save();
    ctx.lineWidth = 1.5 * ratio;
    for (const { tone, low, high } of series) {
      ctx.strokeStyle = colorOf(tone);
      x.forEach((_, i) => {
        if (low[i] === null || high[i] === null) return;
        const at = plot.valToPos(i, 'x', true);
        const [bottom, top] = [plot.valToPos(low[i], 'y', true), plot.valToPos(high[i], 'y', true)];
        ctx.beginPath();
        ctx.moveTo(at, bottom);
        ctx.lineTo(at, top);
        ctx.moveTo(at - cap, bottom);
        ctx.lineTo(at + cap, bottom);
        ctx.moveTo(at - cap, top);
        ctx.lineTo(at + cap, top);
        ctx.stroke();
      });
    }
    ctx.restore();
  }

  /** @param {number} value */
  const label = (value) =>
    value >= 10_000 || Number.isInteger(value)
      ? value.toLocaleString('en')
      : String(Number(value.toPrecision(3)));

  /** Computes the range of the y axis. @param {Figure} figure @returns {[number, number]} */
  function rangeOf({ series, band, logarithmic }) {
    const all = series
      .flatMap(({ low, high }) => [...low, ...high])
      .filter((value) => value !== null);
    if (band) all.push(band.low, band.high);
    const [least, most] = [Math.min(...all), Math.max(...all)];
    if (logarithmic)
      return [10 ** Math.floor(Math.log10(least)), 10 ** Math.ceil(Math.log10(most))];
    const room = (most - Math.min(0, least)) * 0.08;
    return [least < 0 ? least - room : 0, most + room];
  }

  /** @param {HTMLElement} place @param {Figure} figure */
  function draw(place, figure) {
    const { x, series, xLabel, yLabel, logarithmic } = figure;
    const ink = { stroke: variable('soft'), grid: { stroke: variable('line'), width: 1 } };
    const font = "12px system-ui, 'DejaVu Sans', sans-serif";
    const axis = { ...ink, ticks: { stroke: variable('line'), width: 1 }, font, labelFont: font };
    const range = rangeOf(figure);
    // All values of x have equal distances: 1, 2, 4, 8 as well as 1000, 5000, 20000.
    const values = x.map((_, i) => i);
    place.replaceChildren();
    return new uPlot(
      {
        width: place.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { drag: { x: false, y: false }, points: { size: 8 } },
        scales: {
          x: { time: false, range: [-0.3, x.length - 0.7] },
          y: { range, distr: logarithmic ? 3 : 1 },
        },
        axes: [
          {
            ...axis,
            label: xLabel,
            labelSize: 20,
            splits: () => values,
            values: (/** @type {any} */ _, /** @type {number[]} */ at) =>
              at.map((i) => label(x[i])),
          },
          {
            ...axis,
            label: yLabel,
            labelSize: 22,
            size: 58,
            values: (/** @type {any} */ _, /** @type {number[]} */ at) =>
              at.map((value) => (value === null ? '' : label(value))),
            ...(logarithmic
              ? {
                  filter: (/** @type {any} */ _, /** @type {number[]} */ at) =>
                    at.map((v) =>
                      Number.isInteger(Math.round(Math.log10(v) * 1e6) / 1e6) ? v : null,
                    ),
                }
              : {}),
          },
        ],
        series: [
          {},
          ...series.map(({ label: name, tone }) => ({
            label: name,
            stroke: colorOf(tone),
            width: 2,
            dash: dashOf(tone),
            points: { show: true, size: 7, fill: colorOf(tone) },
            spanGaps: true,
          })),
        ],
        hooks: {
          drawClear: [(/** @type {any} */ plot) => drawBand(plot, figure)],
          draw: [(/** @type {any} */ plot) => drawIntervals(plot, figure)],
        },
      },
      [values, ...series.map((one) => one.values)],
      place,
    );
  }

  /** @type {any[]} */
  let plots = [];
  function drawAll() {
    plots.forEach((plot) => plot.destroy());
    const shown = [...page.querySelectorAll('.plot')].filter((place) => place.clientWidth > 0);
    plots = shown.map((place) => {
      const figure = data.figures[Number(place.getAttribute('data-figure'))];
      return draw(/** @type {HTMLElement} */ (place), figure);
    });
    for (const swatch of page.querySelectorAll('.swatch[data-tone]')) {
      const tone = swatch.getAttribute('data-tone') ?? '';
      /** @type {HTMLElement} */ (swatch).style.background = colorOf(tone);
    }
  }

  /** @param {string} name @param {string} type @param {string} text */
  function download(name, type, text) {
    const link = page.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }
  const json = () => JSON.stringify(data.results, null, 2);
  page
    .getElementById('get-json')
    ?.addEventListener('click', () => download('pitv-results.json', 'application/json', json()));
  page
    .getElementById('get-csv')
    ?.addEventListener('click', () => download('pitv-samples.csv', 'text/csv', data.csv));

  const dark = globalThis.matchMedia('(prefers-color-scheme: dark)');
  page.getElementById('theme')?.addEventListener('click', () => {
    const now = root.dataset.theme ?? (dark.matches ? 'dark' : 'light');
    root.dataset.theme = now === 'dark' ? 'light' : 'dark';
    drawAll();
  });
  dark.addEventListener('change', drawAll);
  // Prints with the light theme.
  /** @type {string | undefined} */
  let chosen;
  globalThis.addEventListener('beforeprint', () => {
    for (const details of page.querySelectorAll('details')) details.open = true;
    chosen = root.dataset.theme;
    root.dataset.theme = 'light';
    drawAll();
  });
  globalThis.addEventListener('afterprint', () => {
    if (chosen === undefined) delete root.dataset.theme;
    else root.dataset.theme = chosen;
    drawAll();
  });
  for (const details of page.querySelectorAll('details')) {
    details.addEventListener('toggle', () => details.querySelector('.plot') && drawAll());
  }
  let width = globalThis.innerWidth;
  globalThis.addEventListener('resize', () => {
    if (globalThis.innerWidth !== width) drawAll();
    width = globalThis.innerWidth;
  });
  drawAll();
})();
