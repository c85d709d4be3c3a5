/** A module that never finishes loading: it loops, or with `?wait` awaits forever. */
if (new URL(import.meta.url).searchParams.has('wait')) {
  setInterval(() => {}, 1000);
  await new Promise(() => {});
}
for (;;);
