import type { TestContext } from 'vitest';
import { freeUdpPort } from '../../conformance/network/free-port.ts';
import { World, type EngineNeeds } from '../../conformance/world.ts';
import { createEmbeddedEngine, type EmbeddedEngine } from '../embedded-engine.ts';

/** An engine of a test, with its world. */
export interface Staged {
  readonly engine: EmbeddedEngine;
  readonly udpPort: number;
  readonly world: World;
}

export async function makeEngine(needs: EngineNeeds, udpPort: number): Promise<EmbeddedEngine> {
  const { graceMs, maxReaders, relays } = needs;
  const engine = createEmbeddedEngine({
    udpPort, bindAddress: '127.0.0.1', graceMs, maxReadersPerRelay: maxReaders, relays,
  });
  await engine.start();
  return engine;
}

/** An engine for one test, closed after it. Tests that run at once have one each. */
export async function stage(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>, needs: EngineNeeds = {},
): Promise<Staged> {
  const udpPort = await freeUdpPort(needs.relays);
  const engine = await makeEngine(needs, udpPort);
  const world = new World(engine, engine.local);
  onTestFinished(async () => {
    await world.close();
    await engine.close();
  });
  return { engine, udpPort, world };
}
