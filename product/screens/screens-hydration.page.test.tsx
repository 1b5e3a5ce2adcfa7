import { API_BASE } from '#platform/contract/client.ts';
import { changeCached, makeCache, restore, snapshotOf, useRead } from '#platform/ui/calls/calls.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { Language } from '#platform/ui/text/language.ts';
import { ServerClock } from '#platform/ui/time/server-clock.ts';
import { getBalance, getHistory } from '#product/ledger/client.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { lazy, Suspense, type ComponentType } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { pageCalls } from './web/document/page-context.ts';
import { Providers } from './web/providers.tsx';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type Cache = ReturnType<typeof makeCache>;

/** A part of a page that reads one call, another that no document carries, and a list page by page. */
function Part() {
  const balance = useRead(getBalance, {}, { enabled: false });
  const late = useRead(getHistory, {}, { enabled: false });
  const pages = useReadPages(getHistory, {}, { enabled: false });
  return (
    <p id="part">
      {balance.data?.tokens ?? 'none'} {late.isPending ? 'pending' : 'read'} {pages.data?.pages.length ?? 0}
    </p>
  );
}

/** The part, with a marker that shows when its surroundings are hydrated. */
const around = (cache: Cache, part: ComponentType) => {
  const [language, clock, Own] = [new Language('en', {}), new ServerClock(), part];
  return (
    <Providers
      frame={{ nonce: undefined, theme: null, script: '', state: () => '' }}
      cache={cache}
      clock={clock}
      call={pageCalls(API_BASE, language, clock)}
      apiBase={API_BASE}
      language={language}
    >
      <div>
        <Suspense fallback={<i>waits</i>}>
          <Own />
        </Suspense>
      </div>
    </Providers>
  );
};

/** A document with a balance of 100, as the server made it, and the cache its page begins with. */
function served(): { readonly host: HTMLElement; readonly cache: Cache } {
  const ofServer = makeCache();
  ofServer.setQueryData([getBalance.name, {}], { tokens: 100 });
  ofServer.setQueryData([getHistory.name, {}, 'pages'], { pages: [{}], pageParams: [null] });
  const host = document.body.appendChild(document.createElement('div'));
  host.innerHTML = renderToString(around(ofServer, Part));
  const cache = makeCache();
  restore(cache, snapshotOf(ofServer), (at) => at);
  return { host, cache };
}

test('a part that is hydrated late is what the document said, and then what came meanwhile', async () => {
  const page = await openPage(site, await site.viewer(), '/privacy');
  const { host, cache } = served();
  const own = host.querySelector('#part');
  expect(own?.textContent).toBe('100 pending 1');
  const loads: ((loaded: { default: ComponentType }) => void)[] = [];
  const Late = lazy(() =>
    new Promise<{ default: ComponentType }>((resolve) => {
      loads.push(resolve);
    })
  );
  const differences: unknown[] = [];
  const root = hydrateRoot(host, around(cache, Late), {
    onRecoverableError: (error) => differences.push(error),
  });
  onTestFinished(() => {
    root.unmount();
    host.remove();
  });
  // The browser has hydrated the surroundings of the part, and waits for its code.
  await page.until(() => expect(loads).toHaveLength(1));
  // Events change the cache before the part is there.
  changeCached(cache, getBalance, {}, (balance) => ({ ...balance, tokens: 7 }));
  cache.setQueryData([getHistory.name, {}], { lines: [], next: null });
  cache.setQueryData([getHistory.name, {}, 'pages'], { pages: [{}, {}], pageParams: [null, 1] });
  expect(host.querySelector('#part')?.textContent).toBe('100 pending 1');
  loads[0]?.({ default: Part });
  await page.until(() => expect(host.querySelector('#part')?.textContent).toBe('7 read 2'));
  expect(differences).toEqual([]);
  // The server's element is the one in use: nothing was rendered again.
  expect(host.querySelector('#part')).toBe(own);
  changeCached(cache, getBalance, {}, (balance) => ({ ...balance, tokens: 6 }));
  await page.until(() => expect(host.querySelector('#part')?.textContent).toBe('6 read 2'));
});

test('a part that is mounted later has nothing of the document', async () => {
  const page = await openPage(site, await site.viewer(), '/privacy');
  const { host, cache } = served();
  const root = hydrateRoot(host, around(cache, Part));
  onTestFinished(() => {
    root.unmount();
    host.remove();
  });
  await page.idle();
  changeCached(cache, getBalance, {}, (balance) => ({ ...balance, tokens: 5 }));
  await page.until(() => expect(host.querySelector('#part')?.textContent).toBe('5 pending 1'));
  const seen: string[] = [];
  function Other() {
    const { data } = useRead(getBalance, {}, { enabled: false });
    seen.push(String(data?.tokens));
    return null;
  }
  root.render(around(cache, Other));
  await page.until(() => expect(seen.length).toBeGreaterThan(0));
  expect(new Set(seen)).toEqual(new Set(['5']));
});
