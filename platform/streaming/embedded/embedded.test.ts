import { afterEach, describe, expect, it } from 'vitest';
import { freeUdpPort } from '../conformance/free-port.ts';
import { scenarios, World, type EngineNeeds } from '../conformance/scenarios.ts';
import { createEmbeddedEngine, type EmbeddedEngine } from './embedded-engine.ts';

/** Silences are waited for in real time. */
const LONG = { timeout: 40_000 };

async function makeEngine(needs: EngineNeeds, udpPort: number): Promise<EmbeddedEngine> {
  const { graceMs, maxReaders } = needs;
  const engine = createEmbeddedEngine({
    udpPort, bindAddress: '127.0.0.1', graceMs, maxReadersPerRelay: maxReaders,
  });
  await engine.start();
  return engine;
}

interface Running {
  readonly engine: EmbeddedEngine;
  readonly udpPort: number;
  readonly world: World;
}

describe('the embedded engine', () => {
  const open: { close: () => Promise<void> }[] = [];
  const world = async (needs: EngineNeeds = {}): Promise<Running> => {
    const udpPort = await freeUdpPort();
    const engine = await makeEngine(needs, udpPort);
    const made = new World(engine);
    open.push(made, engine);
    return { engine, udpPort, world: made };
  };
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });

  for (const scenario of scenarios) {
    it(scenario.title, LONG, async () => {
      await scenario.run((await world(scenario.needs)).world);
    });
  }

  it('reports what a dead relay carried as lost, and goes on with a new one', LONG, async () => {
    const { engine, world: { reports }, world: made } = await world();
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

  it('refuses to start on a port that is taken', async () => {
    const { udpPort } = await world();
    await expect(makeEngine({}, udpPort)).rejects.toThrow(`UDP port ${udpPort} is taken`);
  });

  it('tells the public address instead of its own', async () => {
    const udpPort = await freeUdpPort();
    const engine = createEmbeddedEngine({
      udpPort, bindAddress: '127.0.0.1', publicAddress: '192.0.2.7',
    });
    open.push(engine);
    await engine.start();
    const made = new World(engine);
    open.unshift(made);
    const publisher = await made.peers().publisher();
    const { answer } = await engine.publish('one', publisher.offer, { owner: 'anna' });
    expect(answer).toMatch(/a=candidate:\S+ 1 UDP \d+ 192\.0\.2\.7 /i);
    expect(answer).toContain(` 192.0.2.7 ${udpPort} typ host`);
    expect(answer).not.toMatch(/a=candidate.* 127\.0\.0\.1 /);
  });
});

/** Repeats a request while the relay restarts, one turn of the event loop after another. */
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
