import type { Caller } from '#platform/contract/context.ts';
import { implement } from '#platform/contract/extension-point.ts';
import { endBroadcast, getPlayback } from '#product/broadcast/contract.ts';
import { hlsPlaylist, hlsSegment } from '#product/broadcast/contract/hls.ts';
import { setStandby, setStreamerSettings, standbyVisitor } from '#product/broadcast/contract/settings.ts';
import {
  setOfflineVideo,
  setPublicRecording,
  startRecording,
  stopRecording,
} from '#product/recordings/contract.ts';
import { media, playbackOf, plays } from '#product/testkit/media/media-client.ts';
import type { TestSocket } from '#product/testkit/rooms/room-socket.ts';
import { endsPrivate, privatePerformer, startsPrivate } from '#product/testkit/shows/private-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatUpdate, getRoom } from './contract.ts';
import { saveRoomSettings } from './contract/controls.ts';
import { viewConditions } from './extension-points.ts';
import type { DecidedConditions } from './rules/view-conditions.ts';
import { viewDecider } from './server.ts';

/** Conditions of later slices, for a viewer. */
type Decided = Omit<DecidedConditions, 'mode'>;
type Conditions = (caller: Caller) => Partial<Decided>;
const PUBLIC: Decided = { isShowGuestOverlay: false, isCardRequired: false, hasCard: false };

let site: TestSite;
let conditions: Map<number, Conditions>;
beforeAll(async () => {
  conditions = new Map();
  site = await createSite({
    implementations: [
      implement(
        viewConditions,
        viewDecider({
          decides: ['isShowGuestOverlay', 'isCardRequired', 'hasCard'],
          of: async (_tx, caller, performerId) => ({ ...PUBLIC, ...conditions.get(performerId)?.(caller) }),
        }),
      ),
    ],
  });
  site.data.start();
});
afterAll(() => site.close());

const roomOf = (visitor: Visitor, { username }: Member) => visitor.call(getRoom, { username });

/** The stream status of a viewer, and whether room data and playback give the stream. */
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

/** A live performer with conditions of a later slice. */
async function behind(given: Conditions): Promise<Member> {
  const performer = await site.performer({ live: true });
  conditions.set(performer.id, given);
  await site.services.broadcast.review(site.scope, performer.id);
  return performer;
}

describe('the video for a viewer', () => {
  it('is the stream while online, and nothing while offline [B-207, B-214]', async () => {
    const performer = await site.performer();
    const viewer = await site.viewer();
    expect(await seen(viewer, performer)).toBe('offline');
    await performer.goesLive();
    expect(await seen(viewer, performer)).toBe('online, with stream');
    const guest = await site.visitor({ ofAge: true });
    expect(await seen(guest, performer)).toBe('online, with stream');
    await performer.call(endBroadcast, {});
    await site.settle();
    for (const who of [viewer, guest, performer]) expect(await seen(who, performer)).toBe('offline');
  });

  it('is hidden from viewers without the password, but not from room admins [B-206]', async () => {
    const performer = await site.performer({ live: true });
    await performer.call(saveRoomSettings, { username: performer.username, camPassword: 'candle light' });
    const viewer = await site.viewer();
    expect(await seen(viewer, performer)).toBe('password_required');
    expect((await roomOf(viewer, performer)).userSetting.hasCamPassword).toBe(true);
    for (const role of ['site_mod', 'model_admin', 'admin'] as const) {
      expect(await seen(await site.viewer({ roles: [role] }), performer)).toBe('online, with stream');
    }
    expect(await seen(performer, performer)).toBe('online, with stream');
    const moderator = await site.viewer();
    await performer.moderates('moderator', moderator);
    for (const who of [await site.performer(), moderator, await site.visitor({ ofAge: true })]) {
      expect(await seen(who, performer)).toBe('password_required');
    }
    // This check comes before `offline`.
    await performer.call(endBroadcast, {});
    await site.settle();
    expect(await seen(viewer, performer)).toBe('password_required');
    expect(await seen(performer, performer)).toBe('offline');
  });

  it('is hidden from guests behind the overlay, and from viewers without a card', async () => {
    const overlaid = await behind(({ kind }) => ({ isShowGuestOverlay: kind !== 'person' }));
    const viewer = await site.viewer();
    expect(await seen(await site.visitor({ ofAge: true }), overlaid)).toBe('guest_overlay');
    expect(await seen(viewer, overlaid)).toBe('online, with stream');
    const carded = await behind(({ personId }) => (
      { isCardRequired: true, hasCard: personId === viewer.id }
    ));
    expect(await seen(viewer, carded)).toBe('online, with stream');
    expect(await seen(await site.viewer(), carded)).toBe('cc_required');
  });

  it('is for participants of a show; the others never receive its stream name', async () => {
    const performer = await privatePerformer(site);
    const [guest, outsider] = [await site.viewer({ tokens: 100 }), await site.viewer()];
    const anonymous = await site.visitor({ ofAge: true });
    const sockets = [await outsider.joins(performer), await site.socketOf(anonymous, performer.username)];
    const inside = [await guest.joins(performer), await performer.joins(performer)];
    const before = await roomOf(outsider, performer);
    await startsPrivate(guest, performer);
    const { stream: secret } = await playbackOf(guest, performer);
    expect(secret).not.toBe(before.stream.stream_name);

    const isPrivate = ({ status }: { status: string }) => status === 'private';
    for (const socket of inside) {
      await socket.waitFor(chatUpdate, (update) => isPrivate(update) && update.stream_name === secret);
    }
    for (const socket of sockets) await socket.waitFor(chatUpdate, isPrivate);
    // Viewers who join during the show get no more than that, nor does the room data contain it.
    const late = [await (await site.viewer()).joins(performer)];
    for (const socket of late) expect((await socket.waitFor(chatUpdate)).status).toBe('private');
    for (const visitor of [outsider, anonymous]) expect(await seen(visitor, performer)).toBe('private');
    expect(JSON.stringify(await roomOf(outsider, performer))).not.toContain(secret);

    expect(await seen(guest, performer)).toBe('online, with stream');
    expect(await roomOf(performer, performer)).toMatchObject({
      chat: { status: 'private', mode: 'private' },
      streamStatus: 'online',
      stream: { stream_name: secret },
    });

    await endsPrivate(guest, performer);
    const { stream: back } = await playbackOf(outsider, performer);
    for (const socket of [...sockets, ...late, ...inside]) {
      await socket.waitFor(chatUpdate, (update) => update.stream_name === back);
    }
    for (const socket of [...sockets, ...late]) expect(allEvents(socket)).not.toContain(secret);
    expect(await seen(outsider, performer)).toBe('online, with stream');
  });

  it('is hidden from a viewer who joins between the move and the delivery of its fact', async () => {
    // Facts are not delivered here: the one for the room stays in the outbox.
    const slow = await createSite();
    const performer = await slow.performer({ live: true });
    const viewer = await slow.viewer();
    const { stream: before } = await roomOf(viewer, performer);
    const moved = await slow.services.broadcast.move(slow.scope, performer.id, 'private');
    const socket = await viewer.joins(performer);
    expect(await socket.waitFor(chatUpdate)).toMatchObject({ status: 'private', stream_name: null });
    expect(await seen(viewer, performer)).toBe('private');
    for (const name of [moved?.stream, before.stream_name]) expect(allEvents(socket)).not.toContain(name);
    await slow.close();
  });

  it('is checked at each use of a token, for each viewer', async () => {
    const performer = await privatePerformer(site);
    const [knows, forgot] = [await site.viewer({ tokens: 100 }), await site.viewer()];
    const tokens = new Map<Member, { stream: string; token: string }>();
    for (const viewer of [knows, forgot]) tokens.set(viewer, await playbackOf(viewer, performer));
    const uses = async (viewer: Member): Promise<number[]> => {
      const { stream = '', token = '' } = tokens.get(viewer) ?? {};
      const input = { stream, rendition: 'source', token };
      const replies = [
        await media(viewer, hlsPlaylist, input),
        await media(viewer, hlsSegment, { ...input, file: '0.m4s' }),
        await plays(viewer, stream, token),
      ];
      return replies.map(({ status }) => status);
    };
    for (const viewer of [knows, forgot]) expect(await uses(viewer)).toEqual([200, 200, 201]);
    conditions.set(
      performer.id,
      ({ personId }) => ({ isCardRequired: true, hasCard: personId === knows.id }),
    );
    await site.services.broadcast.review(site.scope, performer.id);
    const { stream } = await playbackOf(knows, performer);
    expect(site.engine.readersOf(stream)).toBe(1);
    // In either order: no result is shared between viewers.
    for (const viewer of [knows, forgot, knows, forgot]) {
      expect(await uses(viewer)).toEqual(viewer === knows ? [200, 200, 201] : [403, 403, 403]);
    }
    await startsPrivate(knows, performer);
    const moved = await playbackOf(knows, performer);
    tokens.set(knows, moved);
    expect(await uses(knows)).toEqual([200, 200, 201]);
    expect(await uses(forgot)).toEqual([404, 404, 404]);
    await endsPrivate(knows, performer);
    expect(site.engine.readersOf(moved.stream)).toBe(0);
    expect(await uses(knows)).toEqual([404, 404, 404]);
  });

  it('returns after a drop, for viewers who were there and who joined meanwhile', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer();
    const { stream } = await roomOf(viewer, performer);
    site.engine.drop(stream.stream_name ?? '', 'silent');
    await expect.poll(async () => (await roomOf(viewer, performer)).chat.status).toBe('reconnecting');
    expect(await seen(viewer, performer)).toBe('connected, with stream');
  });
});

describe('an interruption', () => {
  it('that ends before its fact is delivered is sent all the same: players lost the video', async () => {
    // The test delivers both facts at once.
    const slow = await createSite();
    const performer = await slow.performer({ live: true });
    const viewer = await slow.viewer();
    const { stream } = await roomOf(viewer, performer);
    const socket = await viewer.joins(performer);
    await socket.waitFor(chatUpdate);
    slow.engine.drop(stream.stream_name ?? '', 'relay_lost');
    await performer.goesLive();
    await expect.poll(() => socket.received(chatUpdate)).toHaveLength(2);
    expect(socket.received(chatUpdate)[1]).toEqual(socket.received(chatUpdate)[0]);
    await slow.close();
  });
});

const allEvents = (socket: TestSocket): string => JSON.stringify(socket.events);

describe('standby', () => {
  /** The operator opens standby to the site's own domain. */
  const opensStandby = async (): Promise<void> => {
    const { configure, viewOf } = site.services.site;
    const { domain_name: domain } = await viewOf(site.scope);
    await site.tx((tx) => configure(tx, { standby: { domains: [domain], studios: [] } }, null));
  };

  it('is sent to the room, and ends by itself or when the performer goes live [B-213]', async () => {
    await opensStandby();
    const performer = await site.performer();
    const viewer = await site.viewer();
    const socket = await viewer.joins(performer);
    const statuses = (): string[] => socket.received(chatUpdate).map(({ status }) => status);
    await performer.call(setStandby, { on: true });
    await expect.poll(statuses).toEqual(['offline', 'standby']);
    expect(await seen(viewer, performer)).toBe('standby');
    await performer.call(setStandby, { on: false });
    await expect.poll(statuses).toEqual(['offline', 'standby', 'offline']);
    await performer.call(setStandby, { on: true });
    await performer.goesLive();
    await expect.poll(() => statuses().at(-1)).toBe('online');
  });

  it('notifies the performer of members who visit, but not of guests', async () => {
    await opensStandby();
    const performer = await site.performer();
    await performer.call(setStreamerSettings, { standby_notifications_enabled: true });
    await performer.call(setStandby, { on: true });
    const owner = await site.socketOf(performer);
    await site.socketOf(await site.visitor({ ofAge: true }), performer.username);
    const member = await site.viewer();
    await member.joins(performer);
    expect(await owner.waitFor(standbyVisitor)).toMatchObject({ username: member.username });
    expect(owner.received(standbyVisitor)).toHaveLength(1);
  });
});

describe('a performer\'s devices', () => {
  it('are in the room data of room admins only [B-157]', async () => {
    const performer = await site.performer();
    const cam = {
      audioName: 'Desk microphone',
      videoName: 'Front camera',
      audioTrack: 'a1',
      videoTrack: 'v1',
      bitrate: 2_500,
    };
    await performer.call(setStreamerSettings, { cam });
    const none = { audioName: null, videoName: null, audioTrack: null, videoTrack: null, bitrate: null };
    const camOf = async (visitor: Visitor) => (await roomOf(visitor, performer)).userSetting.camSettings;
    const moderator = await site.viewer();
    await performer.moderates('moderator', moderator);
    const admins = [performer, await site.admin()];
    for (const role of ['site_mod', 'model_admin'] as const) {
      admins.push(await site.viewer({ roles: [role] }));
    }
    for (const who of admins) expect(await camOf(who)).toEqual(cam);
    for (const who of [
      await site.viewer(),
      moderator,
      await site.performer(),
      await site.visitor({ ofAge: true }),
    ]) expect(await camOf(who)).toEqual(none);
    const other = {
      audioName: 'Headset',
      videoName: null,
      audioTrack: 'a2',
      videoTrack: 'v2',
      bitrate: 6_000,
    };
    await performer.call(setStreamerSettings, { cam: other });
    expect(await camOf(performer)).toEqual(other);
  });
});

describe('recordings in room data', () => {
  it('say whether the show may be recorded, with the chosen offline video [B-144, B-158]', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer();
    const none = { videoUrl: null, videoWidth: null, videoHeight: null };
    expect((await roomOf(viewer, performer)).userSetting).toMatchObject({
      public_recording: {
        isEnabled: false,
        isRecording: false,
        pricePerMinuteInToken: 0,
        recordingEnd: null,
      },
      offlineVideo: none,
    });
    await performer.call(setPublicRecording, { isEnabled: true, pricePerMinuteInToken: 6 });
    const { id } = await performer.call(startRecording, { consent: true });
    const recorded = async () => (await roomOf(viewer, performer)).userSetting.public_recording;
    // A recording takes eight hours at most.
    const recordingEnd = new Date(site.clock.now().getTime() + 8 * 3_600_000).toISOString();
    expect(await recorded())
      .toEqual({ isEnabled: true, isRecording: true, pricePerMinuteInToken: 6, recordingEnd });
    site.outputs.film((await roomOf(viewer, performer)).stream.stream_name ?? '', 2);
    await performer.call(stopRecording, {});
    expect(await recorded())
      .toEqual({ isEnabled: true, isRecording: false, pricePerMinuteInToken: 6, recordingEnd: null });
    await performer.call(setPublicRecording, { isEnabled: false, pricePerMinuteInToken: 7 });
    expect(await recorded()).toMatchObject({ isEnabled: false, pricePerMinuteInToken: 7 });
    await performer.call(setOfflineVideo, { recording_id: id });
    const { offlineVideo } = (await roomOf(await site.visitor({ ofAge: true }), performer)).userSetting;
    expect(offlineVideo).toEqual({
      videoUrl: expect.stringContaining(performer.username),
      videoWidth: 640,
      videoHeight: 360,
    });
    expect((await viewer.request({ url: offlineVideo.videoUrl ?? '' })).statusCode).toBe(200);
  });
});

describe('age verification', () => {
  it('is in the room data where the law of the viewer\'s location requires it', async () => {
    const performer = await site.performer();
    const asked = async (visitor: Visitor) => (await roomOf(visitor, performer)).isAgeVerificationRequired;
    expect(await asked(performer)).toBe(false);
    expect(await asked(await site.anotherTabOf(performer, { region: 'GB' }))).toBe(true);
  });
});
