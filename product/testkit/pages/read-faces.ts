import type { ClientCall } from '#platform/contract/call.ts';
import { expect } from 'vitest';
import type { TestSite } from '../site.ts';
import type { Visitor } from '../visitor.ts';
import { readsOf } from './derived-reads.ts';
import { openPage } from './open-page.tsx';
import type { PageNetwork } from './window/page-network.ts';

type Page = Awaited<ReturnType<typeof openPage>>;

/** Who reaches a read, and how. */
interface Way {
  readonly visitor: Visitor;
  /** Address of the page; what it shows reads by itself, or after `leads`. */
  readonly at: string;
  /** What the person does there before the read fails, and again after. */
  readonly first?: (page: Page) => Promise<void>;
  readonly leads?: (page: Page) => Promise<void>;
  /** Address they come from; that page reads none of it. */
  readonly from?: string;
  /** CSS pixels of the window. */
  readonly width?: number;
  /** They arrive by an address, which loads another document. */
  readonly byDocument?: boolean;
  /** The call's requests to fail; another part of the page makes others. */
  readonly asked?: RegExp;
  /** What the page prints besides failed requests. */
  readonly mayPrint?: RegExp;
}

/** One read of a page, and how a person reaches it. */
export interface ReadCase {
  /** Files below `web` that read the call: a page whose loader reads it, and a part that shows it. */
  readonly in: readonly string[];
  readonly call: ClientCall;
  /** Name in the page's code, if the contract's name differs. */
  readonly named?: string;
  readonly way: (site: TestSite) => Promise<Way>;
  /** A part that is empty for many people: no placeholder, and only the page's bar shows it loading. */
  readonly isSmall?: boolean;
}

/** A read that shows nothing of its own, with the reason; its users work without it. */
export interface QuietRead {
  readonly in: readonly string[];
  readonly call: ClientCall;
  readonly named?: string;
  readonly because: string;
}

const callName = ({ call, named }: Pick<ReadCase, 'call' | 'named'>): string =>
  named ?? call.name.slice(call.name.indexOf('.') + 1);

/** Names of the reads of cases and quiet reads, as {@link readsOf} names them. */
const namesOf = (
  cases: readonly (ReadCase | QuietRead)[],
): readonly string[] => [
  ...new Set(cases.flatMap((item) => item.in.map((file) => `${file} ${callName(item)}`))),
];

/** Cases with their names in test titles. */
export const titled = (cases: readonly ReadCase[]): readonly (readonly [string, ReadCase])[] =>
  cases.map((item) => [`${callName(item)} of ${item.in.join(' and ')}`, item]);

/** Fails if a read of the slice's pages has no case, or a case has no read. */
export function expectAllReads(slice: string, cases: readonly ReadCase[], quiet: readonly QuietRead[] = []) {
  expect(namesOf([...cases, ...quiet]).toSorted()).toEqual(readsOf(slice));
}

/** Addresses of a call, with any input. */
const pathOf = ({ path }: ClientCall): RegExp =>
  new RegExp(`${path.replaceAll(/:\w+/gu, '[^/?]+').replace('*', '[^?]*')}(?:[?\\s]|$)`, 'u');

const PLAYER = '[data-phase]';
/** Retry buttons of a part, of a whole page, and of its player. */
const RETRY = /^(?:Try again|Reload page|Load again)$/u;

const LOADING = '[aria-busy="true"], .skeleton, [role="status"][aria-label^="Loading"]';
const BAR = '[role="progressbar"][aria-label="Loading"]';

const shownOf = (page: Page, selector: string): Element[] =>
  [...document.querySelectorAll(selector)]
    // A skeleton is decoration, so its container counts.
    .filter((part) => page.isShown(part.matches('.skeleton') ? part.parentElement ?? part : part));
/** Signs of loading: placeholders of parts, and the bar of the page. */
const loadingParts = (page: Page): Element[] => [...shownOf(page, LOADING), ...shownOf(page, BAR)];
/** Without the player's, which retries its stream. */
const retries = (page: Page): HTMLElement[] =>
  page.all('button', RETRY).filter((button) => !button.closest(PLAYER));

/**
 * Reaches a read that is held back, then fails, then is retried: the page shows that it loads, what went
 * wrong with a way to try again, and the answer.
 */
export async function showsFaces(site: TestSite, one: ReadCase): Promise<void> {
  const { page, path, isDocument, release, mends } = await comesTo(site, one);
  const isSent = (): boolean =>
    page.network.sent.some((sent) => sent.startsWith(`${one.call.method} `) && path.test(sent));
  await page.until(isSent);
  await page.until(() => {
    if (!page.network.isQuiet) throw new Error('more than the read is on its way');
    // The browser itself shows that a document is loading.
    if (isDocument && document.body.childElementCount === 0) return;
    const parts = one.isSmall || page.isNavigating ? loadingParts(page) : shownOf(page, LOADING);
    if (parts.length === 0) throw new Error('nothing shows that it loads');
  });
  // A player without video, for example, loads and has a retry button of its own.
  const [others, loading] = [retries(page), loadingParts(page)];
  release();
  const ways = (): readonly HTMLElement[] => retries(page).filter((way) => !others.includes(way));
  await page.until(() => {
    if (ways().length === 0) throw new Error('nothing shows that it failed');
  });
  await page.idle();
  if (ways().length === 0) throw new Error('the failure went away by itself');
  await page.until(() => loadingParts(page).length < Math.max(1, loading.length));
  // The error must not read again by appearing, which would fail and appear again. A join reads once.
  await page.until(() => page.network.hasJoinedAll);
  await page.idle();
  const { length } = page.network.sent;
  await page.idle();
  expect(page.network.sent.slice(length).filter((sent) => path.test(sent))).toEqual([]);
  const [retry] = ways();
  if (!retry) throw new Error('the failure went away by itself');
  expect(said(page, retry)).not.toBe('');
  mends();
  page.network.forgets();
  await page.click(retry);
  await page.until(() => {
    if (ways().length > 0) throw new Error('it is not there yet');
  });
  await page.idle();
  expect(ways()).toEqual([]);
  await page.until(() => loadingParts(page).length < Math.max(1, loading.length));
  expect(isSent()).toBe(true);
}

/** The page of a person who reached a read that is held back and then fails. */
interface Broken {
  readonly page: Page;
  /** Addresses of the call. */
  readonly path: RegExp;
  readonly isDocument: boolean;
  /** Lets the read fail. */
  readonly release: () => void;
  readonly mends: () => void;
}

async function comesTo(site: TestSite, { call, way }: ReadCase): Promise<Broken> {
  const { visitor, at, first, leads, width, ...how } = await way(site);
  const { from = '/legal', mayPrint, byDocument = false, asked: path = pathOf(call) } = how;
  let ends: readonly (() => void)[] = [];
  const breaks = (network: PageNetwork): void => {
    ends = [network.holds(path), network.fails(path)];
    network.forgets();
  };
  let isNext = false;
  const page = await openPage(site, visitor, from, {
    mayPrint: new RegExp(`Failed to fetch${mayPrint ? `|${mayPrint.source}` : ''}`, 'u'),
    ...(width === undefined ? {} : { width }),
    onNetwork: (network) => {
      if (isNext) breaks(network);
      isNext = false;
    },
  });
  if (first) {
    page.follows(at);
    await first(page);
    await page.idle();
  }
  if (byDocument) isNext = true;
  else breaks(page.network);
  if (byDocument) void page.goto(at);
  else if (!first) page.follows(at);
  await leads?.(page);
  return { page, path, isDocument: byDocument, release: () => ends[0]?.(), mends: () => ends[1]?.() };
}

/** The message beside the retry button: in an alert, or on a page that consists of it. */
function said(page: Page, retry: HTMLElement): string {
  const alerts = page.all('alert').map(({ textContent }) => textContent.trim()).filter((text) => text !== '');
  if (alerts.length > 0) return alerts.join(' ');
  return page.all('heading', undefined, { level: 1, in: retry.closest('main') ?? undefined })
    .map(({ textContent }) => textContent).join(' ');
}

const as =
  (who: 'viewer' | 'performer' | 'admin') =>
  (at: string, rest: Partial<Way> = {}) =>
  async (site: TestSite): Promise<Way> => ({ visitor: await site[who](), at, ...rest });

export const viewerAt = as('viewer');
export const performerAt = as('performer');
export const adminAt = as('admin');
/** Somebody who is not logged in. */
export const guestAt = (at: string, rest: Partial<Way> = {}) => async (site: TestSite): Promise<Way> => ({
  visitor: await site.visitor({ ofAge: true }),
  at,
  ...rest,
});
/** A viewer in the room of a live performer. */
export const inRoom =
  (leads?: Way['leads'], rest: Partial<Way> = {}) => async (site: TestSite): Promise<Way> => {
    const { username } = await site.performer({ live: true });
    const visitor = await site.viewer({ tokens: 1_000 });
    return { visitor, at: `/${username}`, ...(leads ? { leads } : {}), ...rest };
  };
