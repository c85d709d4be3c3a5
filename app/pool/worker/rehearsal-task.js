/** Returns its task. @template T @param {T} task @returns {T} */
export default function echo(task) {
  return task;
}
