import { randomId } from '#platform/data/ids.ts';
import { decideClearance } from '#product/compliance/contract.ts';
import { media, plays, publishes } from '#product/testkit/media/media-client.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getOwnBroadcast, getPlayback, makeBrowserKey, rotateStreamKey } from './contract.ts';
import { whipEnd } from './contract/webrtc.ts';
import type { DivertedReport } from './server.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

interface Aside {
  readonly stream: string;
  readonly reports: DivertedReport[];
  readonly taken: boolean;
}

async function diverts(performer: Member): Promise<Aside> {
  const reports: DivertedReport[] = [];
  const stream = randomId();
  const onReport = (report: DivertedReport): void => void reports.push(report);
  const taken = await site.services.broadcast.divert(site.scope, performer.id, { stream, onReport });
  return { stream, reports, taken };
}
const kindsOf = ({ reports }: Aside): string[] => reports.map(({ kind }) => kind);
const keyOf = async (performer: Member): Promise<string> =>
  (await performer.call(makeBrowserKey, {})).stream_key;

describe('a diversion', () => {
  it('takes publishers with any key, and creates no broadcast', async () => {
    const performer = await site.performer();
    const encoder = await site.visitor({ opened: false });
    const viewer = await site.viewer();
    const aside = await diverts(performer);
    const streamKey = (await performer.call(rotateStreamKey, {})).stream_key;
    const first = await publishes(performer, await keyOf(performer));
    expect(first.status).toBe(201);
    expect(site.engine.streams).toContain(aside.stream);
    expect((await publishes(encoder, streamKey)).status).toBe(201);
    site.engine.arrive();
    site.engine.measure(aside.stream, { framesPerSecond: 24 });
    await site.settle();
    expect(aside.reports).toMatchObject([
      { kind: 'published', source: 'browser' },
      { kind: 'published', source: 'encoder' },
      { kind: 'up' },
      { kind: 'health', health: { framesPerSecond: 24 } },
    ]);
    expect(await performer.call(getOwnBroadcast, {})).toMatchObject({ state: 'offline', health: null });
    const rows = await site.tx((tx) =>
      sql`select from broadcast.broadcasts
      where performer_id = ${performer.id}`.execute(tx.sql())
    );
    expect(rows.rows).toEqual([]);
    // Nobody can play it: no token for it exists, and knowing its name is not enough.
    const { username } = performer;
    expect((await viewer.refused(getPlayback, { username })).errorType).toBe('stream_offline');
    expect((await performer.refused(getPlayback, { username })).errorType).toBe('stream_offline');
    for (const who of [viewer, performer, encoder]) {
      for (const token of [null, 'x', streamKey]) {
        expect((await plays(who, aside.stream, token)).code).toBe('playback_token_invalid');
      }
    }
    await site.services.broadcast.undivert(site.scope, performer.id);
    expect(site.engine.streams).not.toContain(aside.stream);
    await performer.goesLive();
    expect(site.engine.streams).not.toContain(aside.stream);
    expect((await performer.call(getOwnBroadcast, {})).state).toBe('online');
  });

  it('takes encoders over RTMP too, and reports media that cannot be played', async () => {
    const performer = await site.performer();
    const key = (await performer.call(rotateStreamKey, {})).stream_key;
    const aside = await diverts(performer);
    const admission = await site.rtmp.publishes(key);
    if (!admission.admitted) throw new Error(admission.reason);
    site.rtmp.report(admission.feed.session, 'b_frames');
    site.rtmp.report(admission.feed.session, null);
    site.engine.arrive();
    await site.settle();
    expect(aside.reports).toEqual([
      { kind: 'published', source: 'encoder' },
      { kind: 'trouble', trouble: 'b_frames' },
      { kind: 'up' },
    ]);
    expect(await performer.call(getOwnBroadcast, {})).toMatchObject({ state: 'offline', health: null });
    await site.services.broadcast.undivert(site.scope, performer.id);
    expect(site.engine.streams).not.toContain(aside.stream);
  });

  it('is refused while the performer is live, and does not affect that stream', async () => {
    const performer = await site.performer({ live: true });
    const aside = await diverts(performer);
    expect(aside.taken).toBe(false);
    expect((await publishes(performer, await keyOf(performer))).status).toBe(201);
    expect(site.engine.streams).not.toContain(aside.stream);
    expect((await performer.call(getOwnBroadcast, {})).state).toBe('online');
  });

  it('belongs to one performer, and a new one replaces it', async () => {
    const [one, other] = [await site.performer(), await site.performer()];
    const [old, fresh] = [await diverts(one), await diverts(one)];
    await publishes(one, await keyOf(one));
    expect([site.engine.streams.includes(old.stream), kindsOf(old)]).toEqual([false, []]);
    expect(kindsOf(fresh)).toEqual(['published']);
    await other.goesLive();
    expect((await other.call(getOwnBroadcast, {})).state).toBe('online');
    expect(kindsOf(fresh)).toEqual(['published', 'up']);
  });

  it('lets the encoder end its session, and reports why its media cannot be played', async () => {
    const performer = await site.performer();
    const key = (await performer.call(rotateStreamKey, {})).stream_key;
    const aside = await diverts(performer);
    const encoder = await site.visitor({ opened: false });
    const { session } = await publishes(encoder, key);
    site.engine.trouble(aside.stream, 'b_frames');
    const stranger = (await (await site.performer()).call(rotateStreamKey, {})).stream_key;
    expect((await media(encoder, whipEnd, { session }, { bearer: stranger })).code).toBe('session_unknown');
    expect((await media(encoder, whipEnd, { session }, { bearer: key })).status).toBe(200);
    expect(aside.reports.slice(1)).toEqual([
      { kind: 'trouble', trouble: 'b_frames' },
      { kind: 'down', reason: 'ended' },
    ]);
    expect((await media(encoder, whipEnd, { session }, { bearer: key })).code).toBe('session_unknown');
  });

  it('is cut by a changed stream key, a suspension and a revoked clearance', async () => {
    const [rotates, out, revoked] = [await site.performer(), await site.performer(), await site.performer()];
    const asides: Aside[] = [];
    for (const performer of [rotates, out, revoked]) {
      const key = (await performer.call(rotateStreamKey, {})).stream_key;
      asides.push(await diverts(performer));
      await publishes(await site.visitor({ opened: false }), key);
    }
    await rotates.call(rotateStreamKey, {});
    const order = { suspended: true, actorId: null, reason: 'a test' };
    await site.tx((tx) => site.services.accounts.suspend(tx, out.id, order));
    const decision = { username: revoked.username, decision: 'revoke', reason: 'a test' } as const;
    await (await site.admin()).call(decideClearance, decision);
    await site.settle();
    for (const aside of asides) {
      expect(site.engine.streams).not.toContain(aside.stream);
      expect(kindsOf(aside)).toEqual(['published', 'down']);
    }
    for (const performer of [out, revoked]) {
      const key = await site.tx((tx) => site.services.broadcast.makeStreamKey(tx, performer.id));
      expect((await publishes(await site.visitor(), key)).status).toBe(403);
    }
    // A new stream key does not affect a publisher with a browser key.
    const page = await diverts(rotates);
    await publishes(rotates, await keyOf(rotates));
    await rotates.call(rotateStreamKey, {});
    expect(site.engine.streams).toContain(page.stream);
  });
});

it('logs no errors', () => expect(site.log).toEqual([]));
