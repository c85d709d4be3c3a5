/**
 * What structured clones and errors need: half of the code of the transport. A worker loads it with the first value
 * that is no number and no view of bytes, since modules take most of the time of its start.
 */
export { CloneReader } from './transport/clone-reader.js';
export { CloneWriter } from './transport/clone-writer.js';
export { describeThrown, isError } from './thrown-errors.js';
