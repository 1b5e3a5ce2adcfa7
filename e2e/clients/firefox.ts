import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const PORT = 2828;
const ATTEMPTS = 60;
const PREFERENCES = {
  'media.autoplay.default': 0,
  'media.peerconnection.ice.loopback': true,
  'media.peerconnection.ice.obfuscate_host_addresses': false,
  'datareporting.policy.dataSubmissionEnabled': false,
};

/** A Firefox as its package installs it, driven by its own protocol (Marionette). */
export class Firefox {
  readonly #child: ChildProcess;
  readonly #socket: Socket;
  readonly #waiting = new Map<number, (reply: readonly unknown[]) => void>();
  #buffer = Buffer.alloc(0);
  #last = 0;

  private constructor(child: ChildProcess, socket: Socket) {
    this.#child = child;
    this.#socket = socket;
    socket.on('data', (bytes) => this.#read(bytes));
  }

  static async open(): Promise<Firefox> {
    const profile = mkdtempSync(join(tmpdir(), 'candela-firefox-'));
    const lines = Object.entries(PREFERENCES)
      .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`);
    writeFileSync(join(profile, 'user.js'), lines.join('\n'));
    const child = spawn('firefox-esr', ['--headless', '--marionette', '--no-remote', '--profile', profile], {
      stdio: 'ignore',
      env: { ...process.env, HOME: profile },
    });
    const firefox = new Firefox(child, await connected());
    await firefox.#ask('WebDriver:NewSession', {});
    return firefox;
  }

  async goto(url: string): Promise<void> {
    await this.#ask('WebDriver:Navigate', { url });
  }

  /** The result of a script that ends with `return`, awaited. */
  async run(script: string): Promise<unknown> {
    const wrapped = `const done = arguments[0];
      (async () => { ${script} })().then(done, (error) => done(String(error)));`;
    const answer = await this.#ask('WebDriver:ExecuteAsyncScript', { script: wrapped, args: [] });
    return (answer as { readonly value?: unknown } | null)?.value;
  }

  /** Resolves when it has exited: the next Firefox listens on the same port. */
  async close(): Promise<void> {
    const gone = once(this.#child, 'exit');
    this.#socket.destroy();
    this.#child.kill('SIGTERM');
    await gone;
  }

  #ask(name: string, parameters: object): Promise<unknown> {
    const id = this.#last += 1;
    const message = JSON.stringify([0, id, name, parameters]);
    this.#socket.write(`${Buffer.byteLength(message)}:${message}`);
    return new Promise((resolve, reject) => {
      this.#waiting.set(
        id,
        (
          [, , error, result],
        ) => (error ? reject(new Error(JSON.stringify(error).slice(0, 300))) : resolve(result)),
      );
    });
  }

  #read(bytes: Buffer): void {
    this.#buffer = Buffer.concat([this.#buffer, bytes]);
    for (;;) {
      const colon = this.#buffer.indexOf(':');
      if (colon < 0) return;
      const end = colon + 1 + Number(this.#buffer.toString('latin1', 0, colon));
      if (this.#buffer.length < end) return;
      const message: unknown = JSON.parse(this.#buffer.toString('utf8', colon + 1, end));
      this.#buffer = this.#buffer.subarray(end);
      // The first message is a greeting.
      if (Array.isArray(message)) this.#waiting.get(Number(message[1]))?.(message);
    }
  }
}

async function connected(): Promise<Socket> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const socket = await new Promise<Socket | null>((resolve) => {
      const trying = connect(PORT, '127.0.0.1', () => resolve(trying));
      trying.once('error', () => resolve(null));
    });
    if (socket) return socket;
    await sleep(500);
  }
  throw new Error('Firefox does not answer');
}
