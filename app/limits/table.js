/**
 * Lists every limit on what a network client, a saved file or a worker may use. Each limit is one row. The
 * code reads its value here, and docs/operations.md has a table made from the rows (`make docs`).
 */

/**
 * @typedef {{perSecond: number, burst: number}} Rate for a TokenBucket
 *
 * @typedef {object} Limit
 * @property {string} bounds what the limit bounds
 * @property {number | Rate} value in `unit`; the default where an option can change it
 * @property {string} unit
 * @property {string} option the option that changes the limit; empty when none does
 * @property {string} told what the client notices when it reaches the limit
 */

/** @template {Record<string, Limit>} T @param {T} rows @returns {Readonly<T>} */
const table = (rows) => Object.freeze(rows);

export const LIMITS = table({
  // Connections
  clients: {
    bounds: 'Websockets at the same time',
    value: 256,
    unit: 'connections',
    option: '--max-clients',
    told: 'status 503',
  },
  clientsPerAddress: {
    bounds: 'Websockets of one address',
    value: 64,
    unit: 'connections',
    option: '--max-clients-per-address',
    told: 'status 429',
  },
  // Websocket messages
  messageBytes: {
    bounds: 'One websocket message',
    value: 4096,
    unit: 'bytes',
    option: '',
    told: 'close code 1009',
  },
  texts: {
    bounds: 'JSON messages of a connection',
    value: { perSecond: 10, burst: 30 },
    unit: 'messages',
    option: '',
    told: 'nothing: the message is dropped',
  },
  inputs: {
    bounds: 'Inputs of a pad',
    value: { perSecond: 130, burst: 60 },
    unit: 'messages',
    option: '',
    told: 'nothing: the newest input is used',
  },
  dropped: {
    bounds: 'Dropped messages of a connection before it is closed',
    value: { perSecond: 20, burst: 400 },
    unit: 'messages',
    option: '',
    told: 'close code 1008',
  },
});

/** @param {number} number */
const format = (number) =>
  Number.isInteger(number)
    ? number.toLocaleString('en-US')
    : `1 in ${Math.round(1 / number).toLocaleString('en-US')}`;

/**
 * Formats the limits as a Markdown table.
 * @returns {string}
 */
export function limitsMarkdown() {
  const rows = Object.values(LIMITS).map((/** @type {Limit} */ limit) => {
    const { bounds, value, unit, option, told } = limit;
    const amount =
      typeof value === 'number'
        ? `${format(value)} ${unit}`
        : value.perSecond < 1
          ? `${format(value.burst)} at once, then ${format(value.perSecond)} s`
          : `${format(value.perSecond)} ${unit} a second, ${format(value.burst)} at once`;
    return `| ${bounds} | ${amount} | ${option && `\`${option}\``} | ${told} |`;
  });
  return [
    '| Limit | Default | Option | At the limit, the client gets |',
    '| --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}
