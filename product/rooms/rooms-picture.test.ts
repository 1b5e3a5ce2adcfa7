import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../../platform/contract/context.ts';
import { implement } from '../../platform/contract/extension-point.ts';
import {
  getPlayback, hlsPlaylist, hlsSegment, setStandby, setStreamerSettings, standbyVisitor,
} from '../broadcast/contract.ts';
import {
  setOfflineVideo, setPublicRecording, startRecording, stopRecording,
} from '../recordings/contract.ts';
import { media, playbackOf, plays } from '../testkit/media/media-client.ts';
import type { TestSocket } from '../testkit/rooms/room-socket.ts';
import { createSite, type Member, type TestSite } from '../testkit/site.ts';
import type { Visitor } from '../testkit/visitor.ts';
import { chatUpdate, getRoom, saveRoomSettings } from './contract.ts';
import { showParties, viewConditions } from './extension-points.ts';
import type { ViewConditions } from './rules.ts';

/** What slices to come will say: by performer, who is told what. */
type Told = (caller: Caller) => Partial<Omit<ViewConditions, 'hasCamPassword'>>;

let site: TestSite;
let told: Map<number, Told>;
let parties: Map<number, readonly number[]>;
beforeAll(async () => {
  told = new Map();
  parties = new Map();
  site = await createSite({
    implementations: [
      implement(viewConditions, async (_tx, caller, performerId) => told.get(performerId)?.(caller) ?? {}),
      implement(showParties, async (_tx, performerId) => parties.get(performerId) ?? []),
    ],
  });
  site.data.start();
});
afterAll(() => site.close());

const roomOf = (visitor: Visitor, { username }: Member) => visitor.call(getRoom, { username });

/** What a viewer is shown, and whether the stream comes with it: room data and playback say the same. */
async function seen(visitor: Visitor, { username }: Member): Promise<string> {
  const { streamStatus, stream } = await visitor.call(getRoom, { username });
  const isShown = stream.stream_name !== null;
  expect([stream.token !== null, stream.edge_servers.length > 0]).toEqual([isShown, isShown]);
  if (isShown) {
    expect((await visitor.call(getPlayback, { username })).stream_name).toBe(stream.stream_name);
  } else {
    expect(await visitor.refused(getPlayback, { username })).toMatchObject({ errorType: 'stream_offline' });
  }
  return isShown ? `${streamStatus}, with stream` : streamStatus;
}

/** A performer who is live, behind what a slice to come would say. */
async function behind(conditions: Told): Promise<Member> {
  const performer = await site.performer({ live: true });
  told.set(performer.id, conditions);
  await site.services.broadcast.review(site.scope, performer.id);
  return performer;
}

describe('what a viewer gets of a room\'s picture', () => {
  it('is the stream while it is online, and nothing of it while offline [B-119, B-207, B-214]', async () => {
    const performer = await site.performer();
    const viewer = await site.viewer();
    expect(await seen(viewer, performer)).toBe('offline');
    await performer.goesLive();
    expect(await seen(viewer, performer)).toBe('online, with stream');
    expect(await seen(await site.visitor({ ofAge: true }), performer)).toBe('online, with stream');
  });

  it('is kept from who does not know the password, and from nobody above the room [B-206]', async () => {
    const performer = await site.performer({ live: true });
    await performer.call(saveRoomSettings, { username: performer.username, camPassword: 'candle light' });
    const viewer = await site.viewer();
    expect(await seen(viewer, performer)).toBe('password_required');
    expect((await roomOf(viewer, performer)).userSetting.hasCamPassword).toBe(true);
    for (const role of ['site_mod', 'model_admin', 'admin'] as const) {
      expect(await seen(await site.viewer({ roles: [role] }), performer)).toBe('online, with stream');
    }
    expect(await seen(performer, performer)).toBe('online, with stream');
    expect(await seen(await site.performer(), performer)).toBe('password_required');
  });

  it('is kept from guests behind the overlay, and from who has no card [B-208, B-209]', async () => {
    const overlaid = await behind(({ kind }) => ({ isShowGuestOverlay: kind !== 'person' }));
    const viewer = await site.viewer();
    expect(await seen(await site.visitor({ ofAge: true }), overlaid)).toBe('guest_overlay');
    expect(await seen(viewer, overlaid)).toBe('online, with stream');
    const carded = await behind(({ personId }) => (
      { isCardRequired: true, hasCard: personId === viewer.id }));
    expect(await seen(viewer, carded)).toBe('online, with stream');
    expect(await seen(await site.viewer(), carded)).toBe('cc_required');
  });

  it('stays with those in a show; the others hear no word of its stream [B-212]', async () => {
    const performer = await site.performer({ live: true });
    const [guest, outsider] = [await site.viewer(), await site.viewer()];
    told.set(performer.id, ({ personId }) => ({ mode: personId === guest.id ? 'private' : 'public' }));
    parties.set(performer.id, [guest.id]);
    const anonymous = await site.visitor({ ofAge: true });
    const sockets = [await outsider.joins(performer), await site.socketOf(anonymous, performer.username)];
    const inside = [await guest.joins(performer), await performer.joins(performer)];
    const before = await roomOf(outsider, performer);
    const moved = await site.services.broadcast.move(site.scope, performer.id, 'private');
    const secret = moved?.stream ?? '';
    expect(secret).not.toBe(before.stream.stream_name);

    const isPrivate = ({ status }: { status: string }) => status === 'private';
    for (const socket of inside) {
      await socket.waitFor(chatUpdate, (update) => isPrivate(update) && update.stream_name === secret);
    }
    for (const socket of sockets) await socket.waitFor(chatUpdate, isPrivate);
    // Those who come while it runs, and the room's data, tell no more.
    const late = [await (await site.viewer()).joins(performer)];
    for (const socket of late) expect((await socket.waitFor(chatUpdate)).status).toBe('private');
    for (const visitor of [outsider, anonymous]) expect(await seen(visitor, performer)).toBe('private');
    expect(JSON.stringify(await roomOf(outsider, performer))).not.toContain(secret);

    expect(await seen(guest, performer)).toBe('online, with stream');
    expect(await roomOf(performer, performer)).toMatchObject({
      chat: { status: 'private', mode: 'private' }, streamStatus: 'online', stream: { stream_name: secret },
    });

    const back = await site.services.broadcast.move(site.scope, performer.id, 'public');
    for (const socket of [...sockets, ...late, ...inside]) {
      await socket.waitFor(chatUpdate, (update) => update.stream_name === back?.stream);
    }
    for (const socket of [...sockets, ...late]) expect(heardAll(socket)).not.toContain(secret);
    expect(await seen(outsider, performer)).toBe('online, with stream');
  });

  it('a viewer who comes between the move and the room\'s hearing of it learns nothing', async () => {
    // Nothing is delivered here: the fact that tells the room stays on its way.
    const slow = await createSite();
    const performer = await slow.performer({ live: true });
    const viewer = await slow.viewer();
    const { stream: before } = await roomOf(viewer, performer);
    const moved = await slow.services.broadcast.move(slow.scope, performer.id, 'private');
    const socket = await viewer.joins(performer);
    expect(await socket.waitFor(chatUpdate)).toMatchObject({ status: 'private', stream_name: null });
    expect(await seen(viewer, performer)).toBe('private');
    for (const name of [moved?.stream, before.stream_name]) expect(heardAll(socket)).not.toContain(name);
    await slow.close();
  });

  it('counts at each use of a token, for each viewer by himself', async () => {
    const performer = await site.performer({ live: true });
    const [knows, forgot] = [await site.viewer(), await site.viewer()];
    const tokens = new Map<Member, { stream: string; token: string }>();
    for (const viewer of [knows, forgot]) tokens.set(viewer, await playbackOf(viewer, performer));
    const uses = async (viewer: Member): Promise<number[]> => {
      const { stream = '', token = '' } = tokens.get(viewer) ?? {};
      const input = { stream, rendition: 'source', token };
      const replies = [
        await media(viewer, hlsPlaylist, input), await media(viewer, hlsSegment, { ...input, file: '0.m4s' }),
        await plays(viewer, stream, token),
      ];
      return replies.map(({ status }) => status);
    };
    for (const viewer of [knows, forgot]) expect(await uses(viewer)).toEqual([200, 200, 201]);
    told.set(performer.id, ({ personId }) => ({ isCardRequired: true, hasCard: personId === knows.id }));
    await site.services.broadcast.review(site.scope, performer.id);
    const { stream } = await playbackOf(knows, performer);
    expect(site.engine.readersOf(stream)).toBe(1);
    // Whoever asks first: no answer is another one's.
    for (const viewer of [knows, forgot, knows, forgot]) {
      expect(await uses(viewer)).toEqual(viewer === knows ? [200, 200, 201] : [403, 403, 403]);
    }
    const moved = await site.services.broadcast.move(site.scope, performer.id, 'private');
    told.set(performer.id, ({ personId }) => ({ mode: personId === knows.id ? 'private' : 'public' }));
    tokens.set(knows, await playbackOf(knows, performer));
    expect(await uses(knows)).toEqual([200, 200, 201]);
    expect(await uses(forgot)).toEqual([404, 404, 404]);
    told.set(performer.id, () => ({}));
    await site.services.broadcast.review(site.scope, performer.id);
    expect(site.engine.readersOf(moved?.stream ?? '')).toBe(0);
    expect(await uses(knows)).toEqual([403, 403, 403]);
  });

  it('comes back after a drop, for who was there and who came meanwhile [B-210]', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer();
    const { stream } = await roomOf(viewer, performer);
    site.engine.drop(stream.stream_name ?? '', 'silent');
    await expect.poll(async () => (await roomOf(viewer, performer)).chat.status).toBe('reconnecting');
    expect(await seen(viewer, performer)).toBe('connected, with stream');
  });
});

describe('an interruption', () => {
  it('that is over before the room hears of it is told all the same: pictures were lost', async () => {
    // Facts are delivered here when the test says so: both at once.
    const slow = await createSite();
    const performer = await slow.performer({ live: true });
    const viewer = await slow.viewer();
    const { stream } = await roomOf(viewer, performer);
    const socket = await viewer.joins(performer);
    await socket.waitFor(chatUpdate);
    slow.engine.drop(stream.stream_name ?? '', 'relay_lost');
    await performer.goesLive();
    await expect.poll(() => socket.heard(chatUpdate)).toHaveLength(2);
    expect(socket.heard(chatUpdate)[1]).toEqual(socket.heard(chatUpdate)[0]);
    await slow.close();
  });
});

const heardAll = (socket: TestSocket): string => JSON.stringify(socket.events);

describe('standby', () => {
  /** The operator opens standby to the site's own domain. */
  const opensStandby = async (): Promise<void> => {
    const { configure, viewOf } = site.services.site;
    const { domain_name: domain } = await viewOf(site.scope);
    await site.tx((tx) => configure(tx, { standby: { domains: [domain], studios: [] } }, null));
  };

  it('is told to the room, and over when it ends or the performer goes live [B-213]', async () => {
    await opensStandby();
    const performer = await site.performer();
    const viewer = await site.viewer();
    const socket = await viewer.joins(performer);
    const course = (): string[] => socket.heard(chatUpdate).map(({ status }) => status);
    await performer.call(setStandby, { on: true });
    await expect.poll(course).toEqual(['offline', 'standby']);
    expect(await seen(viewer, performer)).toBe('standby');
    await performer.call(setStandby, { on: false });
    await expect.poll(course).toEqual(['offline', 'standby', 'offline']);
    await performer.call(setStandby, { on: true });
    await performer.goesLive();
    await expect.poll(() => course().at(-1)).toBe('online');
  });

  it('tells the performer of members who come, not of guests', async () => {
    await opensStandby();
    const performer = await site.performer();
    await performer.call(setStreamerSettings, { standby_notifications_enabled: true });
    await performer.call(setStandby, { on: true });
    const desk = await site.socketOf(performer);
    await site.socketOf(await site.visitor({ ofAge: true }), performer.username);
    const member = await site.viewer();
    await member.joins(performer);
    expect(await desk.waitFor(standbyVisitor)).toMatchObject({ username: member.username });
    expect(desk.heard(standbyVisitor)).toHaveLength(1);
  });
});

describe('a performer\'s devices', () => {
  it('stand in the room data of those above the room alone [B-157]', async () => {
    const performer = await site.performer();
    const cam = {
      audioName: 'Desk microphone', videoName: 'Front camera', audioTrack: 'a1', videoTrack: 'v1',
      bitrate: 2_500,
    };
    await performer.call(setStreamerSettings, { cam });
    const none = { audioName: null, videoName: null, audioTrack: null, videoTrack: null, bitrate: null };
    const camOf = async (visitor: Visitor) => (await roomOf(visitor, performer)).userSetting.camSettings;
    expect(await camOf(performer)).toEqual(cam);
    expect(await camOf(await site.viewer({ roles: ['site_mod'] }))).toEqual(cam);
    expect(await camOf(await site.viewer())).toEqual(none);
    expect(await camOf(await site.visitor({ ofAge: true }))).toEqual(none);
  });
});

describe('recordings in room data', () => {
  it('are whether the show may be recorded, and the offline video she chose [B-144, B-158]', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer();
    const none = { videoUrl: null, videoWidth: null, videoHeight: null };
    expect((await roomOf(viewer, performer)).userSetting).toMatchObject({
      public_recording: {
        isEnabled: false, isRecording: false, pricePerMinuteInToken: 0, recordingEnd: null,
      },
      offlineVideo: none,
    });
    await performer.call(setPublicRecording, { isEnabled: true, pricePerMinuteInToken: 6 });
    const { id } = await performer.call(startRecording, { consent: true });
    expect((await roomOf(viewer, performer)).userSetting.public_recording)
      .toMatchObject({ isEnabled: true, isRecording: true, pricePerMinuteInToken: 6 });
    site.outputs.film((await roomOf(viewer, performer)).stream.stream_name ?? '', 2);
    await performer.call(stopRecording, {});
    await performer.call(setOfflineVideo, { recording_id: id });
    const { offlineVideo } = (await roomOf(await site.visitor({ ofAge: true }), performer)).userSetting;
    expect(offlineVideo).toEqual({
      videoUrl: expect.stringContaining(performer.username), videoWidth: 640, videoHeight: 360,
    });
    expect((await viewer.request({ url: offlineVideo.videoUrl ?? '' })).statusCode).toBe(200);
  });
});

describe('age verification', () => {
  it('is in the data of a room whose owner looks at it from where the law asks for a proof', async () => {
    const performer = await site.performer();
    const asked = async (visitor: Visitor) => (await roomOf(visitor, performer)).isAgeVerificationRequired;
    expect(await asked(performer)).toBe(false);
    expect(await asked(await site.anotherTabOf(performer, { region: 'GB' }))).toBe(true);
  });
});
