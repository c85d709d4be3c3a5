/** @returns {number} ms of the monotonic clock, the same in every process */
export const now = () => Number(process.hrtime.bigint()) / 1e6;
