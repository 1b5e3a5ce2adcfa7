/**
 * The cost of sending a message to a room: the same messages at the same times to the same number of sockets,
 * by our gateway, by Socket.IO 4 and by plain `ws` with one string per socket, in turns. Every receiver
 * compares every byte. Measured in deliveries per second of the *server's* processor time.
 */
import { next } from './processes/children.ts';
import { start } from './room-fanout/children.ts';
import { comeBack } from './room-fanout/comeback.ts';
import {
  BUCKET_MS,
  KINDS,
  monotonicMs,
  schedule,
  type FromReceivers,
  type FromServer,
  type Kind,
  type Offer,
} from './room-fanout/load.ts';

const smoke = process.argv.includes('--smoke');
/** Loads of each trial: people in a room, messages a second. */
const LOADS = smoke ? [{ sockets: 100, perSecond: 20 }] : [
  { sockets: 1_000, perSecond: 40 },
  { sockets: 5_000, perSecond: 8 },
];
const SECONDS = smoke ? 1 : 10;
const ROUNDS = smoke ? 1 : 3;
/** Processes of receivers. */
const RECEIVERS = 2;
/** Sockets opened and closed before memory is measured, so that code loaded once doesn't count. */
const WARM_UP = smoke ? 20 : 400;
/** Time between the offer and the first message. */
const LEAD_MS = 500;

interface Trial {
  readonly perCpuSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly heapBytesPerSocket: number;
  readonly rssBytesPerSocket: number;
}

async function trial(kind: Kind, sockets: number, perSecond: number): Promise<Trial> {
  const server = start<FromServer>('server-child', kind);
  const receivers = Array.from({ length: RECEIVERS }, () => start<FromReceivers>('receivers-child', kind));
  const { port } = await next(server, 'listening');
  const all = <K extends FromReceivers['kind']>(wanted: K, message: object): Promise<unknown> => {
    const answers = receivers.map((child) => next(child, wanted));
    for (const child of receivers) child.send(message);
    return Promise.all(answers);
  };
  const measure = async (): Promise<Extract<FromServer, { kind: 'measured' }>> => {
    const measured = next(server, 'measured');
    server.send({ kind: 'measure' });
    return measured;
  };
  try {
    await all('joined', { kind: 'join', port, sockets: WARM_UP / RECEIVERS });
    await all('left', { kind: 'leave' });
    const empty = await measure();
    await all('joined', { kind: 'join', port, sockets: sockets / RECEIVERS });
    const full = await measure();
    const offer: Offer = { perSecond, seconds: SECONDS, startAtMs: monotonicMs() + LEAD_MS };
    const received = all('received', { kind: 'receive', offer });
    server.send({ kind: 'publish', offer });
    const results = (await received) as Extract<FromReceivers, { kind: 'received' }>[];
    const done = await measure();
    const deliveries = sockets * schedule(perSecond, SECONDS).length;
    check(results, deliveries);
    return {
      perCpuSecond: deliveries / (done.cpuSeconds - full.cpuSeconds),
      p50Ms: quantile(results, 0.5),
      p99Ms: quantile(results, 0.99),
      heapBytesPerSocket: (full.heapBytes - empty.heapBytes) / sockets,
      rssBytesPerSocket: (full.rssBytes - empty.rssBytes) / sockets,
    };
  } finally {
    for (const child of [server, ...receivers]) child.disconnect();
  }
}

type Received = readonly Extract<FromReceivers, { kind: 'received' }>[];

/** Throws unless every delivery arrived complete. */
function check(results: Received, deliveries: number): void {
  const frames = results.reduce((sum, result) => sum + result.frames, 0);
  const wrong = results.reduce((sum, result) => sum + result.wrong, 0);
  if (frames !== deliveries || wrong > 0) {
    throw new Error(`${frames} of ${deliveries} messages came whole, ${wrong} others came`);
  }
}

function quantile(results: Received, share: number): number {
  const counts = new Map<number, number>();
  for (const [bucket, count] of results.flatMap(({ latency }) => latency)) {
    counts.set(bucket, (counts.get(bucket) ?? 0) + count);
  }
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  let seen = 0;
  for (const [bucket, count] of [...counts].sort(([a], [b]) => a - b)) {
    seen += count;
    if (seen >= total * share) return (bucket + 1) * BUCKET_MS;
  }
  return Number.NaN;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

for (const { sockets, perSecond } of LOADS) {
  const trials = new Map<Kind, Trial[]>(KINDS.map((kind) => [kind, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const kind of KINDS) trials.get(kind)?.push(await trial(kind, sockets, perSecond));
  }
  const of = (kind: Kind, what: keyof Trial): number =>
    median((trials.get(kind) ?? []).map((item) => item[what]));
  const messages = schedule(perSecond, SECONDS).length;
  console.log(`${sockets} sockets, ${messages} messages in ${SECONDS} s, median of ${ROUNDS} rounds`);
  console.table(KINDS.map((kind) => ({
    '': kind,
    'deliveries per CPU-second': Math.round(of(kind, 'perCpuSecond')),
    'of socket.io': (of(kind, 'perCpuSecond') / of('socket.io', 'perCpuSecond')).toFixed(2),
    'of ws': (of(kind, 'perCpuSecond') / of('ws', 'perCpuSecond')).toFixed(2),
    'p50 ms': of(kind, 'p50Ms'),
    'p99 ms': of(kind, 'p99Ms'),
    'heap kB a socket': (of(kind, 'heapBytesPerSocket') / 1_000).toFixed(1),
    'RSS kB a socket': (of(kind, 'rssBytesPerSocket') / 1_000).toFixed(1),
  })));
}
await comeBack(smoke ? 100 : 5_000);
