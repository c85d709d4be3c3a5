/** A module whose warm() fails. */
export function warm() {
  throw new TypeError('cold');
}
export default () => 'done';
