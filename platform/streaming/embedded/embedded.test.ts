import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { freeUdpPort } from '../conformance/network/free-port.ts';
import { EVERY_ENGINE, WHEP_ENGINES } from '../conformance/parts.ts';
import { World } from '../conformance/world.ts';
import { createEmbeddedEngine } from './embedded-engine.ts';
import { makeEngine, stage } from './hostile/stage.ts';

/** Time-outs pass in real time. */
const LONG = { timeout: 40_000 };

/** Each test has its own engine and mostly waits, so they run concurrently. */
describe.concurrent('the embedded engine', () => {
  describe.for([...EVERY_ENGINE, ...WHEP_ENGINES])('$name', ({ scenarios }) => {
    for (const scenario of scenarios) {
      it(scenario.title, LONG, async (context) => {
        await scenario.run((await stage(context, scenario.requires)).world);
      });
    }
  });

  it('refuses to start on a port that is taken', async (context) => {
    const { udpPort } = await stage(context);
    await expect(makeEngine({}, udpPort)).rejects.toThrow(`UDP port ${udpPort} is taken`);
  });

  it('offers the public address instead of its own', async ({ onTestFinished }) => {
    const udpPort = await freeUdpPort();
    const engine = createEmbeddedEngine({
      udpPort,
      bindAddress: '127.0.0.1',
      publicAddress: '192.0.2.7',
    });
    await engine.start();
    const made = new World(engine);
    onTestFinished(async () => {
      await made.close();
      await engine.close();
    });
    const publisher = await made.peers().publisher();
    const { answer } = await engine.publish('one', publisher.offer, { owner: 'anna' });
    expect(answer).toMatch(/a=candidate:\S+ 1 UDP \d+ 192\.0\.2\.7 /i);
    expect(answer).toContain(` 192.0.2.7 ${udpPort} typ host`);
    expect(answer).not.toMatch(/a=candidate.* 127\.0\.0\.1 /);
  });

  it('offers loopback, and each address of the machine to browsers that never use it', async (context) => {
    const udpPort = await freeUdpPort();
    const engine = createEmbeddedEngine({ udpPort, loopbackAddress: '127.0.0.1' });
    await engine.start();
    const made = new World(engine);
    context.onTestFinished(async () => {
      await made.close();
      await engine.close();
    });
    // It listens on loopback alone and receives only the answer: it connects through the candidate.
    const publisher = await made.peers().publisher();
    const negotiated = await engine.publish('one', publisher.offer, { owner: 'anna' });
    const offered = [...negotiated.answer.matchAll(/^a=candidate:.* (\S+) (\d+) typ host/gmu)];
    const own = Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
      addresses
        .filter(({ family, internal }) => name !== 'docker0' && family === 'IPv4' && !internal)
        .map(({ address }) => address)
    );
    expect(offered[0]?.slice(1)).toEqual(['127.0.0.1', String(udpPort)]);
    expect(offered.map(([, address]) => address)).toEqual(expect.arrayContaining(own));
    const session = await publisher.accept(negotiated);
    await made.reports.next('up', (report) => report.session === session);
  });
});
