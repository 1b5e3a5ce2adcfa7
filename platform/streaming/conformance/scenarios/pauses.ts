import assert from 'node:assert/strict';
import { EngineRefused, type Engine, type StreamReport } from '../../engine.ts';
import { Watched } from '../signals/watched.ts';
import { assertRefused } from '../world.ts';

/** How the pause scenario is played: with peers, with processes of this machine, or on a fake engine. */
export interface PausesStage {
  readonly engine: Engine;
  /** A publisher of stream `one` starts to send. Resolves with its session. */
  readonly sends: () => Promise<string>;
  /** The same owner publishes with `onlyPaused`. May be called repeatedly. Resolves with the session. */
  readonly asks: () => Promise<string>;
  /** The publisher stops sending. Resolves when a report says so. */
  readonly pauses: () => Promise<void>;
}

/** Refusals until a pause has lasted its second; each takes one round trip. */
const MOST_REFUSALS = 20_000;

/** `onlyPaused` replaces a publisher that has paused, but not one that sends or is still connecting. */
export async function replacesOnlyPaused({ engine, sends, asks, pauses }: PausesStage): Promise<void> {
  const downs = new Watched<readonly StreamReport[]>();
  downs.set([]);
  const stop = engine.onReport((report) => {
    if (report.kind === 'down') downs.set([...downs.value!, report]);
  });
  const first = await sends();
  await assertRefused(asks(), 'stream_taken');
  assert.deepEqual(downs.value, []);
  await pauses();
  const second = await admitted(asks);
  assert.notEqual(second, first);
  const ended = await downs.until('the first is down', (all) => all.length > 0);
  assert.deepEqual(ended, [
    { kind: 'down', stream: 'one', session: first, reason: 'replaced', wasSending: false },
  ]);
  // The second publisher has sent nothing yet: it is connecting, not paused.
  await assertRefused(asks(), 'stream_taken');
  assert.equal(downs.value?.length, 1);
  stop();
}

async function admitted(asks: PausesStage['asks']): Promise<string> {
  for (let refusals = 0;; refusals++) {
    try {
      return await asks();
    } catch (error) {
      const isEarly = error instanceof EngineRefused && error.code === 'stream_taken';
      if (!isEarly || refusals === MOST_REFUSALS) throw error;
    }
  }
}
