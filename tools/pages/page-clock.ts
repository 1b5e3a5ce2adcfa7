import type { Plugin } from 'vite';

/** Code that runs in pages. */
const OF_PAGES = /\/(?:product\/[^/]+\/web|platform\/ui)\/[^?]*\.tsx?$/u;
/** The sockets of pages: what they wait for comes over loopback, in real time. */
const OF_SOCKETS = /\/platform\/realtime\/browser\.ts$/u;

/**
 * Each module reads the clock of the page that is open when it asks, not of the one that loaded it; documents
 * are rendered while none is open, on the process's.
 */
const READS = 'const setTimeout = (...given) => (globalThis.pageClock ?? globalThis).setTimeout(...given);'
  + 'const clearTimeout = (id) => (globalThis.pageClock ?? globalThis).clearTimeout(id);'
  + 'const setInterval = (...given) => (globalThis.pageClock ?? globalThis).setInterval(...given);'
  + 'const clearInterval = (id) => (globalThis.pageClock ?? globalThis).clearInterval(id);'
  + 'const performance = { now: () => (globalThis.pageClock?.performance ?? globalThis.performance).now() };'
  + 'const Date = new Proxy(globalThis.Date, {'
  + ' get: (date, name) => Reflect.get(globalThis.pageClock?.Date ?? date, name),'
  + ' construct: (date, given) => Reflect.construct(globalThis.pageClock?.Date ?? date, given) });';

/** The same for sockets, where a page's test asks for it. */
const READS_FOR_SOCKETS = 'const socketClock = () => globalThis.pageClock?.ofSockets ?? globalThis;'
  + 'const setTimeout = (...given) => socketClock().setTimeout(...given);'
  + 'const clearTimeout = (id) => socketClock().clearTimeout(id);'
  + 'const performance = { now: () => socketClock().performance.now() };';

/** Code that a page loads when it needs it, counted so that tests can wait for it. */
const LOADS = /\bimport\((["'][^"']+["'])\)/gu;
const counted = (code: string): string =>
  code.replaceAll(LOADS, 'globalThis.pageLoads.of($1, () => import($1))');

/**
 * In page tests the code of pages runs on the site's virtual clock, while the server and the libraries in the
 * same process keep the real one. On one line, so that places in stacks stay right.
 */
export const pageClock = (): Plugin => ({
  name: 'page clock',
  enforce: 'post',
  transform: (code, id) => {
    if (OF_SOCKETS.test(id)) return { code: READS_FOR_SOCKETS + code, map: null };
    return OF_PAGES.test(id) && !id.includes('.test.') ? { code: READS + counted(code), map: null } : null;
  },
});
