import { uuidV4 } from '#platform/data/ids.ts';
import { getPlayback } from '#product/broadcast/contract.ts';
import { hlsIndex } from '#product/broadcast/contract/hls.ts';
import { joinFanclub, saveOwnClub } from '#product/fanclubs/contract.ts';
import { getBalance } from '#product/ledger/contract.ts';
import { getRoom } from '#product/rooms/contract.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import { media, playbackOf, plays } from '#product/testkit/media/media-client.ts';
import {
  endsPrivate,
  mediaPasses,
  privatePerformer,
  startsPrivate,
  watches,
} from '#product/testkit/shows/private-show.ts';
import { offersSpying, spiedShow, spies, stopsSpying } from '#product/testkit/shows/spying.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { setActivity } from '#product/testkit/store/activities.ts';
import { endFanclubMonths } from '#product/testkit/store/memberships.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { showsPart } from './contract.ts';
import { getShowSettings, privateSettingChanged, saveShowSettings } from './contract/settings.ts';
import {
  checkSpying,
  endSpying,
  getSpyAudience,
  getSpyPreview,
  getSpyReceipts,
  startSpying,
} from './contract/spying.ts';
import { cancelTicketShow, offerTicketShow } from './contract/ticket-show.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const refusalOf = async (who: Member, { username }: Member): Promise<string> =>
  (await who.refused(startSpying, { username })).errorType;
const tokensOf = async (member: Member): Promise<number> => (await member.call(getBalance, {})).tokens;

describe('spying is refused', () => {
  it('while no private show runs: before it, and after it [B-263]', async () => {
    const performer = await offersSpying(site);
    const spy = await site.viewer({ tokens: 100 });
    const barOf = async () => (await spy.call(checkSpying, { username: performer.username })).bar;
    expect([await refusalOf(spy, performer), await barOf()]).toEqual(['spy_not_private', 'spy_not_private']);
    const { viewer } = await spiedShow(site, { performer });
    expect(await barOf()).toBeNull();
    await endsPrivate(viewer, performer);
    expect(await refusalOf(spy, performer)).toBe('spy_not_private');
    await site.settle();
    expect([await refusalOf(spy, performer), await barOf()]).toEqual(['spy_not_private', 'spy_not_private']);
  });

  it('to the two of the show, and to who spies already [B-008, B-264]', async () => {
    const { performer, viewer } = await spiedShow(site);
    const { spy } = await spies(site, performer);
    for (const person of [viewer, performer, spy]) {
      expect(await refusalOf(person, performer)).toBe('spy_not_public');
    }
    const other = await site.viewer({ tokens: 100 });
    expect((await other.call(startSpying, { username: performer.username })).status).toBe(1);
  });

  it('while a ticket show is offered', async () => {
    const { performer } = await spiedShow(site);
    // Normally no ticket show can be offered during a private show: the test removes the lock to have both.
    await setActivity(site, performer, null);
    await performer.call(offerTicketShow, {
      message: 'Afterwards',
      ticket_price: 50,
      starts_in_minutes: 60,
      minimum_tickets: 1,
      minutes: 30,
      refund_joined_minute_before_end: 5,
    });
    const spy = await site.viewer({ tokens: 100 });
    expect(await refusalOf(spy, performer)).toBe('spy_limited_show');
    await performer.call(cancelTicketShow, {});
    await setActivity(site, performer, 'private');
    expect((await spy.call(startSpying, { username: performer.username })).status).toBe(1);
  });

  it('on an exclusive show [B-266]', async () => {
    const { performer } = await spiedShow(site, { exclusive: true });
    const spy = await site.viewer({ tokens: 100 });
    expect(await refusalOf(spy, performer)).toBe('spy_exclusive');
    expect((await spy.call(checkSpying, { username: performer.username })).bar).toBe('spy_exclusive');
    expect((await spy.call(getRoom, { username: performer.username })).chat.mode).toBe('public');
  });

  it('where the performer does not offer it [B-267]', async () => {
    const { performer } = await spiedShow(site, { performer: await privatePerformer(site) });
    const spy = await site.viewer({ tokens: 100 });
    expect(await refusalOf(spy, performer)).toBe('spy_disabled');
    await performer.call(saveShowSettings, { spy: { isEnabled: true } });
    expect((await spy.call(startSpying, { username: performer.username })).status).toBe(1);
    await performer.call(saveShowSettings, { spy: { isEnabled: false } });
    expect(await refusalOf(await site.viewer({ tokens: 100 }), performer)).toBe('spy_disabled');
  });

  it('to guests, to who is banned, without tokens after the preview, and at another price', async () => {
    const { performer } = await spiedShow(site, { spy: { startupTipInToken: 5 } });
    const { username } = performer;
    const guest = await site.visitor({ ofAge: true });
    for (const call of [startSpying, endSpying, checkSpying, getSpyPreview]) {
      expect(await guest.refused(call, { username })).toMatchObject({ status: 401 });
    }
    const banned = await site.viewer({ tokens: 100 });
    await performer.moderates('ban', banned);
    expect(await refusalOf(banned, performer)).toBe('room_banned');
    const spy = await site.viewer({ tokens: 100 });
    for (const other of [{ price: 11 }, { startup_tip: 0 }]) {
      expect(await spy.refused(startSpying, { username, ...other }))
        .toMatchObject({ errorType: 'spy_price_differs', price: 12, startup_tip: 5 });
    }
    expect((await spy.call(startSpying, { username, price: 12, startup_tip: 5 })).cost_per_minute).toBe(12);
    const short = await spies(site, performer, { tokens: 4 });
    await mediaPasses(site, performer, 11);
    expect((await short.spy.refused(startSpying, { username })).errorType).toBe('not_enough_tokens');
    expect(await refusalOf(spy, await site.performer({ live: true }))).toBe('spy_not_private');
  });
});

describe('whoever spies', () => {
  it.each(['ban', 'kick'] as const)('is out by a %s, and pays for what they saw', async (out) => {
    const { performer } = await spiedShow(site);
    const { spy } = await spies(site, performer);
    const { stream, token } = await playbackOf(spy, performer);
    await mediaPasses(site, performer, 15);
    const readers = site.engine.readersOf(stream);
    await performer.moderates(out, spy);
    await site.settle();
    expect(site.engine.readersOf(stream)).toBe(readers - 1);
    expect((await plays(spy, stream, token)).status).toBe(403);
    const [receipt] = (await spy.call(getSpyReceipts, {})).receipts;
    expect(receipt).toMatchObject({ reason_ended: 'removed', seconds: 5, tokens: 1, released: 11 });
    expect(await tokensOf(spy)).toBe(99);
    expect(await refusalOf(spy, performer)).toMatch(/^room_(?:banned|kicked)$/u);
  });
});

describe('the private stream', () => {
  it('is for who spies, and for nobody else, by WHEP and HLS; its token ends with the spying', async () => {
    const { performer, viewer } = await spiedShow(site);
    const outsider = await site.viewer({ tokens: 100 });
    const { username } = performer;
    const spy = await site.viewer({ tokens: 100 });
    const { stream } = await playbackOf(viewer, performer);
    for (const who of [spy, outsider]) {
      expect((await who.refused(getPlayback, { username })).errorType).toBe('stream_offline');
    }
    await spy.call(startSpying, { username });
    const own = await playbackOf(spy, performer);
    expect(own.stream).toBe(stream);
    expect((await plays(spy, stream, own.token)).status).toBe(201);
    const hls = () => media(spy, hlsIndex, { stream, token: own.token });
    expect((await hls()).code).not.toBe('playback_token_invalid');
    expect((await outsider.refused(getPlayback, { username })).errorType).toBe('stream_offline');
    expect((await plays(outsider, stream, own.token)).code).toBe('playback_token_invalid');
    expect((await media(outsider, hlsIndex, { stream, token: own.token })).code)
      .toBe('playback_token_invalid');
    const readers = site.engine.readersOf(stream);
    await stopsSpying(spy, performer);
    expect(site.engine.readersOf(stream)).toBe(readers - 1);
    expect((await plays(spy, stream, own.token)).code).toBe('playback_token_invalid');
    expect((await hls()).code).toBe('playback_token_invalid');
    expect((await spy.refused(getPlayback, { username })).errorType).toBe('stream_offline');
    // The viewer and the performer of the show keep their video.
    expect((await playbackOf(viewer, performer)).stream).toBe(stream);
  });

  it('is spied on by somebody alone: others neither end it nor read of it [C-224]', async () => {
    const { performer, viewer } = await spiedShow(site);
    const { spy } = await spies(site, performer);
    await mediaPasses(site, performer, 15);
    const elsewhere = await spies(site, (await spiedShow(site)).performer);
    for (const other of [viewer, performer, await site.viewer({ tokens: 10 }), elsewhere.spy]) {
      expect((await other.refused(endSpying, { username: performer.username })).errorType).toBe('not_spying');
      expect((await other.call(getSpyReceipts, {})).receipts).toEqual([]);
    }
    const guest = await site.visitor({ ofAge: true });
    expect((await guest.refused(endSpying, { username: performer.username })).status).toBe(401);
    expect((await viewer.refused(getSpyAudience, {})).status).toBe(403);
    expect(await stopsSpying(spy, performer)).toMatchObject({ seconds: 5, reason_ended: 'user_ended' });
    expect((await spy.refused(endSpying, { username: performer.username })).errorType).toBe('not_spying');
  });
});

describe('a spy', () => {
  it('is a member who pays with tokens, and no guest [C-004, C-222]', async () => {
    const { performer } = await spiedShow(site);
    const { username } = performer;
    const guest = await site.visitor({ ofAge: true });
    expect(await guest.refused(startSpying, { username })).toMatchObject({ status: 401 });
    const { spy, started } = await spies(site, performer);
    expect(started).toMatchObject({ status: 1, cost_per_minute: 12 });
    await mediaPasses(site, performer, 40);
    await stopsSpying(spy, performer);
    expect(await tokensOf(spy)).toBe(94);
  });

  it('is in the mode spy from the start to the end, and then in public again [C-114, C-116]', async () => {
    const { performer } = await spiedShow(site);
    const { username } = performer;
    const spy = await site.viewer({ tokens: 100 });
    const modes = [];
    for (const step of [null, startSpying, endSpying]) {
      if (step) await spy.call(step, { username });
      const { chat, streamStatus } = await spy.call(getRoom, { username });
      modes.push([chat.mode, chat.status, streamStatus]);
    }
    expect(modes).toEqual([
      ['public', 'private', 'private'],
      ['spy', 'private', 'online'],
      ['public', 'private', 'private'],
    ]);
  });
});

describe('members of the fan club', () => {
  const club = {
    enabled: true,
    description: '',
    prices: { supporter: 100, insider: 250, legend: 500 },
    perks: { supporter: [], insider: [], legend: [] },
  };

  it('spy for nothing from when they join, and pay when they are members no more [C-226]', async () => {
    const performer = await offersSpying(site, { pricePerMinuteInToken: 60 });
    await performer.call(saveOwnClub, club);
    await spiedShow(site, { performer });
    const { username } = performer;
    const { spy: fan } = await spies(site, performer, { tokens: 600 });
    await mediaPasses(site, performer, 10 + 20);
    await fan.call(joinFanclub, { username, level: 'insider', price: 250 }, { idempotencyKey: uuidV4() });
    await site.settle();
    await mediaPasses(site, performer, 30);
    expect((await fan.call(checkSpying, { username })).running)
      .toMatchObject({ cost_per_minute: 0, seconds: 20, tokens: 20 });
    expect(await stopsSpying(fan, performer)).toMatchObject({ seconds: 20, tokens: 20 });
    await fan.call(startSpying, { username });
    const { stream, token } = await playbackOf(fan, performer);
    await plays(fan, stream, token);
    await mediaPasses(site, performer, 10);
    await endFanclubMonths(site, fan);
    await mediaPasses(site, performer, 50 + 10);
    expect(await stopsSpying(fan, performer)).toMatchObject({ cost_per_minute: 60, seconds: 10, tokens: 10 });
    // A fan club gives its members nothing in another performer's room.
    const other = await site.performer();
    await other.call(saveOwnClub, club);
    const elsewhere = await site.viewer({ tokens: 600 });
    const joined = { username: other.username, level: 'legend', price: 500 } as const;
    await elsewhere.call(joinFanclub, joined, { idempotencyKey: uuidV4() });
    expect((await elsewhere.call(startSpying, { username })).cost_per_minute).toBe(60);
    await site.settle();
    await watches(elsewhere, performer);
    await mediaPasses(site, performer, 10 + 10);
    expect(await stopsSpying(elsewhere, performer)).toMatchObject({ seconds: 10, tokens: 10 });
  });

  it('spy for nothing as insider and legend, and pay as supporter [C-406, C-226]', async () => {
    const performer = await offersSpying(site, { startupTipInToken: 5 });
    await performer.call(saveOwnClub, club);
    await spiedShow(site, { performer });
    const { username } = performer;
    const costs = [];
    for (const [level, price] of [['supporter', 100], ['insider', 250], ['legend', 500]] as const) {
      const fan = await site.viewer({ tokens: 600 });
      await fan.call(joinFanclub, { username, level, price }, { idempotencyKey: uuidV4() });
      await site.settle();
      const before = await tokensOf(fan);
      expect((await fan.call(getSpyPreview, { username })).seconds).toBe(level === 'supporter' ? 10 : 0);
      const started = await fan.call(startSpying, { username });
      const { stream, token } = await playbackOf(fan, performer);
      await plays(fan, stream, token);
      await mediaPasses(site, performer, 40);
      const { seconds, tokens, startup_tip: tip } = await stopsSpying(fan, performer);
      costs.push([level, started.cost_per_minute, seconds, tokens, tip, before - await tokensOf(fan)]);
    }
    expect(costs).toEqual([
      ['supporter', 12, 30, 6, 5, 11],
      ['insider', 0, 40, 0, 0, 0],
      ['legend', 0, 40, 0, 0, 0],
    ]);
  });
});

describe('what a performer offers of spying', () => {
  it('is in the room with its three fields, and reaches the room when it changes [B-143]', async () => {
    const performer = await privatePerformer(site);
    const viewer = await site.viewer();
    const { username } = performer;
    const spyIn = async () => readPart(await viewer.call(getRoom, { username }), showsPart).userSetting.spy;
    expect(await spyIn()).toEqual({ isEnabled: false, pricePerMinuteInToken: 10, startupTipInToken: 0 });
    const room = await viewer.joins(performer);
    const spy = { isEnabled: true, pricePerMinuteInToken: 14, startupTipInToken: 3 };
    expect((await performer.call(saveShowSettings, { spy })).spy).toEqual(spy);
    await site.settle();
    expect((await room.waitFor(privateSettingChanged)).spy).toEqual(spy);
    expect(await spyIn()).toEqual(spy);
    await performer.call(saveShowSettings, { spy: { isEnabled: false } });
    // A price that is not offered now comes back with the offer.
    expect((await performer.call(getShowSettings, {})).spy).toEqual({ ...spy, isEnabled: false });
    expect((await viewer.refused(saveShowSettings, { spy })).status).toBe(403);
    expect((await performer.refused(saveShowSettings, { spy: { startupTipInToken: -1 } })).status).toBe(422);
    await startsPrivate(await site.viewer({ tokens: 100 }), performer);
    expect((await performer.call(getShowSettings, {})).private.isEnabled).toBe(true);
  });
});

it('logs no errors', () => expect(site.log).toEqual([]));
