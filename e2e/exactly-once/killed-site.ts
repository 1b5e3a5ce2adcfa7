import { freePort } from '#platform/data/redis/testing.ts';
import { findPrograms, startCluster, type Cluster } from '#tools/machine/cluster.mjs';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Bank } from './bank.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Time for a start on two busy cores. */
const START_MS = 240_000;

/** Builds the program that is to be killed. */
export function buildProgram(): void {
  execFileSync(process.execPath, ['tools/build.mjs'], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** The built program with a durable PostgreSQL of its own, and billers beside it. */
export class KilledSite {
  readonly port: number;
  readonly cluster: Cluster;
  readonly bank: Bank;
  readonly #folder: string;
  readonly #rtmpPort: number;
  readonly #output: string[] = [];
  #child: ChildProcess | null = null;
  /** Output of each time the program ended by itself; it is then restarted, as a supervisor would. */
  readonly ownEnds: string[] = [];

  private constructor(port: number, rtmpPort: number, cluster: Cluster, bank: Bank) {
    this.port = port;
    this.#rtmpPort = rtmpPort;
    this.cluster = cluster;
    this.bank = bank;
    this.#folder = mkdtempSync(join(tmpdir(), 'candela-exactly-once-'));
    writeFileSync(this.#billersFile, JSON.stringify(bank.accounts));
  }

  /** Starts once to create the demo's people, and again without their live video. */
  static async open(): Promise<KilledSite> {
    const programs = findPrograms();
    if (programs === null) throw new Error('PostgreSQL 15 or newer is needed for this');
    const cluster = await startCluster(programs, { durable: true });
    const port = await freePort();
    const site = new KilledSite(port, await freePort(), cluster, await Bank.open(port));
    await site.#start([]);
    await site.#end('SIGTERM');
    await site.#start(['--no-demo']);
    return site;
  }

  /** Kills it with SIGKILL and starts it again; resolves when it answers. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
    await this.#start(['--no-demo']);
  }

  async close(): Promise<void> {
    await this.#end('SIGTERM');
    await this.bank.close();
    await this.cluster.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #billersFile(): string {
    return join(this.#folder, 'billers.json');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((done) => child.once('exit', done));
    child.kill(signal);
    await ended;
  }

  async #start(flags: readonly string[]): Promise<void> {
    const child = spawn(process.execPath, ['dist/site.js', ...flags], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        PORT: String(this.port),
        RTMP_PORT: String(this.#rtmpPort),
        DATA_DIR: this.#folder,
        DATABASE_URL: this.cluster.url,
        BILLERS_FILE: this.#billersFile,
        NODE_ENV: 'production',
        LOG_LEVEL: 'fatal',
      },
    });
    this.#child = child;
    const isUp = await new Promise<boolean>((done, fail) => {
      const read = (text: Buffer): void => {
        this.#output.push(text.toString());
        if (text.includes('Candela is at')) done(true);
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      child.once('exit', () => done(false));
      const tooLate = (): void =>
        fail(new Error(`no start within ${START_MS} ms:\n${this.#output.join('')}`));
      setTimeout(tooLate, START_MS).unref();
    });
    // Restarts it as a supervisor does, also when the database was down while it started.
    child.once('exit', () => {
      if (!isUp || this.#child !== child) return;
      this.ownEnds.push(this.#output.slice(-2).join('').trim());
      void this.#start(flags);
    });
    if (isUp || this.#child !== child) return;
    this.ownEnds.push(this.#output.slice(-2).join('').trim());
    await this.#start(flags);
  }
}
