import type { VirtualClock } from '#platform/data/clock.ts';
import type { Visitor } from '../../visitor.ts';
import { bindPageClock } from './page-clock.ts';
import { PageNetwork } from './page-network.ts';
import { installWindow, type PageWindow } from './window.ts';

/** The window's size, and browser features that a DOM lacks. */
export interface FrameOptions {
  /** CSS pixels; a desktop's by default. */
  readonly width?: number;
  /** A touch device: no hover, and a coarse pointer. */
  readonly isTouch?: boolean;
  /** Host name in the address; `localhost` by default. */
  readonly host?: string;
  /** Whether the page's sockets use the site's clock for pings, retries and reports, not real time. */
  readonly socketsByClock?: boolean;
  /** How far the browser's clock is ahead of the site's, in ms; 0 by default. */
  readonly clockAheadMs?: number;
  /** Whether the browser has an event for changed cookies; true by default. */
  readonly cookieEvents?: boolean;
}

const DESKTOP = 1280;
const HEIGHT = 800;
/** Narrower windows belong to phones, whose browsers say so. */
const PHONE_PX = 640;
const PHONE_AGENT = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile/15E148 Safari/604.1';

/** The only window of this worker, bound to a visitor of a site: cookies, requests, sockets, clock. */
export class PageFrame {
  readonly window: PageWindow;
  readonly network: PageNetwork;
  /** How far the browser's clock is ahead of the site's, in ms; a person may set it. */
  clockAheadMs: number;
  /** How long the device has slept, in ms. */
  asleepMs = 0;
  /** What the page printed as warnings and errors. */
  readonly complaints: string[] = [];
  readonly #undo: (() => void)[] = [];

  constructor({
    visitor,
    address,
    clock,
    path,
    onLoad,
    width = DESKTOP,
    host = 'localhost',
    socketsByClock = false,
    cookieEvents = true,
    clockAheadMs = 0,
    isTouch = false,
  }: FrameOptions & {
    readonly visitor: Visitor;
    readonly address: string;
    readonly clock: VirtualClock;
    readonly path: string;
    /** A script of the page loads a whole document. */
    readonly onLoad: (url: string) => void;
  }) {
    this.window = installWindow();
    const { window } = this;
    window.happyDOM.setURL(`http://${host}${path}`);
    // The window has history entries of earlier pages: this one starts its own, which the router then counts.
    window.history.replaceState(null, '', path);
    window.happyDOM.setViewport({ width, height: HEIGHT });
    const { navigator } = window.happyDOM.settings;
    const { userAgent: usual, maxTouchPoints: usualPoints } = navigator;
    navigator.maxTouchPoints = isTouch ? 5 : usualPoints;
    if (width < PHONE_PX) navigator.userAgent = PHONE_AGENT;
    this.#undo.push(() => Object.assign(navigator, { userAgent: usual, maxTouchPoints: usualPoints }));
    this.#keepsStorage(visitor.storage);
    this.clockAheadMs = clockAheadMs;
    bindPageClock(clock, {
      ahead: () => this.clockAheadMs,
      asleep: () => this.asleepMs,
      hasSockets: socketsByClock,
    });
    const network = new PageNetwork(visitor, address);
    this.network = network;
    this.#undo.push(() => network.close());
    this.#replace('WebSocket', network.socketClass());
    const native = globalThis.fetch;
    const own = `http://${host}`;
    this.#replace('fetch', (input: RequestInfo | URL, init?: RequestInit) => {
      // An absolute address may be of the page's own site: that of an edge server.
      const path = typeof input === 'string' && input.startsWith(`${own}/`) ? input.slice(own.length) : input;
      return typeof path === 'string' && path.startsWith('/')
        ? network.fetch(path, init)
        : native(input, init);
    });
    this.#replace('URL', PageUrl);
    this.#keepComplaints();
    this.#reportsLoads(onLoad);
    Object.defineProperty(window.document, 'cookie', {
      configurable: true,
      get: () => visitor.readableCookies,
      set: (text: string) => {
        visitor.writesCookie(text);
      },
    });
    const cookieStore = cookieEvents ? window.document.createElement('i') : undefined;
    Object.defineProperty(window, 'cookieStore', { configurable: true, value: cookieStore });
    visitor.onCookies = () => cookieStore?.dispatchEvent(new window.Event('change'));
    this.#undo.push(() => {
      visitor.onCookies = null;
    });
  }

  close(): void {
    for (const undo of this.#undo.toReversed()) undo();
    this.window.document.body.replaceChildren();
    this.window.document.head.replaceChildren();
  }

  /** Pages of one browser share their storage; all pages share the window. */
  #keepsStorage({ local, session }: Visitor['storage']): void {
    const { localStorage, sessionStorage } = this.window;
    for (const [storage, stored] of [[localStorage, local], [sessionStorage, session]] as const) {
      storage.clear();
      for (const [key, value] of stored) storage.setItem(key, value);
      this.#undo.push(() => {
        stored.clear();
        for (let index = 0; index < storage.length; index += 1) {
          const key = storage.key(index) ?? '';
          stored.set(key, storage.getItem(key) ?? '');
        }
      });
    }
  }

  #replace(name: 'WebSocket' | 'fetch' | 'URL', value: unknown): void {
    const before = Reflect.get(globalThis, name) as unknown;
    Reflect.set(globalThis, name, value);
    this.#undo.push(() => void Reflect.set(globalThis, name, before));
  }

  /** Reports every way in which a browser loads a document: scripts, plain links, plain forms. */
  #reportsLoads(onLoad: (url: string) => void): void {
    const { location } = this.window;
    const load = (url: string | URL): void => onLoad(new URL(url, location.href).href);
    const { get: href } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(location), 'href') as {
      get: (this: unknown) => string;
    };
    Object.defineProperties(location, {
      href: { configurable: true, get: () => href.call(location), set: load },
      assign: { configurable: true, value: load },
      replace: { configurable: true, value: load },
      reload: { configurable: true, value: () => load(location.href) },
    });
    const onClick = (event: Event): void => {
      const link = (event.target as Element).closest?.('a[href]');
      if (event.defaultPrevented || !link || link.getAttribute('target') === '_blank') return;
      event.preventDefault();
      const to = link.getAttribute('href') ?? '';
      if (!to.startsWith('#')) load(to);
    };
    const onSubmit = (event: Event): void => {
      if (event.defaultPrevented) return;
      event.preventDefault();
      load((event.target as HTMLFormElement).action);
    };
    addEventListener('click', onClick);
    addEventListener('submit', onSubmit);
    this.#undo.push(() => {
      removeEventListener('click', onClick);
      removeEventListener('submit', onSubmit);
    });
  }

  #keepComplaints(): void {
    for (const level of ['error', 'warn'] as const) {
      // oxlint-disable-next-line no-console -- what a page prints is a complaint of its test
      const before = console[level];
      // oxlint-disable-next-line no-console -- as above
      console[level] = (...given: unknown[]) => void this.complaints.push(given.map(textOf).join(' '));
      // oxlint-disable-next-line no-console -- as above
      this.#undo.push(() => {
        console[level] = before;
      });
    }
  }
}

const textOf = (
  given: unknown,
): string => (given instanceof Error ? given.stack ?? given.message : String(given));

/** A page's object URLs are not Node's: they name files, but lead nowhere. */
class PageUrl extends URL {
  static override createObjectURL(): string {
    return 'blob:http://localhost/a-file-of-the-page';
  }
  static override revokeObjectURL(): void {
    // Nothing was registered.
  }
}
