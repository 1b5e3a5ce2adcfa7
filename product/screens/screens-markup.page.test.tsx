import { setDetails } from '#product/broadcast/contract.ts';
import type { BrowseDataView } from '#product/browse/contract.ts';
import { Grid } from '#product/browse/web/listing/grid.tsx';
import { follow, hidePerformer } from '#product/messaging/contract.ts';
import { servesDocuments } from '#product/testkit/pages/documents.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { useEffect } from 'react';
import { hydrateRoot, type Root } from 'react-dom/client';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openState } from './web/document/page-context.ts';
import type { PageState } from './web/document/page-state.ts';
import { Providers } from './web/providers.tsx';

let site: TestSite;
let performers: readonly Member[];
let one: Member;
beforeAll(async () => {
  site = await createSite();
  await servesDocuments(site);
  one = await site.performer({ live: true });
  performers = [one];
  for (let at = 0; at < 7; at += 1) performers = [...performers, await site.performer({ live: true })];
  // Characters that markup escapes.
  await one.call(setDetails, { title: 'Tea & <b>cake</b> "now"', tags: ['tea'] });
  await site.settle();
});
afterAll(() => site.close());

const documentOf = async (visitor: Visitor, url: string): Promise<string> => {
  const { statusCode, body } = await visitor.request({ method: 'GET', url });
  expect(statusCode, site.log.join('\n')).toBe(200);
  return body;
};
const stateOf = (html: string): PageState =>
  JSON.parse(/id="page-state"[^>]*>([^<]*)</u.exec(html)?.[1] ?? '') as PageState;
const listingOf = (state: PageState): BrowseDataView =>
  state.answers.find(({ key: [name] }) => name === 'browse.browseLive')?.data as BrowseDataView;
/** The list of tiles as the server sent it. */
const tilesOf = (html: string): string => /<ul aria-busy.*?<\/ul>/su.exec(html)?.[0] ?? '';
const namesIn = (html: string): string[] =>
  [...tilesOf(html).matchAll(/<a [^>]*data-tile=""[^>]*>/gu)]
    .map(([link]) => /href="\/([^"]+)"/u.exec(link)?.[1] ?? '').toSorted();

/** Reports when the browser has hydrated the markup. */
function Ready({ onReady }: { readonly onReady: () => void }) {
  useEffect(() => onReady(), [onReady]);
  return null;
}

test('tiles of a member\'s document hydrate without a difference, and work', async () => {
  const viewer = await site.viewer();
  // The second document reuses the tiles of the first.
  await documentOf(await site.viewer(), '/girls');
  const html = await documentOf(viewer, '/girls');
  const state = stateOf(html);
  expect(namesIn(html)).toEqual(performers.map(({ username }) => username).toSorted());
  const page = await openPage(site, viewer, '/privacy');
  const host = document.body.appendChild(document.createElement('div'));
  host.innerHTML = tilesOf(html);
  const served = host.querySelectorAll('article');
  const ready: boolean[] = [];
  const isReady = () => void ready.push(true);
  const differences: unknown[] = [];
  const router = createMemoryRouter(
    [{
      path: '*',
      element: (
        <>
          <Grid entries={listingOf(state).userList} eager />
          <Ready onReady={isReady} />
        </>
      ),
    }],
    { initialEntries: ['/girls'] },
  );
  const root: Root = hydrateRoot(
    host,
    (
      <Providers
        frame={{ nonce: undefined, theme: null, script: '', state: () => '' }}
        {...openState(state)}
        apiBase={state.apiBase}
      >
        <RouterProvider router={router} />
      </Providers>
    ),
    { onRecoverableError: (error) => differences.push(error) },
  );
  onTestFinished(() => root.unmount());
  await page.until(() => expect(ready).toEqual([true]));
  expect(differences).toEqual([]);
  // The server's elements are the ones in use.
  expect([...host.querySelectorAll('article')].every((tile, at) => tile === served[at])).toBe(true);
  const [first, second] = host.querySelectorAll<HTMLElement>('[data-tile]');
  expect([first, second].map((tile) => tile?.getAttribute('tabindex'))).toEqual([null, '-1']);
  first?.focus();
  await page.keys('{ArrowRight}');
  expect(page.focused).toBe(second);
  await page.until(() =>
    expect([first, second].map((tile) => tile?.getAttribute('tabindex'))).toEqual(['-1', null])
  );
});

test('a tile is given again only as what it was made of: topic, language and rank', async () => {
  const [first, second] = [await site.viewer(), await site.viewer({ language: 'de' })];
  const tileIn = (html: string): string =>
    new RegExp(`<article(?:(?!</article>).)*href="/${one.username}".*?</article>`, 'su')
      .exec(html)?.[0] ?? '';
  const english = tileIn(await documentOf(first, '/girls'));
  const german = tileIn(await documentOf(second, '/girls'));
  expect(english).toContain('Tea &amp; &lt;b&gt;cake&lt;/b&gt; &quot;now&quot;');
  expect(english).toContain(`More about ${one.username}`);
  expect(german).toContain(`Mehr zu ${one.username}`);
  expect(tileIn(await documentOf(first, '/top'))).toContain('#');
  expect(tileIn(await documentOf(first, '/girls'))).not.toContain('>#1<');
  await one.call(setDetails, { title: 'Coffee', tags: [] });
  await site.settle();
  expect(tileIn(await documentOf(first, '/girls'))).toContain('Coffee');
});

test('nobody gets what is another\'s own: whom they hide and follow', async () => {
  const [hiding, other] = [await site.viewer(), await site.viewer()];
  const everybody = performers.map(({ username }) => username).toSorted();
  expect(namesIn(await documentOf(hiding, '/girls'))).toEqual(everybody);
  await hiding.call(hidePerformer, { username: one.username });
  await site.settle();
  expect(namesIn(await documentOf(hiding, '/girls')))
    .toEqual(everybody.filter((name) => name !== one.username));
  expect(await documentOf(hiding, '/')).not.toContain(`href="/${one.username}"`);
  expect(namesIn(await documentOf(other, '/girls'))).toEqual(everybody);
  await other.call(follow, { username: performers[1]?.username ?? '' });
  await site.settle();
  const shown = async (visitor: Visitor, url: string): Promise<string> =>
    (await documentOf(visitor, url)).replaceAll(/<script.*?<\/script>/gsu, '');
  expect(await shown(other, '/for-you')).toContain('You follow this performer');
  expect(await shown(hiding, '/for-you')).not.toContain('You follow');
  expect(await shown(await site.viewer(), '/')).not.toContain('You follow');
});
