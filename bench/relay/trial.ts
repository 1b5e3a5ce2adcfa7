import { childEntry } from '#platform/streaming/child-entry.ts';
import { freeUdpPort } from '#platform/streaming/conformance/network/free-port.ts';
import { createEmbeddedEngine, type EmbeddedEngine } from '#platform/streaming/embedded/embedded-engine.ts';
import { EngineRefused } from '#platform/streaming/engine.ts';
import { fork, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { JanusFiles } from './janus/config.ts';
import { startJanus } from './janus/janus.ts';
import type { Crowd, SourceNews, SourceOrder, Summary, ViewerNews, ViewerOrder } from './messages.ts';
import { addUp } from './viewers/meter.ts';

/** The load, the same for every server. */
export interface Load {
  readonly viewers: number;
  readonly seconds: number;
  /** Processes of viewers. */
  readonly crowds: readonly Crowd[];
  readonly bitsPerSecond: number;
  /** Each viewer requests one in so many video packets again, as if it had been lost; 0 for none. */
  readonly askEvery: number;
  /** Address of this machine that servers and viewers meet on. */
  readonly address: string;
}

export interface Outcome {
  /** Viewers that received video and audio. */
  readonly joined: number;
  readonly summary: Summary;
  /** Processor seconds per second of the process that sends to the viewers. */
  readonly cores: number;
  /** Packets received by viewers per processor second of that process. */
  readonly packetsPerCpuSecond: number;
}

const SOURCE = './source-child';
const VIEWERS = './viewers/viewers-child';
/**
 * A machine that can't run all viewers besides the server is measured with those that joined in this time.
 */
const JOIN_LIMIT_MS = 45_000;
const ANSWER_LIMIT_MS = 60_000;
const SETTLE_MS = 2_000;
/** The kernel counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100;

/** Doesn't keep the process alive. */
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

function start(name: string): ChildProcess {
  const entry = childEntry(import.meta.url, name);
  return fork(entry.path, [], { execArgv: [...entry.execArgv] });
}

const order = (child: ChildProcess, what: ViewerOrder | SourceOrder): void => void child.send(what);

function next<N>(child: ChildProcess, is: (news: N) => boolean): Promise<N> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('a bench process said nothing')), ANSWER_LIMIT_MS);
    const onMessage = (news: unknown): void => {
      if (!is(news as N)) return;
      clearTimeout(timer);
      child.off('message', onMessage);
      resolve(news as N);
    };
    child.on('message', onMessage);
  });
}

/** Processor seconds a process has used, all its threads together. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** The number of viewers that watch once all do, or when the time is up. */
async function countJoined({ crowds }: Load, watching: readonly ChildProcess[]): Promise<number> {
  const joined = crowds.map(() => 0);
  const all = watching.map((child, i) =>
    new Promise<void>((resolve) => {
      child.on('message', (message) => {
        const news = message as ViewerNews;
        if (news.kind === 'joined') joined[i] = news.viewers;
        if (joined[i]! >= crowds[i]!.count) resolve();
      });
    })
  );
  await Promise.race([Promise.all(all), sleep(JOIN_LIMIT_MS)]);
  return joined.reduce((sum, number) => sum + number, 0);
}

/** Waits until the viewers get packets, then measures the process that sends them. */
async function measure(load: Load, pid: number, watching: readonly ChildProcess[]): Promise<Outcome> {
  const joined = await countJoined(load, watching);
  await sleep(SETTLE_MS);
  for (const child of watching) order(child, { kind: 'restart' });
  const [cpuBefore, timeBefore] = [cpuSeconds(pid), performance.now()];
  await sleep(load.seconds * 1_000);
  const cores = ((cpuSeconds(pid) - cpuBefore) * 1_000) / (performance.now() - timeBefore);
  const summary = addUp(
    await Promise.all(watching.map(async (child) => {
      order(child, { kind: 'report' });
      const news = await next<ViewerNews & { kind: 'summary' }>(child, ({ kind }) => kind === 'summary');
      return news.summary;
    })),
  );
  return { joined, cores, summary, packetsPerCpuSecond: summary.packetsPerSecond / Math.max(0.001, cores) };
}

/** Admits one viewer at a server: takes the viewer's description and returns the server's. */
type Admit = (viewer: string, said: string | null) => Promise<string | null>;

/** Admits the viewers of one process; never resolves, but rejects when one can't be admitted. */
function negotiate(
  load: Load,
  child: ChildProcess,
  i: number,
  serverOffers: boolean,
  admit: Admit,
): Promise<never> {
  const { crowds, address, askEvery } = load;
  order(child, { kind: 'join', crowd: crowds[i]!, address, serverOffers, askEvery });
  return new Promise((_, reject) => {
    child.on('message', (message) => {
      const news = message as ViewerNews;
      if (news.kind !== 'wants' && news.kind !== 'described') return;
      const { viewer } = news;
      admit(`${i}-${viewer}`, news.kind === 'described' ? news.description : null).then((description) => {
        if (description !== null) order(child, { kind: 'described', viewer, description });
      }, reject);
    });
  });
}

/** Admits one viewer, and retries while the relay is behind: no real room gets all viewers at once. */
async function answer(engine: EmbeddedEngine, offer: string): Promise<string> {
  for (;;) {
    try {
      return (await engine.play('bench', offer)).answer;
    } catch (error) {
      if (!(error instanceof EngineRefused) || error.code !== 'overloaded') throw error;
      await sleep(100);
    }
  }
}

/** Our relay, fed by WHIP and watched by WHEP. */
export async function runOurs(load: Load): Promise<Outcome> {
  const engine = createEmbeddedEngine({
    udpPort: await freeUdpPort(),
    bindAddress: load.address,
    maxReadersPerRelay: load.viewers,
  });
  await engine.start();
  const source = start(SOURCE);
  const watching = load.crowds.map(() => start(VIEWERS));
  try {
    order(source, { kind: 'publish', bitsPerSecond: load.bitsPerSecond, address: load.address });
    const { offer } = await next<SourceNews>(source, () => true);
    const up = new Promise<void>((resolve) => engine.onReport((report) => report.kind === 'up' && resolve()));
    const published = await engine.publish('bench', offer, { owner: 'bench' });
    order(source, { kind: 'answer', answer: published.answer });
    await up;
    const admit: Admit = (_, said) => answer(engine, said ?? '');
    const refused = watching.map((child, i) => negotiate(load, child, i, false, admit));
    return await Promise.race([measure(load, engine.relayPids()[0]!, watching), ...refused]);
  } finally {
    for (const child of [source, ...watching]) child.disconnect();
    await engine.close();
  }
}

/** The streaming plugin of Janus, fed with plain packets. */
export async function runJanus(load: Load, files: JanusFiles, isTuned: boolean): Promise<Outcome> {
  const janus = await startJanus(files, isTuned, load.address);
  const source = start(SOURCE);
  const watching = load.crowds.map(() => start(VIEWERS));
  const accepts = new Map<string, (answer: string) => Promise<void>>();
  try {
    order(source, { kind: 'send', bitsPerSecond: load.bitsPerSecond, ports: janus.ports });
    const admit: Admit = async (viewer, said) => {
      if (said !== null) {
        await accepts.get(viewer)!(said);
        return null;
      }
      const { offer, accept } = await janus.api.watch();
      accepts.set(viewer, accept);
      return offer;
    };
    const refused = watching.map((child, i) => negotiate(load, child, i, true, admit));
    return await Promise.race([measure(load, janus.pid, watching), ...refused]);
  } finally {
    for (const child of [source, ...watching]) child.disconnect();
    await janus.close();
  }
}

/** The baseline: the same packets to plain sockets, unencrypted, without any of a relay's work. */
export async function runPlain(load: Load): Promise<Outcome> {
  const [source, fanOut] = [start(SOURCE), start('./fan-out-child')];
  const watching = load.crowds.map(() => start(VIEWERS));
  try {
    const port = await next<number>(fanOut, () => true);
    const ports = await Promise.all(watching.map(async (child, i) => {
      order(child, { kind: 'listen', crowd: load.crowds[i]! });
      return (await next<ViewerNews & { kind: 'ports' }>(child, ({ kind }) => kind === 'ports')).ports;
    }));
    fanOut.send(ports.flat());
    order(source, { kind: 'send', bitsPerSecond: load.bitsPerSecond, ports: { video: port, audio: port } });
    return await measure(load, fanOut.pid!, watching);
  } finally {
    for (const child of [source, fanOut, ...watching]) child.disconnect();
  }
}
