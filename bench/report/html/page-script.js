/**
 * Runs in the page: changes the theme and downloads the data. The page contains this file as it is, so it imports
 * nothing.
 */
(() => {
  const page = globalThis.document;
  const root = page.documentElement;
  const data = JSON.parse(page.getElementById('data')?.textContent ?? '{}');

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
  });
  // Prints with the light theme.
  /** @type {string | undefined} */
  let chosen;
  globalThis.addEventListener('beforeprint', () => {
    for (const details of page.querySelectorAll('details')) details.open = true;
    chosen = root.dataset.theme;
    root.dataset.theme = 'light';
  });
  globalThis.addEventListener('afterprint', () => {
    if (chosen === undefined) delete root.dataset.theme;
    else root.dataset.theme = chosen;
  });
})();
