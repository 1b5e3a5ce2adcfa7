import { systemClock, type Clock } from '#platform/data/clock.ts';
import { fork, type ChildProcess } from 'node:child_process';
import { childEntry, type ChildEntry } from '../child-entry.ts';

/** A recorded loop and where it is published. */
export interface Loop {
  /** Address of the WHIP endpoint. */
  readonly whipUrl: string;
  /** Bearer key. */
  readonly key: string;
  /** H.264 Annex B file: no B-frames, one slice a frame, a keyframe at least every two seconds. */
  readonly video: string;
  /** Ogg Opus file. */
  readonly audio: string;
  /** 15 when absent. */
  readonly framesPerSecond?: number;
  /** Address the peer sends from; any when absent. */
  readonly bindAddress?: string;
}

export interface LoopsOptions {
  /** The publishing program; found beside this module by default, see {@link childEntry}. */
  readonly entry?: ChildEntry;
  readonly clock?: Clock;
}

export interface RunningLoops {
  /** Process id of the publishing program, while it runs. */
  readonly pid: () => number | undefined;
  /** Ends every publish session and the program. */
  readonly close: () => Promise<void>;
}

const RESTART_FIRST_MS = 1_000;
const RESTART_LONGEST_MS = 30_000;
/** Time to end the sessions on the server; after it the program is killed. */
const CLOSE_TIMEOUT_MS = 5_000;

/**
 * Publishes loops for ever, in a process of its own that is restarted when it dies. Each loop reconnects by
 * itself when its session ends or its key is refused. Its methods never reject.
 */
export function runLoops(loops: readonly Loop[], options: LoopsOptions = {}): RunningLoops {
  const clock = options.clock ?? systemClock;
  const entry = options.entry ?? childEntry(import.meta.url, './loop-publisher-child');
  let child: ChildProcess | null = null;
  let waitMs = RESTART_FIRST_MS;
  let cancelRestart: (() => void) | null = null;
  let closing = false;

  const start = (): void => {
    const started = fork(entry.path, [], {
      execArgv: [...entry.execArgv],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    child = started;
    started.on('error', () => undefined);
    started.once('exit', () => {
      child = null;
      if (closing) return;
      cancelRestart = clock.after('loops restart', waitMs, start);
      waitMs = Math.min(RESTART_LONGEST_MS, waitMs * 2);
    });
    started.send(loops, () => undefined);
  };
  start();

  return {
    pid: () => child?.pid,
    close: () =>
      new Promise((resolve) => {
        closing = true;
        cancelRestart?.();
        if (!child?.connected) return resolve();
        const ending = child;
        const cancel = clock.after('loops close', CLOSE_TIMEOUT_MS, () => ending.kill('SIGKILL'));
        ending.once('exit', () => {
          cancel();
          resolve();
        });
        ending.disconnect();
      }),
  };
}
