/** A module of a zygote. */
let factor = 0;

/** @param {{factor: number}} args */
export function warm(args) {
  factor = args.factor;
}

/** @param {{of: number}} args @param {import('pitv/zygote').Worker} worker */
export default function run({ of }, worker) {
  worker.send(of * of * factor);
}
