import type { Clock } from '#platform/data/clock.ts';
import { fork, type ChildProcess } from 'node:child_process';
import type { ChildEntry } from '../../child-entry.ts';
import { RESTART_FIRST_MS, RESTART_FORGIVEN_AFTER_MS, RESTART_LONGEST_MS } from '../../limits.ts';
import type { RtmpAdmission, RtmpAsked, RtmpReport } from '../ingest.ts';
import { START_TIMEOUT_MS } from '../limits.ts';
import type { RtmpMessageDown, RtmpMessageUp, RtmpSettings } from './rtmp-protocol.ts';

export interface RtmpProcessOptions {
  readonly clock: Clock;
  readonly entry: ChildEntry;
  readonly settings: RtmpSettings;
  /** Must not reject. */
  readonly admit: (asked: RtmpAsked) => Promise<RtmpAdmission>;
  readonly report: (report: RtmpReport) => void;
}

/** A process that does not exit when asked is killed after this. */
const CLOSE_TIMEOUT_MS = 2_000;

/**
 * The parent's side of the RTMP process, which is restarted when it dies; encoders reconnect by themselves. A
 * process that cannot run reports why, and is retried at the longest interval.
 */
export class RtmpProcess {
  readonly #options: RtmpProcessOptions;
  #child: ChildProcess | null = null;
  #port: number | undefined;
  #detail = 'starting';
  #backOffMs = RESTART_FIRST_MS;
  #startedAtMs = 0;
  #cancelRestart: () => void = () => undefined;
  #closing = false;

  constructor(options: RtmpProcessOptions) {
    this.#options = options;
  }

  /** The port, while it listens. */
  get port(): number | undefined {
    return this.#port;
  }

  /** Why it does not listen. */
  get detail(): string {
    return this.#detail;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Resolves when it listens, or has reported why it cannot. */
  start(): Promise<void> {
    const { clock, entry, settings } = this.#options;
    this.#startedAtMs = clock.now().getTime();
    const child = fork(entry.path, [JSON.stringify(settings)], {
      execArgv: [...entry.execArgv],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child = child;
    return new Promise((resolve) => {
      const cancel = clock.after('rtmp start', START_TIMEOUT_MS, () => {
        this.#detail = 'it did not start in time';
        child.kill('SIGKILL');
      });
      child.on('message', (message) => {
        const said = message as RtmpMessageUp;
        if (said.kind === 'ready' || said.kind === 'unfit') {
          cancel();
          this.#settle(child, said);
          resolve();
        } else {
          void this.#onMessage(child, said);
        }
      });
      child.once('error', (error) => {
        this.#detail = error.message;
        this.#died(child);
        resolve();
      });
      child.once('exit', (code, signal) => {
        cancel();
        if (this.#port !== undefined) this.#detail = `it exited (${signal ?? code}) and starts again`;
        this.#died(child);
        resolve();
      });
    });
  }

  /** Ends the process, and with it every publisher, and waits until it has gone. */
  close(): Promise<void> {
    this.#closing = true;
    this.#cancelRestart();
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after('rtmp close', CLOSE_TIMEOUT_MS, () => child.kill('SIGKILL'));
      child.once('exit', () => {
        cancel();
        resolve();
      });
      if (child.connected) child.disconnect();
      else child.kill('SIGKILL');
    });
  }

  #settle(child: ChildProcess, said: Extract<RtmpMessageUp, { kind: 'ready' | 'unfit' }>): void {
    if (said.kind === 'ready') {
      this.#port = said.port;
      return;
    }
    this.#detail = said.detail;
    this.#backOffMs = RESTART_LONGEST_MS;
    child.kill();
  }

  async #onMessage(
    child: ChildProcess,
    said: Exclude<RtmpMessageUp, { kind: 'ready' | 'unfit' }>,
  ): Promise<void> {
    if (said.kind !== 'asked') return this.#options.report(said);
    const admission = await this.#options.admit(said.asked);
    const answer: RtmpMessageDown = { kind: 'admission', request: said.request, admission };
    if (child.connected) child.send(answer, () => undefined);
  }

  #died(child: ChildProcess): void {
    if (this.#child !== child) return;
    this.#child = null;
    this.#port = undefined;
    if (this.#closing) return;
    const { clock } = this.#options;
    const livedMs = clock.now().getTime() - this.#startedAtMs;
    if (livedMs > RESTART_FORGIVEN_AFTER_MS) this.#backOffMs = RESTART_FIRST_MS;
    const waitMs = this.#backOffMs;
    this.#backOffMs = Math.min(RESTART_LONGEST_MS, waitMs * 2);
    this.#cancelRestart = clock.after('rtmp restart', waitMs, () => void this.start());
  }
}
