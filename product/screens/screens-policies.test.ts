import { closeCodes } from '#platform/contract/sockets/wire.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { hlsIndex } from '#product/broadcast/contract/hls.ts';
import { browseLive } from '#product/browse/contract.ts';
import { getEntry } from '#product/compliance/contract.ts';
import { entryChanged, withdrawPolicy } from '#product/compliance/contract/policies.ts';
import { reconnectRequired } from '#product/rooms/contract.ts';
import { media, playbackOf, plays } from '#product/testkit/media/media-client.ts';
import { agreesOn } from '#product/testkit/people/policies.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let site: TestSite;
let performer: Member;
beforeAll(async () => {
  site = await createSite();
  performer = await site.performer({ live: true });
});
afterAll(() => site.close());

/** Two admins put a rule in force. */
function inForce(
  region: string,
  from: string,
  rule: 'declare' | 'blocked' = 'blocked',
): Promise<number> {
  return agreesOn(site, { region, from, rule, methods: [] });
}

/** Somebody who watches: a document, a socket in the room, a lobby, a WHEP reader and an HLS player. */
async function watching(who: Visitor) {
  const room = await site.socketOf(who, performer.username);
  const lobby = await site.socketOf(who);
  const { stream, token } = await playbackOf(who, performer);
  const readersBefore = site.engine.readersOf(stream);
  expect((await plays(who, stream, token)).status).toBe(201);
  expect(site.engine.readersOf(stream)).toBe(readersBefore + 1);
  const hls = async () => (await media(who, hlsIndex, { stream, token })).code;
  expect([null, 'stream_offline']).toContain(await hls());
  const document = async () =>
    (await who.call(browseLive, { path: '' })).userList.some(({ username }) =>
      username === performer.username
    );
  expect(await document()).toBe(true);
  return { who, room, lobby, stream, token, hls, document };
}

const from = (day: string) => new Date(day).getTime() - site.clock.now().getTime();

describe('a policy that begins', () => {
  it(
    'ends sockets, readers and tokens at its place at midnight there, and nothing anywhere else',
    async () => {
      const regions = ['BR', 'PT', 'US-NY'];
      const viewers = await Promise.all(regions.map((region) => site.visitor({ region, ofAge: true })));
      await inForce('BR', '2026-01-17');
      const watched = [];
      for (const viewer of viewers) watched.push(await watching(viewer));
      const [inside, ...outside] = watched;
      if (!inside) throw new Error('nobody watches');
      const readers = site.engine.readersOf(inside.stream);
      // Its day begins at two in the morning, UTC.
      await site.passes(from('2026-01-17T01:59:59Z'));
      expect((await inside.who.call(getEntry, {})).gate).toBe('open');
      expect(inside.room.closeCode).toBeNull();
      const { token } = await playbackOf(inside.who, performer);
      await site.passes(1_000);
      expect((await inside.who.call(getEntry, {})).gate).toBe('blocked');
      await inside.room.waitFor(reconnectRequired);
      expect(await inside.room.closing()).toBe(closeCodes.reseat);
      await inside.lobby.waitFor(entryChanged);
      await expect(inside.who.request({ url: `/api/v1/chat/react/${performer.username}` }))
        .resolves.toMatchObject({ statusCode: 403 });
      const again = await site.socketOf(inside.who, performer.username).then(() => 'joined', () => 'refused');
      expect(again).toBe('refused');
      expect(site.engine.readersOf(inside.stream)).toBe(readers - 1);
      expect((await plays(inside.who, inside.stream, token)).status).toBe(403);
      expect((await media(inside.who, hlsIndex, { stream: inside.stream, token })).code).toBe(
        'playback_token_invalid',
      );
      expect(await inside.document()).toBe(false);
      for (const other of outside) {
        expect((await other.who.call(getEntry, {})).gate).toBe('open');
        expect([other.room.closeCode, other.lobby.closeCode]).toEqual([null, null]);
        expect(other.room.received(reconnectRequired)).toEqual([]);
        expect(other.lobby.received(entryChanged)).toEqual([]);
        expect(await other.document()).toBe(true);
      }
    },
    60_000,
  );

  it('at once when its first day has begun, and not at all when it was withdrawn', async () => {
    const spain = await watching(await site.visitor({ region: 'ES', ofAge: true }));
    const ireland = await watching(await site.visitor({ region: 'IE', ofAge: true }));
    const readers = site.engine.readersOf(spain.stream);
    await inForce('ES', '2026-01-01');
    await site.settle();
    expect(await spain.room.closing()).toBe(closeCodes.reseat);
    expect(site.engine.readersOf(spain.stream)).toBe(readers - 1);
    const id = await inForce('IE', '2026-02-01');
    await (await site.admin()).call(withdrawPolicy, { id, reason: 'the law was postponed' });
    await site.passes(20 * DAY_MS);
    expect([ireland.room.closeCode, ireland.room.received(reconnectRequired)]).toEqual([null, []]);
    expect(site.engine.readersOf(ireland.stream)).toBe(readers - 1);
  }, 60_000);
});

it('a policy of a place’s own asks again who declared to be of age under another', async () => {
  const visitor = await site.visitor({ region: 'CL', ofAge: true });
  const { room, stream } = await watching(visitor);
  const readers = site.engine.readersOf(stream);
  await inForce('CL', '2026-01-01', 'declare');
  await site.settle();
  // The declaration was for the row of everywhere.
  expect(await room.closing()).toBe(closeCodes.reseat);
  expect((await visitor.call(getEntry, {})).gate).toBe('declare');
  expect(site.engine.readersOf(stream)).toBe(readers - 1);
});
