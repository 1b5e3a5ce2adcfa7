import type { Clock } from '#platform/data/clock.ts';
import { fork, type ChildProcess, type Serializable } from 'node:child_process';
import type { ChildEntry } from '../child-entry.ts';
import { CHILD_CLOSE_MS } from './limits.ts';

export interface MediaChildOptions<News> {
  readonly entry: ChildEntry;
  /** Settings, as JSON in its first argument. */
  readonly settings: unknown;
  readonly clock: Clock;
  readonly news: (news: News) => void;
  /** It ended without being asked to. */
  readonly died: (detail: string) => void;
}

/** One process with the media library in it. It ends with the process that started it. */
export class MediaChild<Order extends Serializable, News> {
  readonly #child: ChildProcess;
  readonly #clock: Clock;
  readonly #exited: Promise<void>;
  #dismissed = false;

  constructor({ entry, settings, clock, news, died }: MediaChildOptions<News>) {
    this.#clock = clock;
    this.#child = fork(entry.path, [JSON.stringify(settings)], {
      execArgv: [...entry.execArgv],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child.on('message', (message) => {
      if (!this.#dismissed) news(message as News);
    });
    this.#exited = new Promise((resolve) => {
      const over = (detail: string): void => {
        resolve();
        if (this.#dismissed) return;
        this.#dismissed = true;
        died(detail);
      };
      this.#child.once('error', (error) => over(error.message));
      this.#child.once('exit', (code, signal) => over(`exit ${signal ?? code}`));
    });
  }

  /** The process id, while there is a process. */
  get pid(): number | undefined {
    return this.#child.exitCode === null && this.#child.signalCode === null ? this.#child.pid : undefined;
  }

  send(order: Order): void {
    if (this.#child.connected) this.#child.send(order, () => undefined);
  }

  /** Asks it to finish, and waits until it has exited. No callback runs after that. */
  async close(): Promise<void> {
    this.#dismissed = true;
    const cancel = this.#clock.after('child close', CHILD_CLOSE_MS, () => this.#child.kill('SIGKILL'));
    if (this.#child.connected) this.#child.disconnect();
    await this.#exited;
    cancel();
  }

  /** Ends it at once, and waits until it has exited. No callback runs after that. */
  async kill(): Promise<void> {
    this.#dismissed = true;
    this.#child.kill('SIGKILL');
    await this.#exited;
  }
}
