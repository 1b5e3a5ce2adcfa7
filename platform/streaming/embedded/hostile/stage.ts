import type { TestContext } from 'vitest';
import { freeUdpPort } from '../../conformance/network/free-port.ts';
import { World, type EngineRequirements } from '../../conformance/world.ts';
import { createEmbeddedEngine, type EmbeddedEngine } from '../embedded-engine.ts';

/** The engine of a test, with its world. */
export interface Staged {
  readonly engine: EmbeddedEngine;
  readonly udpPort: number;
  readonly world: World;
}

export async function makeEngine(deps: EngineRequirements, udpPort: number): Promise<EmbeddedEngine> {
  const { graceMs, maxReaders, relays } = deps;
  const engine = createEmbeddedEngine({
    udpPort,
    bindAddress: '127.0.0.1',
    graceMs,
    maxReadersPerRelay: maxReaders,
    relays,
  });
  await engine.start();
  return engine;
}

/** An engine for one test, closed after it. Tests that run concurrently have one each. */
export async function stage(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  deps: EngineRequirements = {},
): Promise<Staged> {
  const udpPort = await freeUdpPort(deps.relays);
  const engine = await makeEngine(deps, udpPort);
  const world = new World(engine, engine.local);
  onTestFinished(async () => {
    await world.close();
    await engine.close();
  });
  return { engine, udpPort, world };
}
