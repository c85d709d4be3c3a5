export * from '../../bench/harness/polling.js';
