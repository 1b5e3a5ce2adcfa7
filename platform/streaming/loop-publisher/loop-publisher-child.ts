/** The program that publishes loops: one process for all of them, one timer for all their packets. */
import { systemClock } from '#platform/data/clock.ts';
import { readLoop } from './loop-media.ts';
import type { Loop } from './loop-publisher.ts';
import { LoopSession } from './loop-session.ts';

/** Packets leave in one batch per period: few wake-ups, and no viewer of a loop notices the delay. */
const PERIOD_MS = 66;

async function run(loops: readonly Loop[]): Promise<readonly LoopSession[]> {
  const media = await Promise.all(loops.map(({ video, audio }) => readLoop(video, audio)));
  const sessions = loops.map((loop, i) => new LoopSession(loop, media[i]!, systemClock));
  systemClock.every('loops', PERIOD_MS, () => {
    const nowMs = performance.now();
    for (const session of sessions) session.advance(nowMs, performance.timeOrigin + nowMs);
  });
  for (const session of sessions) void session.connect();
  return sessions;
}

let sessions: readonly LoopSession[] = [];
process.once('message', (loops) => {
  run(loops as readonly Loop[]).then((running) => {
    sessions = running;
  }, (error: unknown) => {
    console.error('loops cannot be published:', error instanceof Error ? error.message : error);
    process.exit(1);
  });
});
process.once('disconnect', () => {
  void Promise.all(sessions.map((session) => session.close())).finally(() => process.exit(0));
});
