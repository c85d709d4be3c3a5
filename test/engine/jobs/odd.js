/** A module without a start(). */
export default { begin() {} };
