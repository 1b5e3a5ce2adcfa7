import { systemClock, VirtualClock } from '#platform/data/clock.ts';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { TestFeed } from '../../conformance/local/local-peers.ts';
import { Watched } from '../../conformance/signals/watched.ts';
import type { LocalMedia, StreamReport } from '../../engine.ts';
import { LocalDoor } from '../../local/door.ts';
import { Relay } from './relay.ts';

/** A relay in this process, whose clock the test advances. */
async function opened() {
  const clock = new VirtualClock();
  const nowMs = (): number => clock.now().getTime();
  const socketPath = join(mkdtempSync(join(tmpdir(), 'candela-relay-')), '0.sock');
  const door = new LocalDoor({ socketPath, clock: systemClock, nowMs });
  await door.open();
  const address = { udpPort: 0 };
  const seen = new Watched<readonly StreamReport[]>();
  const all: StreamReport[] = [];
  const relay = new Relay({
    settings: { address, turnPort: null, socketPath, maxReaders: 10, graceMs: 1_000 },
    door,
    ways: { address, bridge: null },
    clock,
    nowMs,
    report: (reports) => {
      all.push(...reports);
      seen.set([...all]);
    },
  });
  onTestFinished(() => {
    relay.close();
    door.close();
  });
  let sessions = 0;
  const ticket = async (kind: 'feed' | 'tap', stream: string) => {
    const session = `s${sessions += 1}`;
    const one = { session, stream };
    await relay.handle(
      kind === 'feed'
        ? { kind, ...one, owner: 'anna', onlyPaused: false }
        : { kind, ...one },
    );
    return { session, socketPath };
  };
  const local: LocalMedia = {
    feed: (stream) => ticket('feed', stream),
    tap: (stream) => ticket('tap', stream),
    end: async () => true,
  };
  return { clock, local, seen };
}

it('reports the second of a stream before that of its renditions, whichever was there first', async () => {
  const { clock, local, seen } = await opened();
  const names = ['one~360', 'two', 'one', 'one~240', 'two~360'];
  const feeds = [];
  for (const name of names) feeds.push(await TestFeed.at(local, name, 'anna'));
  await seen.until(
    'all are up',
    (reports) =>
      names.every((name) => reports.some((report) => report.kind === 'up' && report.stream === name)),
  );
  clock.advance(1_000);
  const reports = await seen.until('a second', (all) => all.some(({ kind }) => kind === 'health'));
  const reported = reports.flatMap((report) => (report.kind === 'health' ? [report.health.stream] : []));
  expect(reported.toSorted()).toEqual(names.toSorted());
  for (const name of ['one~360', 'one~240', 'two~360']) {
    expect(reported.indexOf(name)).toBeGreaterThan(reported.indexOf(name.slice(0, 3)));
  }
  for (const feed of feeds) feed.close();
});
