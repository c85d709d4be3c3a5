/** What the receivers of datagrams count, on /metrics; only where there are any. */
import { Counter, Gauge } from './prometheus.js';
import { OUTCOMES } from '../udp/outcomes.js';

export class UdpMetrics {
  /**
   * @param {import('prom-client').Registry} registry
   * @param {import('../udp/pads.js').UdpPads} pads
   */
  constructor(registry, pads) {
    const registers = [registry];
    const counters = () => pads.receiver?.counters() ?? [];
    new Counter({
      name: 'pitv_udp_datagrams_total',
      help: 'What became of datagrams from pads: accepted, or why not',
      labelNames: ['outcome'],
      registers,
      collect() {
        this.reset();
        for (const { outcomes } of counters()) {
          outcomes.forEach((count, i) => this.inc({ outcome: OUTCOMES[i] }, count));
        }
      },
    });
    new Counter({
      name: 'pitv_udp_overflows_total',
      help: 'Datagrams that came while there was no room for them',
      registers,
      collect() {
        this.reset();
        for (const { overflows } of counters()) this.inc(overflows);
      },
    });
    new Gauge({
      name: 'pitv_udp_receivers',
      help: 'Threads that receive datagrams',
      labelNames: ['backend'],
      registers,
      collect() {
        const { receiver } = pads;
        if (receiver) this.set({ backend: 'addon' }, receiver.count);
      },
    });
    new Gauge({
      name: 'pitv_udp_pads',
      help: 'Pads that have a key for datagrams',
      registers,
      collect() {
        this.set(pads.count);
      },
    });
  }
}
