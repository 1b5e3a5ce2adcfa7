/**
 * Viewers per relay core: one synthetic publisher (H.264 and Opus), many synthetic viewers in processes of
 * their own that answer RTCP; loss and delay are those of every tenth. Beside it the baseline: the same
 * packets to the same number of sockets through plain `node:dgram`, unencrypted, without any of a relay's
 * work.
 *
 *   npx tsx bench/relay.ts [--viewers 400] [--seconds 20] [--smoke]
 */
import { fork, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { childEntry } from '../platform/streaming/child-entry.ts';
import { freeUdpPort } from '../platform/streaming/conformance/free-port.ts';
import { createEmbeddedEngine, type EmbeddedEngine } from '../platform/streaming/embedded/embedded-engine.ts';
import { EngineRefused } from '../platform/streaming/engine.ts';
import type { Crowd, SourceNews, SourceOrder, ViewerNews, ViewerOrder } from './relay/messages.ts';
import { addUp, quantileMs, type Summary } from './relay/meter.ts';

const { values } = parseArgs({
  options: {
    viewers: { type: 'string' }, seconds: { type: 'string' },
    smoke: { type: 'boolean', default: false },
  },
});
const viewers = Number(values.viewers ?? (values.smoke ? 20 : 400));
const seconds = Number(values.seconds ?? (values.smoke ? 3 : 20));

/** To look at every packet costs a viewer more than to get it: one in this many does. */
const MEASURED_EVERY = 10;
const measuredCount = Math.ceil(viewers / MEASURED_EVERY);
const halfBulk = (viewers - measuredCount) / 2;
const crowds: readonly Crowd[] = [
  { count: measuredCount, isMeasured: true },
  { count: Math.ceil(halfBulk), isMeasured: false },
  { count: Math.floor(halfBulk), isMeasured: false },
];
const SOURCE = './relay/source-child';
const VIEWERS = './relay/viewers-child';
const BITS_PER_SECOND = 2_000_000;
/**
 * A machine that cannot carry all viewers besides the relay is measured with those that came in this time.
 */
const JOIN_LIMIT_MS = 45_000;
const ANSWER_LIMIT_MS = 60_000;
const SETTLE_MS = 2_000;
/** The kernel counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100;

interface Outcome {
  readonly name: string;
  /** How many of the viewers came to be connected. */
  readonly joined: number;
  readonly summary: Summary;
  /** Processor seconds per second of the process that sends to the viewers. */
  readonly cores: number;
}

/** Keeps no process alive that has nothing else to do. */
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

function start(name: string): ChildProcess {
  const entry = childEntry(import.meta.url, name);
  return fork(entry.path, [], { execArgv: [...entry.execArgv] });
}

const order = (child: ChildProcess, what: ViewerOrder | SourceOrder): void => void child.send(what);

function next<N>(child: ChildProcess, is: (news: N) => boolean): Promise<N> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('a bench process said nothing')), ANSWER_LIMIT_MS);
    const hear = (news: unknown): void => {
      if (!is(news as N)) return;
      clearTimeout(timer);
      child.off('message', hear);
      resolve(news as N);
    };
    child.on('message', hear);
  });
}

/** Processor seconds a process has used. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** How many viewers are connected once all are, or the limit is over. */
async function countJoined(watching: readonly ChildProcess[]): Promise<number> {
  const joined = crowds.map(() => 0);
  const all = watching.map((child, i) => new Promise<void>((resolve) => {
    child.on('message', (message) => {
      const news = message as ViewerNews;
      if (news.kind === 'joined') joined[i] = news.viewers;
      if (joined[i]! >= crowds[i]!.count) resolve();
    });
  }));
  const fromMs = performance.now();
  await Promise.race([Promise.all(all), sleep(JOIN_LIMIT_MS)]);
  const count = joined.reduce((sum, one) => sum + one, 0);
  console.log(`${count} of ${viewers} joined within ${((performance.now() - fromMs) / 1_000).toFixed(1)} s`);
  return count;
}

/** Waits until the viewers get packets, then measures. */
async function measure(name: string, pid: number, watching: readonly ChildProcess[]): Promise<Outcome> {
  const joined = await countJoined(watching);
  await sleep(SETTLE_MS);
  for (const child of watching) order(child, { kind: 'restart' });
  const [cpuBefore, timeBefore] = [cpuSeconds(pid), performance.now()];
  await sleep(seconds * 1_000);
  const cores = ((cpuSeconds(pid) - cpuBefore) * 1_000) / (performance.now() - timeBefore);
  const summaries = await Promise.all(watching.map(async (child) => {
    order(child, { kind: 'report' });
    const news = await next<ViewerNews>(child, ({ kind }) => kind === 'summary');
    return news.kind === 'summary' ? news.summary : null;
  }));
  return { name, joined, cores, summary: addUp(summaries.filter((one) => one !== null)) };
}

/** Answers one viewer, again when the relay is behind: all of them at once are more than any room sees. */
async function admit(engine: EmbeddedEngine, offer: string): Promise<string> {
  for (;;) {
    try {
      return (await engine.play('bench', offer)).answer;
    } catch (error) {
      if (!(error instanceof EngineRefused) || error.code !== 'overloaded') throw error;
      await sleep(100);
    }
  }
}

/** Lets the viewers of one process in; never resolves, but rejects when one cannot be let in at all. */
function answerOffers(engine: EmbeddedEngine, child: ChildProcess, crowd: Crowd): Promise<never> {
  order(child, { kind: 'join', crowd });
  return new Promise((_, reject) => {
    child.on('message', (message) => {
      const news = message as ViewerNews;
      if (news.kind !== 'offer') return;
      const { viewer, offer } = news;
      admit(engine, offer).then((answer) => order(child, { kind: 'answer', viewer, answer }), reject);
    });
  });
}

async function runRelay(): Promise<Outcome> {
  const engine = createEmbeddedEngine({
    udpPort: await freeUdpPort(), bindAddress: '127.0.0.1', maxReadersPerRelay: viewers,
  });
  await engine.start();
  const source = start(SOURCE);
  const watching = crowds.map(() => start(VIEWERS));
  try {
    order(source, { kind: 'publish', bitsPerSecond: BITS_PER_SECOND });
    const { offer } = await next<SourceNews>(source, () => true);
    const up = new Promise<void>((resolve) => engine.onReport((report) => report.kind === 'up' && resolve()));
    const { answer } = await engine.publish('bench', offer, { owner: 'bench' });
    order(source, { kind: 'answer', answer });
    await up;
    const refused = watching.map((child, i) => answerOffers(engine, child, crowds[i]!));
    const measured = measure('relay (WHEP, SRTP)', engine.relayPids()[0]!, watching);
    return await Promise.race([measured, ...refused]);
  } finally {
    for (const child of [source, ...watching]) child.disconnect();
    await engine.close();
  }
}

async function runBaseline(): Promise<Outcome> {
  const [source, fanOut] = [start(SOURCE), start('./relay/fan-out-child')];
  const watching = crowds.map(() => start(VIEWERS));
  try {
    const port = await next<number>(fanOut, () => true);
    const ports = await Promise.all(watching.map(async (child, i) => {
      order(child, { kind: 'listen', crowd: crowds[i]! });
      const news = await next<ViewerNews>(child, ({ kind }) => kind === 'ports');
      return news.kind === 'ports' ? news.ports : [];
    }));
    fanOut.send(ports.flat());
    order(source, { kind: 'send', bitsPerSecond: BITS_PER_SECOND, port });
    return await measure('baseline (plain UDP)', fanOut.pid!, watching);
  } finally {
    for (const child of [source, fanOut, ...watching]) child.disconnect();
  }
}

function row({ name, joined, summary, cores }: Outcome): string {
  const total = summary.packets + summary.lost;
  const lost = `${summary.lost} (${((100 * summary.lost) / Math.max(1, total)).toFixed(3)}%)`;
  const perCore = Math.round(joined / Math.max(0.001, cores));
  return `| ${[
    name.padEnd(20), String(joined).padStart(7), String(summary.packets).padStart(9), lost.padStart(16),
    `${quantileMs(summary, 0.5).toFixed(1)} ms`.padStart(9),
    `${quantileMs(summary, 0.99).toFixed(1)} ms`.padStart(9),
    `${(100 * cores).toFixed(0)}%`.padStart(8), String(perCore).padStart(17),
  ].join(' | ')} |`;
}

console.log(`${viewers} viewers of one ${BITS_PER_SECOND / 1e6} Mbit/s stream for ${seconds} s, `
  + `${crowds[0]!.count} of them measured, on ${process.platform} ${process.arch}, Node ${process.version}`);
const outcomes = [await runRelay(), await runBaseline()];
console.log('| sender               | viewers |   packets |             lost | p50 delay | p99 delay '
  + '| of a core | viewers a core-s |');
console.log('|---|---|---|---|---|---|---|---|');
for (const outcome of outcomes) console.log(row(outcome));
