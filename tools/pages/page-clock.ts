import type { Plugin } from 'vite';

/** Code that runs in pages. */
const OF_PAGES = /\/(?:product\/[^/]+\/web|platform\/ui|platform\/realtime\/browser)(?:\/|\.)[^?]*\.tsx?$/u;

/** Each module reads the clock of the page that is open when it asks, not of the one that loaded it. */
const READS = 'const setTimeout = (...given) => globalThis.pageClock.setTimeout(...given);'
  + 'const clearTimeout = (id) => globalThis.pageClock.clearTimeout(id);'
  + 'const setInterval = (...given) => globalThis.pageClock.setInterval(...given);'
  + 'const clearInterval = (id) => globalThis.pageClock.clearInterval(id);'
  + 'const Date = new Proxy(globalThis.Date, {'
  + ' get: (date, name) => Reflect.get(globalThis.pageClock?.Date ?? date, name),'
  + ' construct: (date, given) => Reflect.construct(globalThis.pageClock?.Date ?? date, given) });';

/**
 * In page tests the code of pages runs on the site's virtual clock, while the server and the libraries in the
 * same process keep the real one. On one line, so that places in stacks stay right.
 */
export const pageClock = (): Plugin => ({
  name: 'page clock',
  enforce: 'post',
  transform: (code, id) => (OF_PAGES.test(id) && !id.includes('.test.')
    ? { code: READS + code, map: null } : null),
});
