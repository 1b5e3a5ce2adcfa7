import { privatePerformer, startsPrivate } from '#product/testkit/shows/private-show.ts';
import { sharecamPerformer, sharecamWish } from '#product/testkit/shows/sharecam.ts';
import { offersTickets } from '#product/testkit/shows/ticket-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  acceptPrivate,
  declinePrivate,
  privateQueue,
  requestPrivate,
  withdrawPrivate,
} from './contract/private-show.ts';
import { saveShowSettings } from './contract/settings.ts';
import {
  acceptSharecam,
  declineSharecam,
  endSharecam,
  requestSharecam,
  sharecamList,
  withdrawSharecam,
} from './contract/sharecam.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** How often the sources of the server call a function, by file. */
function callsOf(name: string): Readonly<Record<string, number>> {
  const root = new URL('server/', import.meta.url).pathname;
  const found: Record<string, number> = {};
  for (const path of readdirSync(root, { encoding: 'utf8', recursive: true }).sort()) {
    if (!path.endsWith('.ts')) continue;
    const calls = readFileSync(root + path, 'utf8').matchAll(new RegExp(`(?<!function )\\b${name}\\(`, 'gu'));
    const count = [...calls].length;
    if (count > 0) found[path] = count;
  }
  return found;
}

interface Waiting {
  readonly performer: Member;
  /** Who asked first, for an exclusive show. */
  readonly gone: Member;
  /** Who asked after them, for a plain one. */
  readonly other: Member;
}

type Ends = (waiting: Waiting) => Promise<unknown>;
const refusesAccepting = async ({ performer, gone }: Waiting): Promise<void> => {
  await performer.refused(acceptPrivate, { username: gone.username });
};

/** Each way in which a request leaves the queue, what does it, and whether the other one still waits. */
const ENDS: readonly (readonly [string, 'waits' | 'gone', Ends])[] = [
  [
    'it was withdrawn',
    'waits',
    ({ performer: { username }, gone }) => gone.call(withdrawPrivate, { username }),
  ],
  [
    'it was declined',
    'waits',
    ({ performer, gone }) => performer.call(declinePrivate, { username: gone.username }),
  ],
  [
    'it was accepted',
    'gone',
    ({ performer, gone }) => performer.call(acceptPrivate, { username: gone.username }),
  ],
  [
    'its viewer was accepted elsewhere',
    'waits',
    async ({ gone }) => startsPrivate(gone, await privatePerformer(site)),
  ],
  ['it expired', 'gone', () => site.passes(120_000)],
  ['its viewer was banned', 'waits', ({ performer, gone }) => performer.moderates('ban', gone)],
  [
    'exclusive shows are off',
    'waits',
    ({ performer }) => performer.call(saveShowSettings, { private: { isExclusiveEnabled: false } }),
  ],
  [
    'private shows are off',
    'gone',
    ({ performer }) => performer.call(saveShowSettings, { private: { isEnabled: false } }),
  ],
  ['a ticket show was offered', 'gone', ({ performer }) => offersTickets(performer)],
  ['its viewer was suspended when it was accepted', 'waits', async (waiting) => {
    await site.tx((tx) =>
      site.services.accounts.suspend(tx, waiting.gone.id, {
        suspended: true,
        actorId: null,
        reason: 'a test',
      })
    );
    await refusesAccepting(waiting);
  }],
  ['its viewer had too few tokens when it was accepted', 'waits', async (waiting) => {
    await waiting.gone.tips(waiting.performer, 60);
    await refusesAccepting(waiting);
  }],
];

describe('a queue that is open in another tab of the performer', () => {
  it.each(ENDS)('is without a request once %s', async (_name, then, ends) => {
    const performer = await privatePerformer(site, {
      isExclusiveEnabled: true,
      exclusivePricePerMinuteInToken: 60,
    });
    const { username } = performer;
    const [gone, other] = [await site.viewer({ tokens: 100 }), await site.viewer({ tokens: 100 })];
    const tab = await site.socketOf(await site.anotherTabOf(performer));
    /** Waits until the tab is sent this queue. */
    const shown = async (...who: readonly Member[]): Promise<readonly string[]> => {
      await site.settle();
      const { requests } = await tab.waitFor(
        privateQueue,
        ({ requests: sent }) =>
          sent.map((item) => item.username).join() === who.map((member) => member.username).join(),
      );
      return requests.map((request) => request.username);
    };
    await gone.call(requestPrivate, { username, price: 60, exclusive: true });
    await shown(gone);
    await other.call(requestPrivate, { username, price: 30 });
    await shown(gone, other);
    await ends({ performer, gone, other });
    const left = then === 'waits' ? [other] : [];
    expect(await shown(...left)).toEqual(left.map((member) => member.username));
  });

  // A new call needs a row above. One of the calls in `requests.ts` is that of the request itself.
  it('is sent by what these rows do, and by nothing else', () => {
    expect(callsOf('sendQueue')).toEqual({
      'private/accepting.ts': 4,
      'private/ending.ts': 1,
      'private/requests.ts': 5,
      'tickets/performing.ts': 1,
    });
  });
});

describe('a list of cameras that is open in another tab of the performer', () => {
  it.each(
    [
      ['it was withdrawn', ({ performer: { username }, gone }) => gone.call(withdrawSharecam, { username })],
      [
        'it was declined',
        ({ performer, gone }) => performer.call(declineSharecam, { username: gone.username }),
      ],
      ['it expired', () => site.passes(120_000)],
    ] satisfies [string, (waiting: Omit<Waiting, 'other'>) => Promise<unknown>][],
  )(
    'is without a request once %s',
    async (_name, ends) => {
      const performer = await sharecamPerformer(site);
      const gone = await site.viewer({ tokens: 100 });
      const tab = await site.socketOf(await site.anotherTabOf(performer));
      await gone.call(requestSharecam, sharecamWish(performer));
      await site.settle();
      await tab.waitFor(sharecamList, ({ requests: [one] }) => one?.username === gone.username);
      await ends({ performer, gone });
      await site.settle();
      expect(await tab.waitFor(sharecamList, ({ requests }) => requests.length === 0))
        .toEqual({ requests: [], running: [] });
    },
  );

  it('has a camera that was accepted, and not one that ended', async () => {
    const performer = await sharecamPerformer(site);
    const viewer = await site.viewer({ tokens: 100 });
    const tab = await site.socketOf(await site.anotherTabOf(performer));
    await viewer.call(requestSharecam, sharecamWish(performer));
    await performer.call(acceptSharecam, { username: viewer.username });
    await site.settle();
    expect(await tab.waitFor(sharecamList, ({ running }) => running.length > 0))
      .toMatchObject({ requests: [], running: [{ username: viewer.username }] });
    await viewer.call(endSharecam, { username: performer.username });
    await site.settle();
    expect(await tab.waitFor(sharecamList, ({ requests, running }) => requests.length + running.length === 0))
      .toEqual({ requests: [], running: [] });
  });

  it('is sent by what these rows do, and by nothing else', () => {
    expect(callsOf('sendSharecams')).toEqual({
      'sharecam/accepting.ts': 1,
      'sharecam/metered-camera.ts': 1,
      'sharecam/requests.ts': 2,
    });
  });
});

it('logs no errors', () => expect(site.log).toEqual([]));
