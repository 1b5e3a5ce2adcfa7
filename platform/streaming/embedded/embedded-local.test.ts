import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TallyView } from '../conformance/load/tally.ts';
import { TestFeed, TestTap } from '../conformance/local/local-peers.ts';
import { LOCAL_ENGINES } from '../conformance/parts.ts';
import { MAX_TAPS_PER_RELAY } from '../limits.ts';
import { stage } from './hostile/stage.ts';

/** Time-outs pass in real time. */
const LONG = { timeout: 40_000 };

/** Each test has its own engine and mostly waits, so they run concurrently. */
describe.concurrent('the embedded engine', () => {
  describe.for(LOCAL_ENGINES)('$name', ({ scenarios }) => {
    for (const scenario of scenarios) {
      it(scenario.title, LONG, async (context) => {
        await scenario.run((await stage(context, scenario.requires)).world);
      });
    }
  });

  it('reports what a dead relay carried as lost, and goes on with a new one', LONG, async (context) => {
    const { engine, world: { reports }, world: made } = await stage(context);
    const peers = made.peers();
    const publisher = await made.publish(peers, 'one');
    const reader = await made.play(peers, 'one');
    const [pid] = engine.relayPids();
    process.kill(pid!, 'SIGKILL');
    const down = await reports.next('down');
    expect(down).toMatchObject({ session: publisher.session(), reason: 'relay_lost' });
    await reports.next('reader_gone', (report) => report.session === reader.session());
    await expect(engine.play('one', reader.offer)).rejects.toMatchObject({ code: 'unavailable' });
    const again = await peers.publisher();
    const negotiated = await untilAvailable(() => engine.publish('one', again.offer, { owner: 'anna' }));
    await again.accept(negotiated);
    await reports.next('up', (report) => report.session === negotiated.session);
    expect(engine.relayPids()).not.toContain(pid);
  });

  it('loses with one of its relays what that one carried, and nothing else', LONG, async (context) => {
    const { engine, world: made } = await stage(context, { relays: 2 });
    const peers = made.peers();
    const carried = await Promise.all(['a', 'b', 'c', 'd'].map(async (stream) => ({
      feed: await TestFeed.at(engine.local, stream, 'anna'),
      stream,
    })));
    for (const { feed: { session } } of carried) {
      await made.reports.next('up', (report) => report.session === session);
    }
    const watched = await Promise.all(carried.map(async (item) => ({
      ...item,
      reader: await made.play(peers, item.stream),
      tap: await TestTap.at(engine.local, item.stream),
    })));
    const playing = (atLeast: number) => ({ reader, tap }: typeof watched[number]): Promise<unknown> =>
      Promise.all(
        [reader, tap].map((item) =>
          item.seen.until('plays', (view: TallyView) => view.videoPackets > atLeast)
        ),
      );
    await Promise.all(watched.map(playing(20)));
    process.kill(engine.relayPids()[0]!, 'SIGKILL');
    const { session } = await made.reports.next('down');
    const isLost = (of: string): boolean =>
      made.reports.all.some((report) =>
        (report.kind === 'down' || report.kind === 'reader_gone') && report.session === of
      );
    const [lost, retained] = [
      watched.filter(({ feed }) => isLost(feed.session)),
      watched.filter(({ feed }) => !isLost(feed.session)),
    ];
    expect(lost.map(({ feed }) => feed.session)).toContain(session);
    expect([lost.length > 0, retained.length > 0]).toEqual([true, true]);
    for (const { feed, tap, reader } of lost) {
      await feed.seen.until('gone', (view) => view.gone);
      await tap.seen.until('gone', (view) => view.gone);
      expect([isLost(tap.session), isLost(reader.session())]).toEqual([true, true]);
    }
    await Promise.all(retained.map(playing(80)));
    expect(retained.some(({ tap, reader }) => isLost(tap.session) || isLost(reader.session()))).toBe(false);
    const again = await untilAvailable(() => TestFeed.at(engine.local, lost[0]!.stream, 'anna'));
    await made.reports.next('up', (report) => report.session === again.session);
    for (const { feed } of retained) feed.close();
    again.close();
  });

  it('bounds its local readers, who take no place of a viewer', async (context) => {
    const { engine, world: made } = await stage(context, { maxReaders: 1 });
    const feed = await TestFeed.at(engine.local, 'one', 'anna');
    await made.reports.next('up', (report) => report.session === feed.session);
    for (let i = 0; i < MAX_TAPS_PER_RELAY; i++) await engine.local.tap('one');
    await expect(engine.local.tap('one')).rejects.toMatchObject({ code: 'overloaded' });
    const reader = await made.play(made.peers(), 'one');
    await reader.seen.until('it plays', (view) => view.videoPackets > 10);
    feed.close();
  });

  it('keeps its local sockets from other users, and leaves nothing behind', async (context) => {
    const { engine, world: made } = await stage(context, { relays: 2 });
    const feed = await engine.local.feed('one', { owner: 'anna' });
    const folder = dirname(feed.socketPath);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    await made.close();
    await engine.close();
    expect(existsSync(folder)).toBe(false);
  });
});

/** Repeats a request while the relay restarts, once per turn of the event loop. */
async function untilAvailable<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if ((error as { code?: string }).code !== 'unavailable') throw error;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
