import { systemClock } from '#platform/data/clock.ts';
import assert from 'node:assert/strict';
import type { PortRange } from '../../peer-offer.ts';
import { TestTap } from '../local/local-peers.ts';
import type { PeerProcess } from '../processes/peers.ts';
import type { World } from '../world.ts';

export interface JoinsCount {
  readonly joins: number;
  readonly taps: number;
  readonly publishers: number;
  /** Viewers counted ten seconds after the last one left. */
  readonly ghosts: number;
  /** Resident bytes after the first half of the cycles, and ten seconds after the last. */
  readonly bytesEarly: number;
  readonly bytesLate: number;
}

/** How a viewer leaves: with DELETE, by closing its connection, or by falling silent. */
const LEAVES = ['delete', 'close', 'silence'] as const;
/** Each publisher retains some hundreds of packets for retransmission; they must not outlive it. */
const BITS_PER_SECOND = 3_000_000;
/** Viewers of one wave, who join, watch and leave at the same time. */
const WAVE = 10;
/**
 * A wave shares no port with the waves just before it. The native side takes a new peer at the address of a
 * session that fell silent for that session, until the session times out.
 */
const PORTS_PER_WAVE = 100;
const FIRST_PORT = 20_000;
const PORT_WAVES = 100;
/** Each viewer has sent a receiver report by then. */
const REPORTED_MS = 2_500;
/** After this, no session may be left. */
const SETTLE_MS = 10_000;

/**
 * Viewers and local readers of one stream come and go in waves, and each wave has a publisher of another
 * stream. Afterwards no session may be left and memory must not have grown.
 *
 * @param residentBytes what the engine holds now
 */
export async function joinAndLeave(
  world: World,
  cycles: number,
  residentBytes: () => number,
  onProgress: (
    done: number,
  ) => void = () => undefined,
): Promise<JoinsCount> {
  await world.publish(world.peers(), 'one');
  const waves = Math.ceil(cycles / WAVE);
  const half = Math.ceil(waves / 2);
  const sessions = new Set<string>();
  let bytesEarly = 0;
  for (let wave = 0; wave < waves; wave++) {
    // Silent peers end with their process.
    const peers = world.peers();
    await world.publish(peers, 'two', 'anna', { videoBitsPerSecond: BITS_PER_SECOND });
    const firstPort = FIRST_PORT + (wave % PORT_WAVES) * PORTS_PER_WAVE;
    const ports = [firstPort, firstPort + PORTS_PER_WAVE - 1] as const;
    for (const session of await comeAndGo(world, peers, ports)) sessions.add(session);
    await peers.kill();
    if (wave + 1 === half) {
      await allGone(world, sessions);
      bytesEarly = residentBytes();
    }
    onProgress((wave + 1) * WAVE);
  }
  await new Promise<void>((resolve) => void systemClock.after('settle', SETTLE_MS, resolve));
  const { health } = await world.reports.fresh('health', (report) => report.health.stream === 'one');
  await allGone(world, sessions);
  return {
    joins: waves * WAVE,
    taps: waves,
    publishers: waves,
    ghosts: health.viewers,
    bytesEarly,
    bytesLate: residentBytes(),
  };
}

/** One wave of viewers and a local reader. Resolves with their sessions. */
async function comeAndGo(world: World, peers: PeerProcess, ports: PortRange): Promise<readonly string[]> {
  const [tap, ...readers] = await Promise.all([
    TestTap.at(world.local, 'one'),
    ...Array.from({ length: WAVE }, () => world.play(peers, 'one', 0, ports)),
  ]);
  const isIn = (view: { readonly videoPackets: number }): boolean => view.videoPackets > 2;
  await Promise.all([tap, ...readers].map((reader) => reader.seen.until('it plays', isIn)));
  // A player reports each second. A session that never reported ends only with its transport.
  await new Promise<void>((resolve) => void systemClock.after('first reports', REPORTED_MS, resolve));
  await Promise.all(readers.map(async (reader, i) => {
    const how = LEAVES[i % LEAVES.length]!;
    if (how === 'delete') assert.equal(await world.engine.end(reader.session()), true);
    else await reader.do(how);
  }));
  tap.close();
  return [tap.session, ...readers.map((reader) => reader.session())];
}

/** Resolves when all these sessions were reported gone. */
async function allGone(world: World, sessions: ReadonlySet<string>): Promise<void> {
  for (const session of sessions) {
    await world.reports.next('reader_gone', (report) => report.session === session);
  }
}
