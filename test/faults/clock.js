/** Reads the monotonic clock, which is the same in every process. @returns {number} ms */
export const now = () => Number(process.hrtime.bigint()) / 1e6;
