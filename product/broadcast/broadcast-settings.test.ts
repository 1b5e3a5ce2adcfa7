import { subscribe } from '#platform/contract/bind.ts';
import { FIRST_VIDEO_BITS_PER_SECOND, MAX_VIDEO_BITS_PER_SECOND } from '#platform/streaming/limits.ts';
import { logout } from '#product/accounts/contract.ts';
import { decideClearance } from '#product/compliance/contract.ts';
import { changeOperatorRules } from '#product/site/contract/operator-rules.ts';
import { DEFAULT_SETTINGS } from '#product/site/rules.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { broadcastStateChanged, getOwnBroadcast, rotateStreamKey, standbyChanged } from './contract.ts';
import {
  getStreamerSettings,
  setStandby,
  setStreamerSettings,
  setStudio,
  standbyVisitor,
} from './contract/settings.ts';
import { checkUpload } from './contract/upload.ts';
import { DEFAULT_VIDEO_BITRATE, MAX_STANDBY_NOTICES } from './rules.ts';
import { UPLOAD_PART_BYTES, VIDEO_FORMATS } from './rules/upload.ts';

const ELSEWHERE = 'elsewhere.example';
/** Settings for OBS by its own names, as the page shows them. */
const OBS = Object.entries({
  'Output Mode': 'Advanced',
  'Video Encoder': 'x264',
  'Rate Control': 'CBR',
  Bitrate: '2500 Kbps',
  'Keyframe Interval': '1 s',
  Profile: 'baseline',
  Tune: 'zerolatency',
  'x264 Options': 'bframes=0',
  'Audio Bitrate': '128',
  'Sample Rate': '48 kHz',
}).map(([setting, value]) => ({ setting, value }));
const CAM = { audioName: 'Mic 1', videoName: 'Cam 1', audioTrack: 'a1', videoTrack: 'v1', bitrate: 1_500 };

let site: TestSite;
let admin: Member;
/** Performer and whether standby is on, as published. */
const standbyChanges: [number, boolean][] = [];

beforeAll(async () => {
  site = await createSite();
  admin = await site.admin();
  await site.services.site.addSite(site.scope.operatorId, {
    displayName: 'Elsewhere',
    sitecode: 'elsewhere',
    hosts: [ELSEWHERE],
    mainDomainUrl: `https://${ELSEWHERE}`,
  });
  const scribe = subscribe(standbyChanged, 'test.standby')(async ({ payload: { performerId, on } }) => {
    standbyChanges.push([performerId, on]);
  });
  await site.data.attach({ subscriptions: [scribe], deadlineHandlers: [] });
});
afterAll(() => site.close());

/** Audio, headers and retransmissions come on top of the video. */
const ON_TOP = 1.2;

it('is let through by the relay with each bit rate that a page offers', () => {
  for (const { kilobits } of VIDEO_FORMATS) {
    const isUsual = kilobits <= DEFAULT_VIDEO_BITRATE;
    const limit = isUsual ? FIRST_VIDEO_BITS_PER_SECOND : MAX_VIDEO_BITS_PER_SECOND;
    expect(limit).toBeGreaterThanOrEqual(kilobits * 1_000 * ON_TOP);
  }
  expect(VIDEO_FORMATS.at(-1)).toEqual({ kilobits: 6_000, lines: 1_080 });
});

/** An admin lists the domains and studios whose performers may use standby. */
const opens = (standby: { domains: string[]; studios: string[] }): Promise<unknown> =>
  admin.call(changeOperatorRules, {
    standby_domains: standby.domains,
    standby_studios: standby.studios,
    reason: 'a test',
  });
beforeEach(() => opens({ domains: ['localhost'], studios: ['North'] }));

const isOn = async (performer: Member): Promise<boolean> =>
  (await performer.call(getOwnBroadcast, {})).standby;
const changesOf = ({ id }: Member): boolean[] =>
  standbyChanges.filter(([one]) => one === id).map(([, on]) => on);

describe('streamer settings', () => {
  it('have every field, with defaults for a new performer, and what they chose [C-097, C-255]', async () => {
    const performer = await site.performer();
    const read = async (): Promise<unknown> => {
      const answer = await performer.request({ url: '/api/v1/video/streamer_settings' });
      expect(answer.statusCode).toBe(200);
      return answer.json<unknown>();
    };
    const defaults = {
      streaming_tech: 'webrtc',
      dreamcam: { enabled: false, ingest_server: null },
      obs: {
        whip_server: 'http://localhost/whip',
        rtmp_server: 'rtmp://localhost:1935/live',
        has_stream_key: false,
        settings: OBS,
      },
      standby_enabled: false,
      standby_notifications_enabled: true,
      standby_allowed: true,
      session_types: {
        tip_goal: 1,
        lovense: 53,
        tip_menu: 57,
        streamer_settings: 101,
        recording: 102,
        standby: 103,
        pre_show_test: 104,
      },
      cam: { audioName: null, videoName: null, audioTrack: null, videoTrack: null, bitrate: null },
    };
    expect(await read()).toEqual(defaults);
    const dreamcamServer = 'rtmps://vr.example:443/live';
    const change = { dreamcam_server: dreamcamServer, reason: 'a camera' };
    await admin.call(changeOperatorRules, change);
    await performer.call(rotateStreamKey, {});
    await performer.call(setStreamerSettings, {
      streaming_tech: 'obs',
      standby_enabled: true,
      standby_notifications_enabled: false,
      cam: CAM,
    });
    expect(await read()).toEqual({
      ...defaults,
      streaming_tech: 'obs',
      dreamcam: { enabled: true, ingest_server: dreamcamServer },
      obs: { ...defaults.obs, has_stream_key: true },
      standby_enabled: true,
      standby_notifications_enabled: false,
      cam: CAM,
    });
    await site.tx((tx) => site.services.site.configure(tx, { dreamcamServer: null }, null));
  });

  it('are saved one by one, per performer [C-098, B-157]', async () => {
    const [performer, other] = [await site.performer(), await site.performer()];
    const before = await other.call(getStreamerSettings, {});
    const obs = await performer.call(setStreamerSettings, { streaming_tech: 'obs' });
    expect(obs.streaming_tech).toBe('obs');
    await performer.call(setStreamerSettings, { standby_notifications_enabled: false });
    await performer.call(setStreamerSettings, { cam: CAM });
    await performer.call(setStreamerSettings, {});
    const saved = await (await site.anotherTabOf(performer)).call(getStreamerSettings, {});
    expect(saved).toMatchObject({ streaming_tech: 'obs', standby_notifications_enabled: false, cam: CAM });
    expect(await site.tx((tx) => site.services.broadcast.camSettingsOf(tx, performer.id))).toEqual(CAM);
    expect(await other.call(getStreamerSettings, {})).toEqual(before);
    for (const wrong of [
      { streaming_tech: 'rtmp' },
      { streaming_tech: null },
      { standby_enabled: 'yes' },
      { cam: { ...CAM, bitrate: 20_001 } },
      { cam: { ...CAM, videoName: 'x'.repeat(121) } },
      { cam: { bitrate: 1 } },
    ]) {
      expect((await performer.refused(setStreamerSettings, wrong)).errorType).toBe('invalid_input');
    }
    expect((await performer.call(getStreamerSettings, {})).streaming_tech).toBe('obs');
    await performer.call(setStreamerSettings, { streaming_tech: 'webrtc' });
    expect((await performer.call(getStreamerSettings, {})).streaming_tech).toBe('webrtc');
  });

  it('list the codes of the tools, all different', async () => {
    const { session_types: codes } = await (await site.performer()).call(getStreamerSettings, {});
    expect(codes).toMatchObject({ tip_goal: 1, tip_menu: 57, lovense: 53 });
    const given = ['tip_goal', 'tip_menu', 'lovense'];
    const others = Object.entries(codes).filter(([name]) => !given.includes(name));
    expect(others.length).toBeGreaterThan(0);
    for (const [, code] of others) expect([1, 53, 57]).not.toContain(code);
    expect(new Set(Object.values(codes)).size).toBe(Object.keys(codes).length);
  });

  it('name the server for 180-degree cameras, if the operator has one', async () => {
    const { configure } = site.services.site;
    const dreamcamServer = 'rtmps://vr.example:443/live';
    await site.tx((tx) => configure(tx, { dreamcamServer }, null));
    const { dreamcam } = await (await site.performer()).call(getStreamerSettings, {});
    expect(dreamcam).toEqual({ enabled: true, ingest_server: dreamcamServer });
    await site.tx((tx) => configure(tx, { dreamcamServer: DEFAULT_SETTINGS.dreamcamServer }, null));
  });

  it('are for performers only', async () => {
    for (const call of [getStreamerSettings, setStreamerSettings]) {
      expect(await (await site.viewer()).refused(call, {})).toMatchObject({ status: 403 });
      expect(await (await site.visitor()).refused(call, {})).toMatchObject({ status: 401 });
    }
    expect((await (await site.viewer()).refused(setStandby, { on: true })).status).toBe(403);
  });
});

describe('standby', () => {
  it('is allowed on the domains the operator lists, and refused on all others [C-243]', async () => {
    const performer = await site.performer();
    const elsewhere = await site.anotherTabOf(performer, { host: ELSEWHERE });
    expect((await performer.call(getOwnBroadcast, {})).standbyAllowed).toBe(true);
    expect((await elsewhere.call(getOwnBroadcast, {})).standbyAllowed).toBe(false);
    expect((await elsewhere.call(getStreamerSettings, {})).standby_allowed).toBe(false);
    for (const [call, input] of [
      [setStandby, { on: true }],
      [setStreamerSettings, { standby_enabled: true }],
      [setStreamerSettings, { standby_enabled: true, streaming_tech: 'obs' }],
    ] as const) {
      const problem = await elsewhere.refused(call, input);
      expect(problem).toMatchObject({ status: 403, errorType: 'standby_not_allowed' });
    }
    expect(await isOn(performer)).toBe(false);
    // The whole request is refused: its other settings are not saved either.
    expect((await performer.call(getStreamerSettings, {})).streaming_tech).toBe('webrtc');
    expect(await performer.call(setStandby, { on: true })).toEqual({ status: 1, standby: true });
    expect(await isOn(performer)).toBe(true);
    // Standby covers all sites; the other site can neither begin it nor shows it as a setting.
    expect((await elsewhere.call(getStreamerSettings, {})).standby_enabled).toBe(false);
    expect((await performer.call(getStreamerSettings, {})).standby_enabled).toBe(true);
    expect(await elsewhere.call(setStandby, { on: false })).toEqual({ status: 1, standby: false });
    expect(await isOn(performer)).toBe(false);
  });

  it('is allowed for the studios the operator lists, on every site [C-243]', async () => {
    await opens({ domains: ['localhost'], studios: ['North', 'South', 'West'] });
    const allowed = async (studio: string | null): Promise<boolean> => {
      const performer = await site.performer({ host: ELSEWHERE });
      await admin.call(setStudio, { username: performer.username, studio });
      const { standby_allowed: isAllowed } = await performer.call(getStreamerSettings, {});
      if (isAllowed) await performer.call(setStandby, { on: true });
      else expect((await performer.refused(setStandby, { on: true })).status).toBe(403);
      return isAllowed;
    };
    expect(await Promise.all(['North', 'South', 'West'].map(allowed))).toEqual([true, true, true]);
    expect(await Promise.all(['East', 'north', null].map(allowed))).toEqual([false, false, false]);
  });

  it('is for a studio that an admin names, and ends when the studio is taken away [C-243]', async () => {
    await opens({ domains: [], studios: ['North'] });
    const performer = await site.performer();
    const { username } = performer;
    const moderator = await site.viewer({ roles: ['site_mod', 'model_admin'] });
    for (const who of [performer, moderator, await site.viewer()]) {
      expect(await who.refused(setStudio, { username, studio: 'North' })).toMatchObject({ status: 403 });
    }
    expect((await performer.refused(setStandby, { on: true })).errorType).toBe('standby_not_allowed');
    expect(await admin.call(setStudio, { username, studio: ' North ' }))
      .toEqual({ status: 1, studio: 'North' });
    await performer.call(setStandby, { on: true });
    expect(await isOn(performer)).toBe(true);
    await admin.call(setStudio, { username, studio: null });
    expect(await isOn(performer)).toBe(false);
    expect((await performer.refused(setStandby, { on: true })).errorType).toBe('standby_not_allowed');
    for (const nobody of [(await site.viewer()).username, 'nobody-here']) {
      const problem = await admin.refused(setStudio, { username: nobody, studio: 'North' });
      expect(problem).toMatchObject({ status: 404, errorType: 'performer_unknown' });
    }
  });

  it('is allowed to nobody by default, nor to performers without a clearance', async () => {
    const uncleared = await site.performer({ cleared: false });
    expect((await uncleared.refused(setStandby, { on: true })).errorType).toBe('standby_not_allowed');
    await opens({ domains: [], studios: [] });
    const performer = await site.performer();
    await (await site.admin()).call(setStudio, { username: performer.username, studio: 'North' });
    expect((await performer.refused(setStandby, { on: true })).errorType).toBe('standby_not_allowed');
  });

  it('is sent to the performer\'s own tabs and published, once', async () => {
    const performer = await site.performer();
    const tab = await site.socketOf(await site.anotherTabOf(performer));
    await performer.call(setStandby, { on: true });
    await performer.call(setStandby, { on: true });
    await site.settle();
    expect(await tab.waitFor(broadcastStateChanged)).toEqual(
      { state: 'offline', reason: null, standby: true },
    );
    const view = await site.tx((tx) => site.services.broadcast.viewOf(tx, performer.id));
    expect(view).toMatchObject({ state: 'offline', standby: true });
    await performer.call(setStandby, { on: false });
    await performer.call(setStandby, { on: false });
    await site.settle();
    expect(changesOf(performer)).toEqual([true, false]);
  });

  it('ends by itself, however often it was restarted', async () => {
    const performer = await site.performer();
    await performer.call(setStandby, { on: true });
    await site.passes(4 * 3_600_000 - 60_000);
    await performer.call(setStandby, { on: true });
    await site.passes(4 * 3_600_000 - 1);
    expect(await isOn(performer)).toBe(true);
    await site.passes(1);
    expect(await isOn(performer)).toBe(false);
    expect(changesOf(performer)).toEqual([true, false]);
  });

  it('ends on going live, and is refused while live', async () => {
    const performer = await site.performer();
    await performer.call(setStandby, { on: true });
    await performer.goesLive();
    expect(await isOn(performer)).toBe(false);
    await site.settle();
    expect(changesOf(performer)).toEqual([true, false]);
    expect(await performer.refused(setStandby, { on: true })).toMatchObject({
      status: 409,
      errorType: 'already_live',
    });
  });

  it('ends with the log-in session that began it, not with another', async () => {
    const performer = await site.performer();
    const [tab, other] = [await site.anotherTabOf(performer), await site.anotherTabOf(performer)];
    await tab.call(setStandby, { on: true });
    await other.call(logout, {});
    await site.settle();
    expect(await isOn(performer)).toBe(true);
    await tab.call(logout, {});
    await site.settle();
    expect(await isOn(performer)).toBe(false);
  });

  it('ends with a suspension, a revoked clearance, and when it is switched off', async () => {
    const [out, revoked, off] = [await site.performer(), await site.performer(), await site.performer()];
    for (const performer of [out, revoked, off]) await performer.call(setStandby, { on: true });
    const order = { suspended: true, actorId: null, reason: 'a test' };
    await site.tx((tx) => site.services.accounts.suspend(tx, out.id, order));
    const decision = { username: revoked.username, decision: 'revoke', reason: 'a test' } as const;
    await (await site.admin()).call(decideClearance, decision);
    const settings = await off.call(setStreamerSettings, { standby_enabled: false });
    expect(settings.standby_enabled).toBe(false);
    await site.settle();
    for (const performer of [out, revoked, off]) expect(changesOf(performer)).toEqual([true, false]);
    const left = await site.tx((tx) =>
      sql`select from broadcast.standbys
      where performer_id in (${out.id}, ${revoked.id}, ${off.id})`.execute(tx.sql())
    );
    expect(left.rows).toEqual([]);
  });
});

describe('members who enter during standby', () => {
  const comes = (performer: Member, { id }: { id: number }): Promise<void> =>
    site.tx((tx) => site.services.broadcast.memberEntered(tx, performer.id, id));

  it('are reported to the performer once a minute each, unless turned off', async () => {
    const performer = await site.performer();
    const [one, two] = [await site.viewer(), await site.viewer()];
    const tab = await site.socketOf(performer);
    await comes(performer, one);
    await performer.call(setStandby, { on: true });
    for (const visitor of [one, one, two, performer, one]) await comes(performer, visitor);
    await site.settle();
    const notified = (): string[] => tab.received(standbyVisitor).map(({ username }) => username);
    await tab.waitFor(standbyVisitor, ({ username }) => username === two.username);
    expect(notified()).toEqual([one.username, two.username]);
    await site.passes(60_000);
    await comes(performer, one);
    await site.settle();
    await performer.call(setStreamerSettings, { standby_notifications_enabled: false });
    await site.passes(60_000);
    await comes(performer, two);
    await performer.call(setStreamerSettings, { standby_notifications_enabled: true });
    await comes(performer, one);
    await performer.call(setStandby, { on: false });
    await comes(performer, two);
    await site.settle();
    await tab.waitFor(broadcastStateChanged, ({ standby }) => !standby);
    expect(notified()).toEqual([one.username, two.username, one.username, one.username]);
    expect(tab.received(standbyVisitor)[0]).toEqual({
      username: one.username,
      display_name: one.person.displayName,
    });
  });

  it('are limited when a crowd comes', async () => {
    const performer = await site.performer();
    const tab = await site.socketOf(performer);
    await performer.call(setStandby, { on: true });
    const { accounts } = site.services;
    const crowd = await Promise.all(
      Array.from({ length: MAX_STANDBY_NOTICES + 3 }, (_, at) =>
        accounts.create(site.scope, {
          username: `crowd_${at}`,
          displayName: `crowd ${at}`,
          email: `crowd_${at}@people.example`,
          password: 'correct horse battery',
          passwordHash: 'never used',
          birthDate: '1990-01-01',
          type: 'user',
          gender: null,
          roles: [],
        })),
    );
    for (const visitor of crowd) await comes(performer, visitor);
    await performer.call(setStandby, { on: false });
    await site.settle();
    await tab.waitFor(broadcastStateChanged, ({ standby }) => !standby);
    expect(tab.received(standbyVisitor)).toHaveLength(MAX_STANDBY_NOTICES);
  });
});

it('logs no errors', () => expect(site.log).toEqual([]));

it('an upload check counts what arrives, for performers alone', async () => {
  const performer = await site.performer();
  expect(await performer.call(checkUpload, { data: 'x'.repeat(UPLOAD_PART_BYTES) }))
    .toEqual({ bytes: UPLOAD_PART_BYTES });
  await expect((await site.viewer()).call(checkUpload, { data: 'x' })).rejects.toThrow();
});
