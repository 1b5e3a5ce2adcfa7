import { getPlayback } from '#product/broadcast/contract.ts';
import { getPreview, getThumbnail } from '#product/broadcast/contract/pictures.ts';
import { declareAge } from '#product/compliance/contract.ts';
import {
  getOfflineVideo,
  setOfflineVideo,
  startRecording,
  stopRecording,
} from '#product/recordings/contract.ts';
import { getRoom } from '#product/rooms/contract.ts';
import { enterPassword, saveRoomSettings } from '#product/rooms/contract/controls.ts';
import { DEVICE_COOKIE } from '#product/rooms/rules.ts';
import { media } from '#product/testkit/media/media-client.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { getChatRules, moderate } from './contract.ts';

const PICTURES = [getThumbnail, getPreview, getOfflineVideo] as const;
const ALL = { status: [200, 200, 200], playback: true };
const NONE = { status: [404, 404, 404], playback: false };

let site: TestSite;
let performer: Member;
beforeAll(async () => {
  site = await createSite();
  site.data.start();
});
afterAll(() => site.close());
/** A live performer with a thumbnail, a preview and an offline video. */
beforeEach(async () => {
  performer = await site.performer({ live: true });
  const { id } = await performer.call(startRecording, { consent: true });
  const stream = await streamOf(performer);
  site.outputs.film(stream, 2);
  await performer.call(stopRecording, {});
  await performer.call(setOfflineVideo, { recording_id: id });
  site.outputs.photograph(stream);
});

const streamOf = async (who: Visitor): Promise<string> =>
  (await who.call(getPlayback, { username: performer.username })).stream_name;

/** Which of thumbnail, preview and offline video a visitor gets, and whether they may watch. */
async function seenBy(who: Visitor): Promise<typeof ALL> {
  const { username } = performer;
  const replies = [];
  for (const call of PICTURES) replies.push(await media(who, call, { username }));
  for (const { status, headers, code } of replies) {
    if (status !== 200) expect(code).toBe('picture_unknown');
    else expect(headers['cache-control']).toMatch(/^private, (no-store|max-age=\d+)$/u);
  }
  const playback = await media(who, getPlayback, { username });
  return { status: replies.map(({ status }) => status), playback: playback.status === 200 };
}

/** What browsers and proxies may cache of thumbnail, preview and offline video. */
const caching = async (who: Visitor): Promise<unknown[]> => {
  const headers = [];
  for (const call of PICTURES) {
    headers.push((await media(who, call, { username: performer.username })).headers['cache-control']);
  }
  return headers;
};
const locks = (camPassword: string | null) =>
  performer.call(saveRoomSettings, { username: performer.username, camPassword });
const enters = (who: Visitor, password: string) =>
  who.call(enterPassword, { username: performer.username, password });

describe('pictures of a room with a camera password', () => {
  it('are for who has entered it, and for nobody else', async () => {
    const [guest, member, knows] = [
      await site.visitor({ ofAge: true }),
      await site.viewer(),
      await site.viewer(),
    ];
    for (const who of [guest, member, knows]) expect(await seenBy(who)).toEqual(ALL);
    await locks('candle light');
    for (const who of [guest, member, knows]) expect(await seenBy(who)).toEqual(NONE);
    const wrong = await member.refused(enterPassword, { username: performer.username, password: 'candle' });
    expect(wrong.errorType).toBe('cam_password_wrong');
    expect(await seenBy(member)).toEqual(NONE);
    await enters(knows, 'candle light');
    expect(await seenBy(knows)).toEqual(ALL);
    // Another browser of the same person has not entered the password, nor have the other viewers.
    const tab = await site.anotherTabOf(knows);
    for (const who of [tab, guest, member]) expect(await seenBy(who)).toEqual(NONE);
    for (const who of [performer, await site.viewer({ roles: ['site_mod'] })]) {
      expect(await seenBy(who)).toEqual(ALL);
    }
    await locks('other light');
    expect(await seenBy(knows)).toEqual(NONE);
    await locks(null);
    for (const who of [guest, member, knows]) expect(await seenBy(who)).toEqual(ALL);
  });

  it('are stored by no cache, not even the browser\'s', async () => {
    const knows = await site.viewer();
    expect(await caching(knows)).toEqual(
      ['private, max-age=15', 'private, max-age=60', 'private, max-age=3600'],
    );
    await locks('candle light');
    await enters(knows, 'candle light');
    expect(await caching(knows)).toEqual(Array(3).fill('private, no-store'));
  });

  it('are not named in room data', async () => {
    const viewer = await site.viewer();
    const offlineVideo = async () =>
      (await viewer.call(getRoom, { username: performer.username })).userSetting.offlineVideo.videoUrl;
    expect(await offlineVideo()).toContain('/offline-videos/');
    await locks('candle light');
    expect(await offlineVideo()).toBeNull();
    await enters(viewer, 'candle light');
    expect(await offlineVideo()).toContain('/offline-videos/');
  });

  it('are refused when the password came while they were made', async () => {
    const viewer = await site.viewer();
    const { picture } = site.outputs;
    const slow = site.outputs as { picture: typeof picture };
    slow.picture = async (stream, kind) => {
      const made = await picture(stream, kind);
      await locks('candle light');
      return made;
    };
    const { code } = await media(viewer, getPreview, { username: performer.username });
    slow.picture = picture;
    expect(code).toBe('picture_unknown');
  });
});

describe('pictures of a room for whom it is closed to', () => {
  const bans = (subject: Member, action: 'ban' | 'kick' = 'ban') =>
    performer.call(moderate, { username: performer.username, subject: subject.username, action });
  const visits = async <V extends Visitor>(visitor: V): Promise<V> => {
    await visitor.call(declareAge, { of_age: true });
    await visitor.refused(getChatRules, { username: 'nobody-has-this' });
    await visitor.request({ method: 'GET', url: `/api/v1/chat/react/${performer.username}` });
    return visitor;
  };

  it.each(['ban', 'kick'] as const)('are hidden by a %s, in every browser of that person', async (action) => {
    const [offender, other] = [await site.viewer(), await site.viewer()];
    await bans(offender, action);
    expect(await seenBy(offender)).toEqual(NONE);
    expect(await seenBy(await site.anotherTabOf(offender))).toEqual(NONE);
    expect(await seenBy(other)).toEqual(ALL);
  });

  it('are hidden from a banned viewer who returns as a guest, by device and by address', async () => {
    const at = { address: '203.0.113.7', region: 'demo' };
    const offender = await visits(await site.viewer(at));
    await bans(offender);
    const sameDevice = await visits(await site.visitor({ address: '198.51.100.9', region: 'demo' }));
    expect(await seenBy(sameDevice)).toEqual(ALL);
    sameDevice.setCookie(DEVICE_COOKIE, offender.cookie(DEVICE_COOKIE) ?? '');
    expect(await seenBy(sameDevice)).toEqual(NONE);
    expect(await seenBy(await visits(await site.visitor(at)))).toEqual(NONE);
    const stranger = await visits(await site.visitor({ ...at, address: '198.51.100.10' }));
    expect(await seenBy(stranger)).toEqual(ALL);
  });

  it('are hidden in a blocked region, and before the entry gate', async () => {
    const inBrazil = await site.visitor({ region: 'BR', ofAge: true });
    expect(await seenBy(inBrazil)).toEqual(ALL);
    await site.tx((tx) => site.services.compliance.blockRegions(tx, performer.id, ['BR']));
    expect(await seenBy(inBrazil)).toEqual(NONE);
    expect(await seenBy(await site.visitor())).toEqual(NONE);
  });

  it('show nothing of a private show to others', async () => {
    const viewer = await site.viewer();
    await site.services.broadcast.move(site.scope, performer.id, 'private');
    // The offline video does not show anything of the show.
    expect(await seenBy(viewer)).toEqual({ status: [404, 404, 200], playback: false });
  });

  it('do not count as a visit: chat rules that wait for one are not shortened by a tile', async () => {
    const viewer = await site.viewer();
    const rows = async (): Promise<number> =>
      site.tx(async (tx) =>
        (await sql`select 1 from room_moderation.speakers`.execute(tx.sql())).rows.length
      );
    const before = await rows();
    expect(await seenBy(viewer)).toEqual(ALL);
    expect(await rows()).toBe(before);
    await viewer.call(getRoom, { username: performer.username });
    expect(await rows()).toBe(before + 1);
  });
});

it('logs no errors', () => expect(site.log).toEqual([]));
