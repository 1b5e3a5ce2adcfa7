import assert from 'node:assert/strict';
import { EngineRefused, type Engine, type StreamReport } from '../../engine.ts';
import { Watched } from '../signals/watched.ts';
import { assertRefused } from '../world.ts';

/** How the story of a pause is played: by peers, by processes of this machine, or on a fake of the engine. */
export interface PausesStage {
  readonly engine: Engine;
  /** A publisher of stream `one` sends from now on. Resolves with its session. */
  readonly sends: () => Promise<string>;
  /** Its owner asks for its place with `onlyPaused`, as often as called. Resolves with the session. */
  readonly asks: () => Promise<string>;
  /** The publisher sends nothing any more. Resolves when a report says so. */
  readonly pauses: () => Promise<void>;
}

/** Refusals in the rest of the second that a pause has to last; each takes a message there and back. */
const MOST_REFUSALS = 20_000;

/** `onlyPaused` takes no place of a publisher that sends or connects, and that of one that has paused. */
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
  // The second has sent nothing yet: it connects, which is no pause.
  await assertRefused(asks(), 'stream_taken');
  assert.equal(downs.value?.length, 1);
  stop();
}

async function admitted(asks: PausesStage['asks']): Promise<string> {
  for (let refusals = 0; ; refusals++) {
    try {
      return await asks();
    } catch (error) {
      const isEarly = error instanceof EngineRefused && error.code === 'stream_taken';
      if (!isEarly || refusals === MOST_REFUSALS) throw error;
    }
  }
}
