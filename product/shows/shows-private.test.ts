import { updateProfile } from '#product/accounts/contract.ts';
import { endBroadcast } from '#product/broadcast/contract.ts';
import { whepEnd } from '#product/broadcast/contract/webrtc.ts';
import { getBalance, getHistory } from '#product/ledger/contract.ts';
import { getHistoryEntries } from '#product/ledger/contract/entries.ts';
import { getRoom } from '#product/rooms/contract.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import { media, playbackOf } from '#product/testkit/media/media-client.ts';
import { boughtBy } from '#product/testkit/payments/wallet.ts';
import {
  lastPrivateReceipt,
  mediaPasses,
  privatePerformer,
  runsPrivate,
  startsPrivate,
  watches,
} from '#product/testkit/shows/private-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { bookOf as inBook, faultsOf } from '#product/testkit/store/ledger-accounts.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { privateEnded, privateStarted, showsPart } from './contract.ts';
import { endPrivate, getReceipts, privateTick, type ReceiptView } from './contract/private-running.ts';
import { acceptPrivate, getPrivateRequests, privateQueue, requestPrivate } from './contract/private-show.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const tokensOf = async (member: Member): Promise<number> => (await member.call(getBalance, {})).tokens;
const bookOf = (member: Member, book: 'earnings' | 'held'): Promise<number> => inBook(site, member, book);

describe('a private show', () => {
  it(
    'runs until its viewer ends it: each second is paid once, the rest comes back [C-260, C-223]',
    async () => {
      const performer = await privatePerformer(site);
      const viewer = await site.viewer({ tokens: 100 });
      const [room, console] = [await viewer.joins(performer), await performer.joins(performer)];
      await startsPrivate(viewer, performer);
      const started = await room.waitFor(privateStarted);
      expect(started).toEqual({
        username: viewer.username,
        broadcaster: performer.username,
        cost_per_minute: 30,
        prepaid_seconds: 60,
        remaining_seconds: 200,
        duration: 0,
        tokens_charged: 0,
        freeSpyPreviewDuration: 0,
        type: 'private',
        source: 'web',
        stream: expect.stringMatching(/^[\w-]{22}$/) as string,
      });
      // The performer must not learn how long the viewer's tokens last.
      expect(await console.waitFor(privateStarted)).toEqual({ ...started, remaining_seconds: 60 });
      expect([await tokensOf(viewer), await bookOf(viewer, 'held')]).toEqual([70, 30]);
      await watches(viewer, performer);
      await mediaPasses(site, performer, 25);
      expect(await room.waitFor(privateTick, (tick) => tick.privateStreamTimeInSecond === 25)).toEqual({
        username: viewer.username,
        broadcaster: performer.username,
        is_paused: false,
        cost_per_minute: 30,
        avail: null,
        privatePrepaidTimeLeftSeconds: 35,
        privateStreamTimeInSecond: 25,
        privateTokenCount: 12,
        privateUserTimeLeftInSecond: 175,
      });
      expect(await console.waitFor(privateTick, (tick) => tick.privateStreamTimeInSecond === 25))
        .toMatchObject({ privateUserTimeLeftInSecond: 35 });
      // Somebody outside the show cannot end it.
      const guest = await site.visitor({ ofAge: true });
      const stranger = await site.viewer({ tokens: 100 });
      for (const { username } of [performer, viewer]) {
        expect((await guest.refused(endPrivate, { username })).status).toBe(401);
        expect((await stranger.refused(endPrivate, { username })).errorType).toBe('not_in_private_show');
      }
      const ended = await viewer.request({
        method: 'POST',
        url: `/api/v1/private/${performer.username}/end`,
        payload: {},
      });
      const receipt = ended.json<ReceiptView>();
      expect(receipt).toMatchObject({
        seconds: 25,
        tokens: 12,
        released: 18,
        reason_ended: 'user_ended',
        cost_per_minute: 30,
        pre_tip: 0,
        free_seconds: { performer: 0, viewer: 0 },
        fanclub_refund: 0,
        limit: null,
        exclusive: false,
      });
      await site.settle();
      for (const socket of [room, console]) {
        expect(await socket.waitFor(privateEnded)).toEqual({ fanclub_refund: 0, reason_ended: 'user_ended' });
      }
      expect([await tokensOf(viewer), await bookOf(viewer, 'held'), await bookOf(performer, 'earnings')])
        .toEqual([88, 0, 12]);
      expect([await lastPrivateReceipt(viewer), await lastPrivateReceipt(performer)]).toEqual([
        receipt,
        receipt,
      ]);
      expect((await viewer.call(getRoom, { username: performer.username })).chat)
        .toMatchObject({ status: 'online', mode: 'public' });
      // Either person may end the show.
      await startsPrivate(viewer, performer);
      expect(await performer.call(endPrivate, { username: viewer.username }))
        .toMatchObject({ reason_ended: 'model_ended' });
    },
  );

  it('is one entry of its viewer\'s history, with what was set aside and came back behind it', async () => {
    const { viewer, performer } = await runsPrivate(site, { tokens: 100 });
    await mediaPasses(site, performer, 70);
    // Other operations in between are entries of their own, and the parts of two shows are not mixed.
    await viewer.tips(performer, 5);
    await viewer.call(endPrivate, { username: performer.username });
    await site.settle();
    await startsPrivate(viewer, performer);
    await performer.call(endPrivate, { username: viewer.username });
    await site.settle();
    const page = await viewer.call(getHistoryEntries, {});
    const shows = page.entries.filter(({ kind }) => kind === 'private_show');
    expect(shows.map(({ tokens, memo: { to } }) => [tokens, to]))
      .toEqual([[0, performer.username], [-35, performer.username]]);
    const partsOf = (
      { parts, more_parts: more }: (typeof shows)[number],
    ) => [parts.map(({ kind, tokens }) => [kind, tokens]), more];
    expect(shows.map(partsOf))
      .toEqual([
        [[['private_released', 30], ['private_hold', -30]], 0],
        [[['private_released', 25], ['private_hold', -30], ['private_hold', -30]], 0],
      ]);
    expect(page.entries.map(({ kind }) => kind)).toEqual(['private_show', 'private_show', 'tip', 'grant']);
    expect(page.kinds).toEqual(['grant', 'private_show', 'tip']);
    // Grouping lines loses and repeats none, and a filter by shows includes their holds.
    const { lines } = await viewer.call(getHistory, {});
    const inEntries = page.entries.flatMap((
      { parts, ...one },
    ): { id: number }[] => (parts.length === 0 ? [one] : parts));
    expect(new Set(inEntries.map(({ id }) => id))).toEqual(new Set(lines.map(({ id }) => id)));
    expect(inEntries).toHaveLength(lines.length);
    expect(page.entries.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(await tokensOf(viewer));
    const { lines: filtered } = await viewer.call(getHistory, { kind: 'private_show' });
    expect(filtered.map(({ tokens }) => tokens)).toEqual([30, -30, 25, -30, -30]);
    const first = await viewer.call(getHistoryEntries, { limit: 1 });
    const second = await viewer.call(getHistoryEntries, { limit: 1, before: first.next ?? 0 });
    expect([first.entries, second.entries]).toEqual([[shows[0]], [shows[1]]]);
    expect((await performer.call(getHistoryEntries, {})).entries).toEqual([]);
  });

  it('is captured every ten seconds, and holds the next minute before its first second', async () => {
    const { viewer, performer } = await runsPrivate(site, { tokens: 100 });
    const at: [number, number, number, number][] = [];
    for (const seconds of [9, 1, 10, 40, 1]) {
      await mediaPasses(site, performer, seconds);
      at.push([
        seconds,
        await tokensOf(viewer),
        await bookOf(viewer, 'held'),
        await bookOf(performer, 'earnings'),
      ]);
    }
    expect(at).toEqual([[9, 70, 30, 0], [1, 70, 25, 5], [10, 70, 20, 10], [40, 70, 0, 30], [1, 40, 30, 30]]);
    await performer.call(endPrivate, { username: viewer.username });
    expect([await tokensOf(viewer), await bookOf(performer, 'earnings')]).toEqual([70, 30]);
  });

  it('ends for one of five reasons, and its receipt names it [C-113]', async () => {
    const byPerformer = await runsPrivate(site);
    await mediaPasses(site, byPerformer.performer, 3);
    await byPerformer.performer.call(endPrivate, { username: byPerformer.viewer.username });
    const short = await runsPrivate(site, { tokens: 45 });
    const room = await short.viewer.joins(short.performer);
    await mediaPasses(site, short.performer, 95);
    expect((await room.waitFor(privateEnded)).reason_ended).toBe('out_of_tokens');
    expect([await tokensOf(short.viewer), await bookOf(short.performer, 'earnings')]).toEqual([0, 45]);
    const gone = await runsPrivate(site);
    await mediaPasses(site, gone.performer, 4);
    await gone.performer.call(endBroadcast, {});
    await site.settle();
    const left = await runsPrivate(site);
    await mediaPasses(site, left.performer, 5);
    await media(left.viewer, whepEnd, { session: left.session });
    await mediaPasses(site, left.performer, 31);
    const byViewer = await runsPrivate(site);
    await mediaPasses(site, byViewer.performer, 1);
    await byViewer.viewer.call(endPrivate, { username: byViewer.performer.username });
    const receipts = [];
    for (const { viewer } of [byPerformer, short, gone, byViewer, left]) {
      const { reason_ended: reason, seconds, tokens, free_seconds: free } = await lastPrivateReceipt(viewer);
      receipts.push([reason, seconds, tokens, free.viewer]);
    }
    expect(receipts).toEqual([
      ['model_ended', 3, 1, 0],
      ['out_of_tokens', 90, 45, 0],
      ['unpublish', 4, 2, 0],
      ['user_ended', 1, 0, 0],
      ['user_left', 5, 2, 30],
    ]);
    // There is no sixth reason: authors of other programs rely on the published description.
    const { body } = await byViewer.viewer.request({ url: '/api/v1/openapi.json' });
    const reasons = [...body.matchAll(/"reason_ended":\{"type":"string","enum":(\[[^\]]*\])/gu)]
      .map(([, list]) => list);
    expect(reasons).toContain('["model_ended","out_of_tokens","unpublish","user_ended","user_left"]');
  });

  it('ends at the viewer\'s own limit, the tip before it included', async () => {
    const { viewer, performer } = await runsPrivate(site, {
      offer: { isPreTipEnabled: true, preTipCost: 20 },
      wish: { limit: 65, pre_tip: 20 },
    });
    await mediaPasses(site, performer, 1);
    expect(await bookOf(performer, 'earnings')).toBe(20);
    await mediaPasses(site, performer, 95);
    expect(await lastPrivateReceipt(viewer)).toMatchObject({
      reason_ended: 'out_of_tokens',
      seconds: 90,
      tokens: 45,
      pre_tip: 20,
      limit: 65,
    });
    expect((await lastPrivateReceipt(performer)).limit).toBeNull();
    expect([await tokensOf(viewer), await bookOf(performer, 'earnings')]).toEqual([935, 65]);
  });
});

describe('the two people of a show', () => {
  it('learn that it started, by whom and with which stream; nobody else does [C-151, C-351]', async () => {
    const performer = await privatePerformer(site);
    const [viewer, outsider] = [await site.viewer({ tokens: 100 }), await site.viewer()];
    await performer.call(updateProfile, { display_name: 'Ivy of the Rain' });
    await viewer.call(updateProfile, { display_name: 'Tom Under Water' });
    const sockets = [await viewer.joins(performer), await performer.joins(performer)];
    const other = await outsider.joins(performer);
    await startsPrivate(viewer, performer);
    const { stream } = await playbackOf(viewer, performer);
    expect(privateStarted.name).toBe('v3.private.started');
    for (const socket of sockets) {
      const { broadcaster, username, ...started } = await socket.waitFor(privateStarted);
      expect([broadcaster, username, started.stream])
        .toEqual([performer.username, viewer.username, stream]);
    }
    await site.says(other, 'a line after the start');
    expect(JSON.stringify(other.events)).not.toContain(stream);
    expect(other.events.filter(({ name }) => name.startsWith('v3.private.'))).toEqual([]);
  });

  it('learn each second what it has come to, and that it ended [C-153, C-156]', async () => {
    const { viewer, performer, session } = await runsPrivate(site, { tokens: 100 });
    const [room, console] = [await viewer.joins(performer), await performer.joins(performer)];
    const bystander = await (await site.viewer()).joins(performer);
    await mediaPasses(site, performer, 3);
    const names = { username: viewer.username, broadcaster: performer.username };
    for (const [socket, left] of [[room, 197], [console, 57]] as const) {
      expect(await socket.waitFor(privateTick, (tick) => tick.privateStreamTimeInSecond === 3)).toEqual({
        ...names,
        is_paused: false,
        cost_per_minute: 30,
        avail: null,
        privatePrepaidTimeLeftSeconds: 57,
        privateStreamTimeInSecond: 3,
        privateTokenCount: 1,
        privateUserTimeLeftInSecond: left,
      });
    }
    site.engine.sends(session, 0);
    await mediaPasses(site, performer, 2);
    const ticks = (socket: typeof room): [number, boolean][] =>
      socket.received(privateTick)
        .map(({ privateStreamTimeInSecond: seconds, is_paused: paused }) => [seconds, paused]);
    for (const socket of [room, console]) {
      await expect.poll(() => ticks(socket))
        .toEqual([[1, false], [2, false], [3, false], [3, false], [3, true]]);
    }
    await viewer.call(endPrivate, { username: performer.username });
    await site.settle();
    for (const socket of [room, console]) {
      expect(await socket.waitFor(privateEnded)).toEqual({ fanclub_refund: 0, reason_ended: 'user_ended' });
    }
    await mediaPasses(site, performer, 2);
    for (const socket of [room, console]) expect(ticks(socket)).toHaveLength(5);
    await site.settle();
    expect(bystander.events.filter(({ name }) => name.startsWith('v3.private.'))).toEqual([]);
  });

  it('see at once how long tokens last that were bought meanwhile', async () => {
    const offer = { pricePerMinuteInToken: 60 };
    const { viewer, performer } = await runsPrivate(site, { tokens: 130, offer });
    const left = async (): Promise<number | undefined> =>
      readPart(await viewer.call(getRoom, { username: performer.username }), showsPart)
        .privateStats?.privateUserTimeLeftInSecond;
    // The last capture was two seconds ago.
    await mediaPasses(site, performer, 72);
    expect(await left()).toBe(58);
    await site.tx((tx) => site.services.ledger.post(tx, [boughtBy(viewer, 100)]));
    await mediaPasses(site, performer, 1);
    expect(await left()).toBe(157);
  });

  it('have the numbers of it in the room data, each their own [B-169, C-105]', async () => {
    const { viewer, performer } = await runsPrivate(site, { tokens: 100 });
    await mediaPasses(site, performer, 20);
    const privateStats = {
      privatePrepaidTimeLeftSeconds: 40,
      privateStreamTimeInSecond: 20,
      privateTokenCount: 10,
      privateUserTimeLeftInSecond: 180,
    };
    const { username } = performer;
    expect(await viewer.call(getRoom, { username })).toMatchObject({ privateStats });
    expect(await performer.call(getRoom, { username }))
      .toMatchObject({ privateStats: { ...privateStats, privateUserTimeLeftInSecond: 40 } });
  });
});

describe('attacks', () => {
  it('of others: nobody accepts, ends or reads a show that is not theirs', async () => {
    const { viewer, performer } = await runsPrivate(site);
    const waiting = await site.viewer({ tokens: 100 });
    const rival = await privatePerformer(site);
    expect((await waiting.refused(endPrivate, { username: performer.username })).errorType)
      .toBe('not_in_private_show');
    expect((await rival.refused(endPrivate, { username: viewer.username })).errorType)
      .toBe('not_in_private_show');
    expect((await waiting.refused(acceptPrivate, { username: viewer.username })).status).toBe(403);
    expect((await rival.refused(acceptPrivate, { username: viewer.username })).errorType)
      .toBe('private_request_unknown');
    expect((await waiting.refused(getPrivateRequests, {})).status).toBe(403);
    expect((await waiting.call(getReceipts, {})).receipts).toEqual([]);
    expect((await rival.call(getPrivateRequests, {})).running).toBeNull();
    expect((await performer.call(getPrivateRequests, {})).running).toMatchObject({
      username: viewer.username,
      limit: null,
      cost_per_minute: 30,
    });
  });

  it('of a performer who accepts twice, at once or one after the other', async () => {
    const performer = await privatePerformer(site);
    const [one, other] = [await site.viewer({ tokens: 100 }), await site.viewer({ tokens: 100 })];
    const console = await performer.joins(performer);
    for (const viewer of [one, other]) {
      await viewer.call(requestPrivate, { username: performer.username, price: 30 });
    }
    const tab = await site.anotherTabOf(performer);
    const outcomes = await Promise.allSettled([
      performer.call(acceptPrivate, { username: one.username }),
      tab.call(acceptPrivate, { username: one.username }),
      tab.call(acceptPrivate, { username: other.username }),
    ]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await site.settle();
    expect((await console.waitFor(privateQueue, ({ requests }) => requests.length === 0)).requests)
      .toEqual([]);
    const held = [await bookOf(one, 'held'), await bookOf(other, 'held')];
    expect(held.toSorted((a, b) => a - b)).toEqual([0, 30]);
  });

  it('of a viewer who spends the balance elsewhere while the show runs', async () => {
    const { viewer, performer } = await runsPrivate(site, { tokens: 100 });
    const idol = await site.performer({ live: true });
    await mediaPasses(site, performer, 20);
    await viewer.tips(idol, 70);
    await mediaPasses(site, performer, 45);
    expect(await lastPrivateReceipt(viewer)).toMatchObject({
      reason_ended: 'out_of_tokens',
      seconds: 60,
      tokens: 30,
      released: 0,
    });
    expect([await tokensOf(viewer), await bookOf(viewer, 'held')]).toEqual([0, 0]);
  });
});

it('leaves no fault in the ledger, and logs no errors', async () => {
  expect(await faultsOf(site)).toEqual([]);
  expect(site.log).toEqual([]);
});
