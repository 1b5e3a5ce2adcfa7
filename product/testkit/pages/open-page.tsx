import { makeCache, queryOf } from '#platform/ui/calls/calls.ts';
import { Language, type TextSource } from '#platform/ui/text/language.ts';
import { ServerClock } from '#platform/ui/time/server-clock.ts';
import { getCurrentUser } from '#product/accounts/client.ts';
import { pageCalls, pageContext } from '#product/screens/web/document/page-context.ts';
import { SHELL_TEXTS } from '#product/screens/web/document/page-state.ts';
import { allTexts } from '#product/screens/web/document/texts.server.ts';
import { Providers } from '#product/screens/web/providers.tsx';
import { onlineManager, type QueryClient } from '@tanstack/react-query';
import { createRoot, type Root } from 'react-dom/client';
import { createBrowserRouter, RouterProvider } from 'react-router';
import { onTestFinished } from 'vitest';
import type { TestSite } from '../site.ts';
import type { Visitor } from '../visitor.ts';
import { PageActions } from './look/page-actions.ts';
import { pageRoutes } from './routes.ts';
import { PageFrame, type FrameOptions } from './window/page-frame.ts';
import { pageLoads } from './window/page-loads.ts';
import type { PageNetwork } from './window/page-network.ts';

export interface PageOptions extends FrameOptions {
  /** Locale of the page's texts; English by default. */
  readonly locale?: string;
  /** What the page may print as warnings and errors; anything else fails the test. */
  readonly mayPrint?: RegExp;
  /** Prepares the network of each document before its first request. */
  readonly onNetwork?: (network: PageNetwork) => void;
}

const fetchTexts: TextSource = async (namespace, locale) => allTexts[locale]?.[namespace] ?? {};

/** One document: the router, its root and its window, from its first address until it is left. */
interface Document {
  readonly frame: PageFrame;
  readonly root: Root;
  readonly router: ReturnType<typeof createBrowserRouter>;
  readonly cache: QueryClient;
}

/**
 * A page of the product in a DOM, connected to a site of the testkit: real routes, calls, SQL, sockets and
 * live events, on the site's virtual clock. One is open at a time; opening another leaves the previous one.
 */
class OpenPage extends PageActions {
  readonly visitor: Visitor;
  /** Addresses of other sites that the page navigated to, in order. */
  readonly left: string[] = [];
  readonly #site: TestSite;
  readonly #options: PageOptions;
  #document: Document | null = null;
  /** Counts requested addresses: a later one cancels the loading of earlier ones. */
  #load = 0;

  constructor(site: TestSite, visitor: Visitor, options: PageOptions) {
    super(() => site.settle());
    this.visitor = visitor;
    this.#site = site;
    this.#options = options;
  }

  /** Path and query of the current page. */
  get path(): string {
    const { location } = this.#open.frame.window;
    return location.pathname + location.search;
  }

  /** The network between page and site: to cut it, to hold requests back, to read what was sent. */
  get network(): PageNetwork {
    return this.#open.frame.network;
  }

  /** What the page printed as warnings and errors so far. */
  get complaints(): readonly string[] {
    return this.#open.frame.complaints;
  }

  /** Loads a document, as typing an address does. */
  async goto(path: string): Promise<void> {
    this.leave();
    const load = this.#load;
    const { locale = 'en' } = this.#options;
    // A page that was left while offline cannot notice that its network is back.
    onlineManager.setOnline(true);
    const address = await this.#site.address();
    const frame = new PageFrame({
      ...this.#options,
      visitor: this.visitor,
      address,
      clock: this.#site.clock,
      path,
      onLoad: (url) => this.#loads(url),
    });
    this.#options.onNetwork?.(frame.network);
    const { document } = frame.window;
    document.documentElement.lang = locale;
    delete document.documentElement.dataset['theme'];
    const texts = Object.fromEntries(SHELL_TEXTS.map((name) => [name, allTexts[locale]?.[name] ?? {}]));
    const [cache, language] = [makeCache(), new Language(locale, texts)];
    const { apiBase } = this.#site.http;
    const clock = new ServerClock();
    const call = pageCalls(apiBase, language, clock);
    await cache.prefetchQuery(queryOf(call, getCurrentUser, {}));
    // Another address was requested meanwhile, or the page was left.
    if (load !== this.#load) return frame.close();
    const context = pageContext({ call, cache, clock, language, source: fetchTexts });
    let made: Document['router'] | null = null;
    const router = made = createBrowserRouter(pageRoutes(() => made?.state.initialized ?? false), {
      getContext: () => context,
      window: frame.window as unknown as Window,
    });
    const root = createRoot(document.body as unknown as HTMLElement);
    this.#document = { frame, root, router, cache };
    const shell = { nonce: undefined, theme: null, script: '', state: () => '' };
    root.render(
      <Providers
        frame={shell}
        cache={cache}
        clock={clock}
        call={call}
        apiBase={apiBase}
        language={language}
        source={fetchTexts}
      >
        <RouterProvider router={router} />
      </Providers>,
    );
    this.startsIn(frame.window);
    await this.#settles(() => load !== this.#load);
  }

  /** Sets the browser's clock this many ms ahead of the site's. */
  setsClock(aheadMs: number): void {
    this.#open.frame.clockAheadMs = aheadMs;
  }

  /** The device sleeps this long, then somebody comes back to the page. Its running time stood still. */
  async sleeps(ms: number): Promise<void> {
    const { frame } = this.#open;
    frame.asleepMs += ms;
    await this.#site.passes(ms);
    frame.window.dispatchEvent(new frame.window.Event('visibilitychange'));
    await this.idle();
  }

  /** Goes to an address of this site as a link does: the document stays. Does not wait. */
  follows(path: string): void {
    void this.#open.router.navigate(path);
  }

  /** Whether the next page is loading. */
  get isNavigating(): boolean {
    return this.#open.router.state.navigation.state !== 'idle';
  }

  /** Waits until the page is neither navigating nor reading. */
  async idle(): Promise<void> {
    await this.#settles(() => false);
  }

  /** Loaded content renders, and may read something, only after another turn, so it checks twice. */
  async #settles(isOver: () => boolean): Promise<void> {
    for (let quiet = 0; quiet < 2; quiet += 1) {
      if (quiet > 0) await this.turn();
      await this.until(() => (isOver() ? undefined : this.#expectIdle()));
    }
  }

  #expectIdle(): void {
    const { router, cache } = this.#open;
    if (router.state.navigation.state !== 'idle' || !router.state.initialized) throw new Error('loading');
    if (cache.isFetching() > 0) throw new Error('reading');
    if (pageLoads().isPending) throw new Error('loading code');
  }

  /** Goes back, as the browser's button does. Throws at the first address: nothing is before it. */
  async back(): Promise<void> {
    const { idx = 0 } = (this.#open.frame.window.history.state ?? {}) as { readonly idx?: number };
    if (idx === 0) throw new Error('nothing is before this address');
    await this.#open.router.navigate(-1);
  }

  /** Leaves the page: its sockets close, its timers end. */
  leave(): void {
    this.#load += 1;
    if (!this.#document) return;
    const { frame, root, router } = this.#document;
    this.#document = null;
    root.unmount();
    router.dispose();
    frame.close();
    const { mayPrint } = this.#options;
    const unexpected = frame.complaints.filter((text) => !mayPrint?.test(text));
    if (unexpected.length > 0) throw new Error(`the page printed:\n${unexpected.join('\n')}`);
    const { unused } = frame.network;
    if (unused.length > 0) throw new Error(`the network of the page did not have to:\n${unused.join('\n')}`);
  }

  get #open(): Document {
    if (!this.#document) throw new Error('the page was left');
    return this.#document;
  }

  /** Loads a whole document, of this site or of another. */
  #loads(url: string): void {
    const { origin, pathname, search, hash } = new URL(url);
    if (origin !== `http://${this.#options.host ?? 'localhost'}`) {
      this.left.push(url);
      return;
    }
    const load = this.#load;
    // As in a browser, the calling script finishes first: it may be a React effect.
    queueMicrotask(() => {
      if (load === this.#load) void this.goto(pathname + search + hash);
    });
  }
}

/** Holds the page that is open in this worker. */
interface Worker {
  openPage?: OpenPage | null;
}

/**
 * Opens a page of a site as `visitor`; it is left when the test ends. The test fails if the page printed a
 * warning or an error.
 */
export async function openPage(
  site: TestSite,
  visitor: Visitor,
  path: string,
  options: PageOptions = {},
): Promise<OpenPage> {
  const worker = globalThis as Worker;
  worker.openPage?.leave();
  const page = new OpenPage(site, visitor, options);
  worker.openPage = page;
  onTestFinished(() => page.leave());
  await page.goto(path);
  return page;
}

/** Opens a room's page and waits until its socket has joined, so that messages can be sent. */
export async function openRoom(
  site: TestSite,
  visitor: Visitor,
  { username }: { readonly username: string },
  options: PageOptions = {},
): Promise<OpenPage> {
  const page = await openPage(site, visitor, `/${username}`, options);
  await page.until(() => {
    if (!page.network.hasJoined(username)) throw new Error('the room was not joined');
  });
  // After joining, a page reads the room once more.
  await page.idle();
  return page;
}
