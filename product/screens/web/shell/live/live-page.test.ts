import { API_BASE, requestOf, type CallFunction } from '#platform/contract/client.ts';
import { encodeFrame } from '#platform/contract/sockets/frame.ts';
import { AUTHORIZE_FAILURES } from '#platform/contract/sockets/wire.ts';
import { reportSocketFailure } from '#product/site/contract.ts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import de from '../../../messages/de.json';
import en from '../../../messages/en.json';
import es from '../../../messages/es.json';
import fr from '../../../messages/fr.json';
import it_ from '../../../messages/it.json';
import nl from '../../../messages/nl.json';
import { failureText, openLive } from './live-page.ts';

/** The browser around a page: a socket that the test plays, an address bar, one tab's storage, a console. */
class Browser {
  readonly sockets: FakeSocket[] = [];
  readonly calls: [string, unknown][] = [];
  readonly failed: string[] = [];
  readonly warnings: unknown[][] = [];
  reloads = 0;
  ended = 0;
  readonly location = {
    origin: 'https://cam.example',
    host: 'cam.example',
    pathname: '/luna',
    reload: () => {
      this.reloads += 1;
    },
  };

  constructor() {
    const { sockets, location } = this;
    const stored = new Map<string, string>();
    vi.stubGlobal('window', Object.assign(new EventTarget(), { location }));
    vi.stubGlobal('sessionStorage', {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
    });
    vi.stubGlobal(
      'WebSocket',
      class extends FakeSocket {
        constructor() {
          super();
          sockets.push(this);
        }
      },
    );
    vi.spyOn(console, 'warn').mockImplementation((...warning: unknown[]) => void this.warnings.push(warning));
  }

  readonly call = (async (constant: { name: string }, input: unknown) => {
    this.calls.push([constant.name, input]);
    return { node_token: 'token' };
  }) as unknown as CallFunction;

  /** The client of a person's page. `answers` are the users that the server reports, the last for ever. */
  opensAs(person: number, ...answers: readonly (number | null)[]) {
    let asked = 0;
    const call = (async () => {
      const id = answers[Math.min(asked, answers.length - 1)] ?? null;
      asked += 1;
      const user = id === null ? { username: 'guest_1' } : { id, username: 'kim' };
      return { node_token: `token ${id}`, user };
    }) as unknown as CallFunction;
    return openLive({
      call,
      version: 'v1',
      person,
      onSessionEnded: () => {
        this.ended += 1;
      },
      onFailed: (key) => this.failed.push(key),
    });
  }

  /** The client of a guest's page. */
  opens() {
    return openLive({
      call: this.call,
      version: 'v1',
      person: null,
      onSessionEnded: () => undefined,
      onFailed: (key) => this.failed.push(key),
    });
  }

  /** Opens a page's client and joins its lobby. */
  async joins() {
    const live = this.opens();
    await this.socket.joins();
    return live;
  }

  get socket(): FakeSocket {
    return this.sockets.at(-1) as FakeSocket;
  }
}

class FakeSocket {
  static readonly OPEN = 1;
  readonly readyState = 1;
  readonly sent: string[] = [];
  readonly #listeners = new Map<string, (event: object) => void>();
  addEventListener(name: string, listener: (event: object) => void): void {
    this.#listeners.set(name, listener);
  }
  send(text: string): void {
    this.sent.push(text);
  }
  close(): void {
    this.#listeners.clear();
  }
  happens(name: string, event: object = {}): void {
    this.#listeners.get(name)?.(event);
  }
  receives(name: string, payload: unknown): void {
    this.happens('message', { data: encodeFrame(name, payload) });
  }
  async joins(): Promise<void> {
    this.happens('open');
    await vi.advanceTimersByTimeAsync(0);
    this.receives('v3.authorize.success', { success: true, user: null });
  }
}

let browser: Browser;
beforeEach(() => {
  vi.useFakeTimers();
  browser = new Browser();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe('a page and its sockets', () => {
  it('reloads on v3.refresh, and warns of nothing in a normal run [A-381]', async () => {
    await browser.joins();
    browser.socket.receives('v3.lobby.start', {});
    browser.socket.receives('v3.nobody.subscribes', { to: 'this' });
    expect(browser.reloads).toBe(0);
    browser.socket.receives('v3.refresh', {});
    expect([browser.reloads, browser.warnings]).toEqual([1, []]);
  });

  it('reloads once, on the next navigation, when another version is served [A-374]', async () => {
    await browser.joins();
    browser.socket.receives('v3.client.version', { version: 'v2' });
    vi.advanceTimersByTime(60_000);
    expect(browser.reloads).toBe(0);
    browser.location.pathname = '/girls';
    vi.advanceTimersByTime(1_000);
    expect(browser.reloads).toBe(1);
    browser.socket.receives('v3.client.version', { version: 'v2' });
    browser.location.pathname = '/men';
    vi.advanceTimersByTime(1_000);
    expect(browser.reloads).toBe(1);
  });

  it('posts nothing to /log/frontend-ws-fail when its lobby is back before 10 s [A-370]', async () => {
    await browser.joins();
    browser.socket.happens('close', { code: 1006 });
    await vi.advanceTimersByTimeAsync(1_000);
    await browser.socket.joins();
    await vi.advanceTimersByTimeAsync(9_900);
    expect(browser.calls.filter(([name]) => name === 'site.reportSocketFailure')).toEqual([]);
    expect([reportSocketFailure.name, requestOf(reportSocketFailure, { server: 'cam.example' }).path])
      .toEqual(['site.reportSocketFailure', `${API_BASE}/log/frontend-ws-fail`]);
  });

  it('posts once that its lobby has stayed away for 10 s [A-471, C-425]', async () => {
    await browser.joins();
    const posted = () => browser.calls.filter(([name]) => name === 'site.reportSocketFailure');
    browser.socket.happens('close', { code: 1006 });
    for (let at = 0; at < 9; at += 1) {
      await vi.advanceTimersByTimeAsync(1_000);
      browser.socket.happens('close', { code: 1006 });
    }
    await vi.advanceTimersByTimeAsync(999);
    expect(posted()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(posted()).toEqual([['site.reportSocketFailure', { server: 'cam.example' }]]);
    for (let at = 0; at < 60; at += 1) {
      browser.socket.happens('close', { code: 1006 });
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(posted()).toHaveLength(1);
  });

  it.each([
    ['an unknown event id [C-389]', ['[77,["x"],1]'], 'unknownId'],
    ['messages it cannot parse [C-390]', ['no JSON', '{', '', 'null', '[]', '["v3.x"]'], 'malformed'],
  ])('logs %s on the console and goes on', async (_what, messages, fault) => {
    const live = await browser.joins();
    for (const data of messages) browser.socket.happens('message', { data });
    expect(browser.warnings.map((warning) => warning.slice(0, 2)))
      .toEqual(messages.map(() => ['socket', fault]));
    expect(live.lobby.phase()).toBe('joined');
    // The next message is read, and the socket answers.
    browser.socket.receives('v3.ping', {});
    expect(browser.socket.sent.at(-1)).toContain('v3.pong');
    browser.socket.receives('v3.refresh', {});
    expect(browser.reloads).toBe(1);
  });

  it('takes a session as ended only when it stays so: the cookie of another may be on its way', async () => {
    browser.opensAs(7, null, 7);
    browser.socket.happens('open');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(browser.ended).toBe(0);
    expect(browser.socket.sent.at(-1)).toContain('token 7');
    browser.opensAs(7, null);
    browser.socket.happens('open');
    await vi.advanceTimersByTimeAsync(1_999);
    expect(browser.ended).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(browser.ended).toBe(1);
  });

  it('has a text in six languages for each reason why it was not let in', async () => {
    browser.opens();
    for (const code of [...AUTHORIZE_FAILURES, 'something_new']) {
      browser.socket.receives('v3.authorize.failed', { code });
    }
    expect(browser.failed).toEqual(['sockets.token_invalid', 'sockets.too_many_sockets', 'sockets.other']);
    for (const { sockets } of [en, de, es, fr, it_, nl]) {
      const texts = browser.failed.map((key) => sockets[key.replace('sockets.', '') as keyof typeof sockets]);
      expect(new Set(texts.filter((text) => text.length > 20)).size).toBe(3);
    }
    expect(failureText('room_unknown')).toBe('sockets.other');
  });
});
