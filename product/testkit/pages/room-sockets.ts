import { expect } from 'vitest';
import type { TestSite } from '../site.ts';
import type { Visitor } from '../visitor.ts';
import { openRoom, type openPage } from './open-page.tsx';

export const LOBBY = '/ws/lobby';
type Page = Awaited<ReturnType<typeof openPage>>;

/** Payloads of an event that a page sent or received on the sockets of a path, in plain frames. */
export const payloads = (page: Page, from: 'page' | 'site', path: string, name: string): unknown[] =>
  page.network.texts.filter((text) => text.from === from && text.path === path)
    .map(({ text }) => JSON.parse(text) as [unknown, unknown])
    .filter(([sent]) => sent === name).map(([, payload]) => payload);

/** Messages of an event as the page received them, packed or not, in order. */
export function received(page: Page, event: string): readonly string[] {
  const messages = page.network.texts.filter(({ from }) => from === 'site')
    .map(({ text }) => JSON.parse(text) as [string | number, unknown]);
  const ids: readonly (string | number)[] = messages
    .flatMap(([name, payload]) => (name === 'v3.events'
      ? (payload as { events: { id: number; name: string }[] }).events
      : [])
    )
    .filter(({ name }) => name === event).map(({ id }) => id);
  return messages.filter(([name]) => name === event || ids.includes(name))
    .map((message) => JSON.stringify(message));
}

/** Longer than a page ever waits for its room. */
const LONGEST_WAIT_MS = 5_000;

/** A page in a live room, with the traffic of its two sockets. */
export interface InRoom {
  readonly page: Page;
  /** Path of the room's socket. */
  readonly room: string;
  readonly username: string;
  readonly sent: (path: string, name: string) => unknown[];
  readonly received: (path: string, name: string) => unknown[];
  /** How often the page requested the room from its lobby. */
  readonly joins: () => number;
  /** How many sockets the page opened at a path. */
  readonly opened: (path: string) => number;
  /** How many sockets are open now, at the lobby and at the room. */
  readonly open: () => number[];
  /** Waits until no socket of a path is left. */
  readonly lost: (path: string) => Promise<void>;
  /** Waits until a path was authorized this many times. */
  readonly joined: (path: string, times: number) => Promise<void>;
  /** Advances time by milliseconds until the page requests its room again; returns how many that took. */
  readonly waits: () => number;
}

/** Opens a live room, on a page whose sockets use the site's clock. */
export async function inRoom(
  site: TestSite,
  visitor?: Visitor,
  performer?: { readonly username: string },
): Promise<InRoom> {
  const { username } = performer ?? await site.performer({ live: true });
  const page = await openRoom(site, visitor ?? await site.viewer(), { username }, {
    socketsByClock: true,
    mayPrint: /^socket noPong/u,
  });
  const room = `/ws/room/${username}`;
  const sent = (path: string, name: string): unknown[] => payloads(page, 'page', path, name);
  const received = (path: string, name: string): unknown[] => payloads(page, 'site', path, name);
  const joins = (): number => sent(LOBBY, 'v3.lobby.discover').length;
  return {
    page,
    room,
    username,
    sent,
    received,
    joins,
    opened: (path) => page.network.opened.filter((text) => text === path).length,
    open: () => [LOBBY, room].map((path) => page.network.openAt(path)),
    lost: (path) => page.until(() => expect([path, page.network.openAt(path)]).toEqual([path, 0])),
    joined: (path, times) =>
      page.until(() => expect(received(path, 'v3.authorize.success')).toHaveLength(times)),
    waits: () => {
      const before = joins();
      for (let waited = 1; waited <= LONGEST_WAIT_MS; waited += 1) {
        site.clock.advance(1);
        if (joins() > before) return waited;
      }
      throw new Error('the page asked for its room no more');
    },
  };
}
