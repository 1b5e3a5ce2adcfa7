import { API_BASE } from '#platform/contract/client.ts';
import { endBroadcast, getPlayback, makeBrowserKey } from '#product/broadcast/contract.ts';
import { TEST_OFFER } from '#product/testkit/media/engine.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatUpdate, getRoom } from './contract.ts';
import { saveRoomSettings } from './contract/controls.ts';
import { moderated } from './contract/moderation.ts';
import { RESTRICTIONS } from './rules.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

interface Schema {
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}
interface Answer {
  readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
}
interface Operation {
  readonly responses: Readonly<Record<string, Answer>>;
}
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** The values that the API description of a room allows for a field of its chat. */
async function valuesOf(field: 'status' | 'mode'): Promise<readonly string[]> {
  const guest = await site.visitor();
  const description = (await guest.request({ url: `${API_BASE}/openapi.json` })).json<Description>();
  const path = Object.keys(description.paths).find((text) => text.endsWith('/chat/react/{username}')) ?? '';
  const answer = description.paths[path]?.['get']?.responses['200']?.content['application/json']?.schema;
  return (answer?.properties?.['chat']?.properties?.[field]?.enum ?? []).toSorted();
}

describe('the described room', () => {
  it('has a chat status of either document and no other', async () => {
    expect(await valuesOf('status')).toEqual([
      'connected',
      'limited',
      'offline',
      'online',
      'online_ai',
      'private',
      'reconnecting',
      'standby',
    ]);
  });

  it('has a chat mode of either document and no other', async () => {
    expect(await valuesOf('mode')).toEqual(['limited', 'private', 'public', 'spy']);
  });
});

it('a restriction is banned, kicked, moderator or silenced [C-112]', async () => {
  const performer = await site.performer({ live: true });
  const owner = await performer.joins(performer);
  for (const action of ['ban', 'kick', 'moderator', 'silence'] as const) {
    const subject = await site.viewer();
    await subject.joins(performer);
    await performer.moderates(action, subject);
    await site.settle();
    await owner.waitFor(moderated, ({ username }) => username === subject.username);
    if (action === 'kick') continue;
    await performer.moderates(`un${action}`, subject);
    await site.settle();
    await owner.waitFor(moderated, (item) => item.username === subject.username && item.action === 'remove');
  }
  const types = new Set(owner.received(moderated).map(({ type }) => type));
  expect([...types].toSorted()).toEqual(['banned', 'kicked', 'moderator', 'silenced']);
  expect(RESTRICTIONS.toSorted()).toEqual(['banned', 'kicked', 'moderator', 'silenced']);
  const subject = (await site.viewer()).username;
  for (const action of ['banned', 'mute', 'unkick', 'admin', '']) {
    const answer = await performer.request({
      method: 'POST',
      url: `/api/v1/chat/moderate/${performer.username}`,
      payload: { subject, action },
    });
    expect([answer.statusCode, answer.json()]).toMatchObject([422, { errorType: 'invalid_input' }]);
  }
});

it('a room is offline and public until its performer does something [B-190, B-192]', async () => {
  const performer = await site.performer();
  const { username } = performer;
  const viewer = await site.viewer();
  const isOfflineAndPublic = async (): Promise<void> => {
    const room = await viewer.call(getRoom, { username });
    expect([room.chat.status, room.chat.mode, room.mode]).toEqual(['offline', 'public', 'public']);
    const socket = await site.socketOf(viewer, username);
    expect(await socket.waitFor(chatUpdate)).toMatchObject({ status: 'offline', mode: 'public' });
  };
  await isOfflineAndPublic();
  // The same once the room is stored.
  await performer.call(saveRoomSettings, { username, followEnabled: false });
  await isOfflineAndPublic();
});

it('a room says that its stream has 4 renditions, and a high one has them [B-427]', async () => {
  const performer = await site.performer({ live: true });
  const viewer = await site.viewer();
  const { username } = performer;
  expect(await viewer.call(getRoom, { username })).toMatchObject({ stream: { quality_renditions: 4 } });
  const offline = await site.performer();
  expect(await viewer.call(getRoom, { username: offline.username }))
    .toMatchObject({ stream: { stream_name: null, quality_renditions: 4 } });
  site.outputs.publishedHeight = 1_080;
  const { stream_name: stream, token } = await viewer.call(getPlayback, { username, kind: 'hls' });
  const master = await viewer.request({ url: `/hls/${stream}/index.m3u8?token=${token}&multitrack=1` });
  const renditions = master.body.split('\n').filter((line) => /^\w/u.test(line));
  expect(renditions.map((line) => line.split('/')[0])).toEqual(['source', '720', '480', '360']);
});

/** Goes live like the performer's page, with a browser key. */
async function publishes(performer: Member): Promise<void> {
  const { stream_key: key } = await performer.call(makeBrowserKey, {});
  const published = await performer.request({
    method: 'POST',
    url: '/whip',
    payload: TEST_OFFER,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/sdp' },
  });
  expect(published.statusCode).toBe(201);
  site.engine.arrive();
  await site.settle();
}

it('who broadcasts is live in their own room, and only performers broadcast [B-003]', async () => {
  const [performer, other] = [await site.performer(), await site.performer()];
  const viewer = await site.viewer();
  const streamOf = async ({ username }: Member): Promise<string> =>
    (await viewer.call(getPlayback, { username })).stream_name;
  const statuses = () =>
    Promise.all(
      [performer, other].map(async ({ username }) => (await viewer.call(getRoom, { username })).chat.status),
    );
  await publishes(performer);
  expect(await statuses()).toEqual(['online', 'offline']);
  const stream = await streamOf(performer);
  expect(stream).toMatch(/./u);
  expect((await viewer.refused(getPlayback, { username: other.username })).errorType).toBe('stream_offline');
  await publishes(other);
  expect([await streamOf(performer), await streamOf(other) === stream]).toEqual([stream, false]);
  await other.call(endBroadcast, {});
  await site.settle();
  expect(await statuses()).toEqual(['online', 'offline']);
  for (const [who, status] of [
    [viewer, 403],
    [await site.viewer({ roles: ['site_mod'] }), 403],
    [await site.performer({ cleared: false }), 403],
    [await site.visitor({ ofAge: true }), 401],
  ] as const) {
    expect(await who.refused(makeBrowserKey, {})).toMatchObject({ status });
  }
  // A publisher without a key, or with an unknown one.
  for (const authorization of [undefined, 'Bearer nothing']) {
    const headers = { authorization, 'content-type': 'application/sdp' };
    const answer = await viewer.request({ method: 'POST', url: '/whip', payload: TEST_OFFER, headers });
    expect(answer.statusCode).toBe(401);
  }
  expect(await statuses()).toEqual(['online', 'offline']);
});
