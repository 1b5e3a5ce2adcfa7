import type { Clock } from '#platform/data/clock.ts';
import { fork, type ChildProcess } from 'node:child_process';
import type { ChildEntry } from '../../child-entry.ts';
import { EngineRefused, type StreamReport } from '../../engine.ts';
import {
  MAX_PENDING_REQUESTS,
  RELAY_START_TIMEOUT_MS,
  REQUEST_TIMEOUT_MS,
  RESTART_FIRST_MS,
  RESTART_FORGIVEN_AFTER_MS,
  RESTART_LONGEST_MS,
} from '../../limits.ts';
import type { Numbered, RelayMessage, RelayOutcome, RelayRequest, RelaySettings } from './relay-protocol.ts';

export interface RelayProcessOptions {
  readonly settings: RelaySettings;
  readonly entry: ChildEntry;
  readonly clock: Clock;
  readonly report: (report: StreamReport) => void;
  /** The process died, and every session with it. It is being restarted. */
  readonly lost: (detail: string) => void;
}

interface Pending {
  readonly resolve: (outcome: RelayOutcome) => void;
  readonly reject: (error: Error) => void;
  readonly cancel: () => void;
}

/** A relay that does not exit when asked is killed after this. */
const CLOSE_TIMEOUT_MS = 2_000;

/** The parent's side of one relay: requests with time-outs, and a new process when it dies. */
export class RelayProcess {
  readonly #options: RelayProcessOptions;
  readonly #pending = new Map<number, Pending>();
  #child: ChildProcess | null = null;
  #ready = false;
  #requests = 0;
  #backOffMs = RESTART_FIRST_MS;
  #startedAtMs = 0;
  #cancelRestart: (() => void) | null = null;
  #closing = false;

  constructor(options: RelayProcessOptions) {
    this.#options = options;
  }

  /** The process id, while there is a process. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Resolves when the relay is ready; rejects when it cannot run, for example because its port is taken. */
  start(): Promise<void> {
    const { clock, entry, settings } = this.#options;
    this.#startedAtMs = clock.now().getTime();
    const child = fork(entry.path, [JSON.stringify(settings)], {
      execArgv: [...entry.execArgv],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child = child;
    return new Promise((resolve, reject) => {
      const cancel = clock.after('relay start', RELAY_START_TIMEOUT_MS, () => {
        child.kill('SIGKILL');
        reject(new Error('the relay did not start in time'));
      });
      child.on('message', (message) => {
        const said = message as RelayMessage;
        if (said.kind === 'ready') {
          cancel();
          this.#ready = true;
          resolve();
        } else if (said.kind === 'unfit') {
          reject(new Error(`the relay cannot run: ${said.detail}`));
          child.kill();
        } else {
          this.#onMessage(said);
        }
      });
      child.once('error', (error) => reject(error));
      child.once('exit', (code, signal) => {
        cancel();
        reject(new Error(`the relay exited (${signal ?? code})`));
        this.#died(child, `exit ${signal ?? code}`);
      });
    });
  }

  /**
   * Rejects with {@link EngineRefused}: the refusal of the relay, `overloaded`, or `unavailable` when no
   * relay runs.
   */
  ask(request: RelayRequest): Promise<RelayOutcome> {
    const child = this.#child;
    if (!child?.connected || !this.#ready) return Promise.reject(unavailable('the relay is restarting'));
    if (this.#pending.size >= MAX_PENDING_REQUESTS) {
      return Promise.reject(new EngineRefused('overloaded', 'too many requests wait for the relay'));
    }
    const number = this.#requests += 1;
    return new Promise((resolve, reject) => {
      const cancel = this.#options.clock.after('relay request', REQUEST_TIMEOUT_MS, () => {
        this.#pending.delete(number);
        reject(unavailable('the relay did not answer in time'));
      });
      this.#pending.set(number, { resolve, reject, cancel });
      child.send({ request: number, ask: request } satisfies Numbered, (error) => {
        if (error) this.#settle(number)?.reject(unavailable('the relay went away'));
      });
    });
  }

  /** Ends the process and waits until it has gone. */
  close(): Promise<void> {
    this.#closing = true;
    this.#cancelRestart?.();
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after('relay close', CLOSE_TIMEOUT_MS, () => child.kill('SIGKILL'));
      child.once('exit', () => {
        cancel();
        resolve();
      });
      if (child.connected) child.disconnect();
      else child.kill('SIGKILL');
    });
  }

  #onMessage(message: RelayMessage): void {
    if (message.kind === 'reports') { for (const report of message.reports) this.#options.report(report); }
    else if (message.kind === 'done') this.#settle(message.request)?.resolve(message.outcome);
    else if (message.kind === 'refused') {
      this.#settle(message.request)?.reject(new EngineRefused(message.code, message.detail));
    }
  }

  #settle(request: number): Pending | undefined {
    const pending = this.#pending.get(request);
    this.#pending.delete(request);
    pending?.cancel();
    return pending;
  }

  #died(child: ChildProcess, detail: string): void {
    if (this.#child !== child) return;
    const wasReady = this.#ready;
    this.#child = null;
    this.#ready = false;
    for (const request of this.#pending.keys()) {
      this.#settle(request)?.reject(unavailable('the relay went away'));
    }
    if (this.#closing) return;
    if (wasReady) this.#options.lost(detail);
    this.#restartLater();
  }

  #restartLater(): void {
    const { clock } = this.#options;
    const livedMs = clock.now().getTime() - this.#startedAtMs;
    if (livedMs > RESTART_FORGIVEN_AFTER_MS) this.#backOffMs = RESTART_FIRST_MS;
    const waitMs = this.#backOffMs;
    this.#backOffMs = Math.min(RESTART_LONGEST_MS, waitMs * 2);
    // A failed start ends in `exit` again, which schedules the next attempt.
    const start = (): void => void this.start().catch(() => undefined);
    this.#cancelRestart = clock.after('relay restart', waitMs, start);
  }
}

const unavailable = (detail: string): EngineRefused => new EngineRefused('unavailable', detail);
