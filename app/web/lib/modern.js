/**
 * Marks the page as running its modules. A page's main module imports this file, whose static block is the newest
 * syntax in use (Chromium 94, Firefox 93, Safari 16.4). An older browser cannot parse it, so it runs no module of the
 * page, and old/start.js takes over.
 */
export class Modern {
  static {
    document.documentElement.setAttribute('data-modern', '');
  }
}
