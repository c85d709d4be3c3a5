/** A module that never finishes loading: it spins, or waits if told so. */
if (new URL(import.meta.url).searchParams.has('wait')) {
  setInterval(() => {}, 1000);
  await new Promise(() => {});
}
for (;;);
