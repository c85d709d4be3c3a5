/** A module that takes some time to load. */
await new Promise((resolve) => setTimeout(resolve, 400));

/** @param {any} task */
export default function echo(task) {
  return task;
}
