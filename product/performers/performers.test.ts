import { subscribe } from '#platform/contract/bind.ts';
import type { InputOf, OutputOf } from '#platform/contract/call.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getListingProfile, getSchedule, profileChanged, saveListingProfile, viewAs } from './contract.ts';

const NOTHING = {
  region: null,
  country: null,
  age_range: null,
  ethnicity: null,
  voyeur_room: null,
  is_independent: false,
  private_price: null,
  exclusive_price: null,
  spy_price: null,
  control_rate: null,
  offers_cam2cam: false,
  time_zone: null,
  schedule: [],
};
const EVERYTHING: OutputOf<typeof saveListingProfile> = {
  region: 'eastern-europe',
  country: 'RO',
  age_range: '23-29',
  ethnicity: 'white',
  voyeur_room: 'kitchen',
  is_independent: true,
  private_price: 60,
  exclusive_price: 90,
  spy_price: 12,
  control_rate: 40,
  offers_cam2cam: true,
  time_zone: 'Europe/Bucharest',
  schedule: [{ day: 1, fromMinute: 1_200, minutes: 120 }, { day: 4, fromMinute: 1_320, minutes: 300 }],
};

let site: TestSite;
/** Performers whose profiles have changed, as published. */
const changes: { performerId: number; username: string }[] = [];

beforeAll(async () => {
  site = await createSite();
  const scribe = subscribe(profileChanged, 'test.profile')(async ({ payload }) => void changes.push(payload));
  await site.data.attach({ subscriptions: [scribe], deadlineHandlers: [] });
});
afterAll(() => site.close());

const save = (performer: Member, change: InputOf<typeof saveListingProfile>) =>
  performer.call(saveListingProfile, change);

describe('what a performer says of themselves', () => {
  it('is nothing at first, and every field is stored', async () => {
    const performer = await site.performer();
    expect(await performer.call(getListingProfile, {})).toEqual(NOTHING);
    expect(await save(performer, EVERYTHING)).toEqual(EVERYTHING);
    expect(await performer.call(getListingProfile, {})).toEqual(EVERYTHING);
  });

  it('changes by field: what is absent stays, null takes back', async () => {
    const performer = await site.performer();
    await save(performer, EVERYTHING);
    expect(await save(performer, { spy_price: 20, ethnicity: null })).toEqual({
      ...EVERYTHING,
      spy_price: 20,
      ethnicity: null,
    });
    expect(await save(performer, { schedule: [], time_zone: null })).toMatchObject({
      schedule: [],
      time_zone: null,
      spy_price: 20,
    });
    expect(await save(performer, {})).toMatchObject({ spy_price: 20 });
  });

  it('survives two tabs that change different fields at the same moment', async () => {
    const performer = await site.performer();
    const tab = await site.anotherTabOf(performer);
    await Promise.all([save(performer, { country: 'CO' }), save(tab, { region: 'central-south-america' })]);
    expect(await performer.call(getListingProfile, {})).toEqual({
      ...NOTHING,
      country: 'CO',
      region: 'central-south-america',
    });
  });

  it('is published when it changes, without what it says', async () => {
    const performer = await site.performer();
    await save(performer, EVERYTHING);
    await site.settle();
    expect(changes.filter(({ performerId }) => performerId === performer.id)).toEqual([
      { performerId: performer.id, username: performer.username },
    ]);
  });

  it('is there for later slices, nothing of who said nothing', async () => {
    const [said, silent] = [await site.performer(), await site.performer()];
    await save(said, EVERYTHING);
    const listings = await site.tx((tx) => site.services.performers.listingsOf(tx, [said.id, silent.id]));
    expect([listings.get(said.id), listings.get(silent.id)]).toEqual([EVERYTHING, NOTHING]);
    expect((await site.tx((tx) => site.services.performers.listingsOf(tx, []))).size).toBe(0);
  });

  it('stays with one operator', async () => {
    const performer = await site.performer();
    await save(performer, EVERYTHING);
    const other = { operatorId: site.scope.operatorId + 1 };
    const seen = await site.data.tx(other, (tx) => site.services.performers.listingsOf(tx, [performer.id]));
    expect(seen.get(performer.id)).toEqual(NOTHING);
  });
});

describe('what a performer cannot say', () => {
  it.each<[string, object]>([
    ['a region without a listing', { region: 'mars' }],
    ['a country by name', { country: 'Romania' }],
    ['a range of ages below 18', { age_range: '16-17' }],
    ['another word', { ethnicity: 'elf' }],
    ['a room that is none', { voyeur_room: 'attic' }],
    ['no price', { private_price: 0 }],
    ['a price beyond the limit', { spy_price: 1_000 }],
    ['half a token', { control_rate: 1.5 }],
    ['a day after Sunday', { time_zone: 'UTC', schedule: [{ day: 7, fromMinute: 0, minutes: 60 }] }],
    ['a minute of tomorrow', { time_zone: 'UTC', schedule: [{ day: 0, fromMinute: 1_440, minutes: 60 }] }],
    ['more than a day', { time_zone: 'UTC', schedule: [{ day: 0, fromMinute: 0, minutes: 1_441 }] }],
    ['more times than a week takes', {
      time_zone: 'UTC',
      schedule: Array.from({ length: 22 }, (_, at) => ({ day: at % 7, fromMinute: at * 60, minutes: 30 })),
    }],
    ['a field of somebody else', { performer_id: 1 }],
  ])('%s', async (_what, change) => {
    const performer = await site.performer();
    expect(await performer.refused(saveListingProfile, change)).toMatchObject({
      status: 422,
      errorType: 'invalid_input',
    });
    expect(await performer.call(getListingProfile, {})).toEqual(NOTHING);
  });

  it('a time zone that is none, nor times without one', async () => {
    const performer = await site.performer();
    for (const change of [{ time_zone: 'Mars/Olympus' }, { time_zone: 'Europe/Atlantis' }, {
      schedule: EVERYTHING.schedule,
    }]) {
      expect(await performer.refused(saveListingProfile, change)).toMatchObject({
        status: 422,
        errorType: 'time_zone_unknown',
      });
    }
    await save(performer, EVERYTHING);
    expect((await performer.refused(saveListingProfile, { time_zone: null })).errorType)
      .toBe('time_zone_unknown');
    expect(await performer.call(getListingProfile, {})).toEqual(EVERYTHING);
  });

  it('anything, when they are no performer', async () => {
    const viewer = await site.viewer();
    const admin = await site.admin();
    const guest = await site.visitor({ ofAge: true });
    for (const other of [viewer, admin, guest]) {
      const status = other === guest ? 401 : 403;
      expect((await other.refused(saveListingProfile, { country: 'RO' })).status).toBe(status);
      expect((await other.refused(getListingProfile, {})).status).toBe(status);
      expect((await other.refused(viewAs, { region: 'DE' })).status).toBe(status);
    }
    const rows = await site.tx((tx) => site.services.performers.listingsOf(tx, [viewer.id]));
    expect(rows.get(viewer.id)).toEqual(NOTHING);
  });
});

describe('a schedule', () => {
  it('says the next times to whom the performer may be shown', async () => {
    const performer = await site.performer();
    await save(performer, EVERYTHING);
    const guest = await site.visitor({ ofAge: true });
    const { next, ...said } = await guest.call(getSchedule, { username: performer.username });
    expect(said).toEqual({ time_zone: 'Europe/Bucharest', schedule: EVERYTHING.schedule });
    // The virtual clock begins on Thursday, 15 January 2026, at noon.
    expect(next).toEqual([
      { starts_at: '2026-01-16T20:00:00.000Z', ends_at: '2026-01-17T01:00:00.000Z' },
      { starts_at: '2026-01-20T18:00:00.000Z', ends_at: '2026-01-20T20:00:00.000Z' },
    ]);
  });

  it('is empty of who has none, and one is found by any spelling of the name', async () => {
    const performer = await site.performer({ username: 'timeless' });
    expect(await performer.call(getSchedule, { username: 'Timeless' })).toEqual({
      time_zone: null,
      schedule: [],
      next: [],
    });
  });

  it('of who may not be shown is answered as that of nobody', async () => {
    const guest = await site.visitor({ ofAge: true });
    const [blocked, uncleared, suspended] = [
      await site.performer(),
      await site.performer({ cleared: false }),
      await site.performer(),
    ];
    for (const one of [blocked, uncleared, suspended]) await save(one, EVERYTHING);
    const { compliance, accounts } = site.services;
    await site.tx((tx) => compliance.blockRegions(tx, blocked.id, ['DE']));
    const order = { suspended: true, actorId: null, reason: 'x' };
    await site.tx((tx) => accounts.suspend(tx, suspended.id, order));
    const german = await site.visitor({ region: 'DE' });
    const young = await site.visitor();
    const viewer = await site.viewer();
    const nobody = await guest.refused(getSchedule, { username: 'nobody_at_all' });
    expect(nobody).toMatchObject({ status: 404, errorType: 'performer_unknown' });
    const { reference: _reference, ...same } = nobody;
    for (const [who, username] of [
      [german, blocked.username],
      [guest, uncleared.username],
      [guest, suspended.username],
      [young, blocked.username],
      [guest, viewer.username],
    ] as const) {
      expect(await who.refused(getSchedule, { username })).toMatchObject(same);
    }
    // Performers see their own schedule, cleared or not.
    expect((await uncleared.call(getSchedule, { username: uncleared.username })).next).toHaveLength(2);
  });
});

describe('seen as a visitor from a region', () => {
  const everywhere = ['listing', 'search', 'room', 'thumbnail', 'media', 'feed'];
  const shownTo = async (performer: Member, region: string) => {
    const { surfaces, ...said } = await performer.call(viewAs, { region });
    expect(surfaces.map(({ surface }) => surface)).toEqual(everywhere);
    return { ...said, shown: surfaces.filter(({ is_shown: isShown }) => isShown).length };
  };

  it('a performer is shown everywhere, after what the law of the place asks', async () => {
    const performer = await site.performer();
    expect(await shownTo(performer, 'RO')).toEqual({
      region: 'RO',
      gate: 'declare',
      minimum_age: 18,
      reasons: [],
      shown: 6,
    });
    expect(await shownTo(performer, 'DE')).toEqual({
      region: 'DE',
      gate: 'verify',
      minimum_age: 18,
      reasons: [],
      shown: 6,
    });
  });

  it('or nowhere, with the reason: the rule for real visitors decides', async () => {
    const performer = await site.performer();
    await site.tx((tx) => site.services.compliance.blockRegions(tx, performer.id, ['US-FL', 'RO']));
    expect(await shownTo(performer, 'US-FL')).toMatchObject({ reasons: ['region_blocked'], shown: 0 });
    // A visitor from an unknown state of the United States may be from Florida.
    expect(await shownTo(performer, 'US')).toMatchObject({ reasons: ['region_blocked'], shown: 0 });
    expect(await shownTo(performer, 'US-TX')).toMatchObject({ reasons: [], shown: 6 });
    const visitor = await site.visitor({ region: 'RO', ofAge: true });
    expect((await visitor.refused(getSchedule, { username: performer.username })).status).toBe(404);

    const uncleared = await site.performer({ cleared: false });
    expect(await shownTo(uncleared, 'BE')).toMatchObject({ reasons: ['not_cleared'], shown: 0 });
  });

  it.each(['Germany', 'de', '', 'demo', 'DE-BERLIN'])('"%s" is no region', async (region) => {
    const performer = await site.performer();
    expect((await performer.refused(viewAs, { region })).status).toBe(422);
  });
});
