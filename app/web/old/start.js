/**
 * Runs after the module of a page. If the browser could not run the module, this script loads the version for old
 * browsers, which `make pages` makes of the same modules, or opens the page /too-old. Only ES3 may be used here.
 */
(function () {
  var root = document.documentElement;
  if (root.hasAttribute('data-modern')) return;

  function openTooOld() {
    location.replace('/too-old');
  }
  // What the version for old browsers uses and does not replace: Chromium 68, Firefox 69, Safari 13.1 have it all.
  if (
    !window.WebSocket ||
    !window.PointerEvent ||
    !window.ResizeObserver ||
    !window.Promise.prototype['finally'] ||
    !CSS.supports('--a', '0')
  ) {
    openTooOld();
    return;
  }
  var script = document.createElement('script');
  script.onerror = openTooOld;
  script.src = '/old/' + root.getAttribute('data-page') + '.js';
  document.body.appendChild(script);
})();
