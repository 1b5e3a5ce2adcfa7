/**
 * Tips of 64 people into one performer: one hot account. The ledger's grouped commit beside a transaction per
 * tip with `select for update` on the same tables, and beside `pgbench` (TPC-B), in turns, on one PostgreSQL
 * with fsync. Then the age of a commit at half of what was reached, and PGlite.
 */
import { findPrograms, startCluster } from '#tools/machine/cluster.mjs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { NaiveClient } from '../tip-burst/naive.ts';
import { processorSeconds } from '../tip-burst/processor.ts';
import { openBurst, tipOf, type Burst } from '../tip-burst/site.ts';

const SENDERS = 64;
const smoke = process.argv.includes('--smoke');
/** Seconds of a turn, and turns of each: other load on the machine then affects all of them. */
const TURN_MS = smoke ? 3_000 : 8_000;
const TURNS = smoke ? 1 : 3;
/** Scale of pgbench: more branches than clients, so that no row is hot. */
const PGBENCH_SCALE = 20;
const PGBENCH_CLIENTS = 16;

type Send = (senderId: number, n: number) => Promise<void>;

/** Runs `send` in a closed loop for each client. @returns sends per second */
async function perSecond(burst: Burst, send: Send): Promise<number> {
  const start = performance.now();
  let sent = 0;
  await Promise.all(burst.senderIds.map(async (senderId, n) => {
    while (performance.now() - start < TURN_MS) {
      await send(senderId, n);
      sent += 1;
    }
  }));
  return (sent * 1_000) / (performance.now() - start);
}

async function grouped(burst: Burst): Promise<number> {
  const { ledger } = burst.site.services;
  return perSecond(burst, async (senderId) => {
    const { status } = await ledger.submit(burst.site.scope, tipOf(burst, senderId));
    if (status !== 'posted') throw new Error(`a tip was ${status}`);
  });
}

async function naive(burst: Burst, databaseUrl: string): Promise<number> {
  const clients = burst.senderIds.map(() => new NaiveClient(databaseUrl));
  await Promise.all(clients.map((client) => client.open(burst.site.scope.operatorId)));
  const rate = await perSecond(burst, async (senderId, n) => {
    await clients[n]?.tip(tipOf(burst, senderId), senderId, burst.performerId, 3);
  });
  await Promise.all(clients.map((client) => client.close()));
  return rate;
}

function pgbench(programs: string, url: string): number {
  const seconds = String(Math.max(1, Math.round(TURN_MS / 1_000)));
  const output = execFileSync(join(programs, 'pgbench'), [
    '-n',
    '-M',
    'prepared',
    '-c',
    String(PGBENCH_CLIENTS),
    '-j',
    '2',
    '-T',
    seconds,
    url,
  ], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return Number(/tps = ([\d.]+)/.exec(output)?.[1] ?? Number.NaN);
}

/** Milliseconds from a tip to its commit at an even rate: p50 and p99. */
async function ages(burst: Burst, rate: number): Promise<{ p50: number; p99: number }> {
  const { ledger } = burst.site.services;
  const found: number[] = [];
  const start = performance.now();
  const under: Promise<void>[] = [];
  for (let sent = 0; performance.now() - start < TURN_MS;) {
    const due = Math.floor(((performance.now() - start) * rate) / 1_000);
    for (; sent < due; sent += 1) {
      const at = start + (sent * 1_000) / rate;
      const senderId = burst.senderIds[sent % burst.senderIds.length] ?? 0;
      under.push(
        ledger.submit(burst.site.scope, tipOf(burst, senderId))
          .then(() => void found.push(performance.now() - at)),
      );
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 1);
    });
  }
  await Promise.all(under);
  found.sort((a, b) => a - b);
  const at = (share: number): number => found[Math.floor(found.length * share)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

interface Turn {
  readonly perSecond: number;
  /** Processor time per tip: of PostgreSQL, and of its client (not measured for pgbench). */
  readonly serverMicroseconds: number;
  readonly clientMicroseconds: number;
}

async function measured(serverPid: number, turn: () => Promise<number>): Promise<Turn> {
  const [server, client, start] = [processorSeconds(serverPid), process.cpuUsage(), performance.now()];
  const perSecond = await turn();
  const seconds = (performance.now() - start) / 1_000;
  const { user, system } = process.cpuUsage(client);
  return {
    perSecond,
    serverMicroseconds: ((processorSeconds(serverPid) - server) * 1e6) / (perSecond * seconds),
    clientMicroseconds: (user + system) / (perSecond * seconds),
  };
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

async function onPostgres(programs: string): Promise<void> {
  const cluster = await startCluster(programs, { durable: true });
  process.env['TEST_DATABASE_URL'] = cluster.url;
  const burst = await openBurst(SENDERS);
  const { databaseUrl } = burst.site.data as { databaseUrl?: string };
  try {
    if (!databaseUrl) throw new Error('the site is not on PostgreSQL');
    execFileSync(join(programs, 'pgbench'), ['-i', '-q', '-s', String(PGBENCH_SCALE), cluster.url], {
      stdio: 'ignore',
    });
    const turns = { grouped: [] as Turn[], naive: [] as Turn[], pgbench: [] as Turn[] };
    for (let turn = 0; turn < TURNS; turn += 1) {
      turns.grouped.push(await measured(cluster.pid, () => grouped(burst)));
      turns.naive.push(await measured(cluster.pid, () => naive(burst, databaseUrl)));
      turns.pgbench.push(await measured(cluster.pid, async () => pgbench(programs, cluster.url)));
    }
    const rate = median(turns.grouped.map((turn) => turn.perSecond));
    const row = (what: string, all: readonly Turn[], aim: string): Record<string, string | number> => {
      const perSecond = median(all.map((turn) => turn.perSecond));
      return {
        '': what,
        'per second': Math.round(perSecond),
        'all turns': all.map((turn) => Math.round(turn.perSecond)).join(' '),
        'ledger is': `${(rate / perSecond).toFixed(1)} ×`,
        aim,
        'µs of server CPU': Math.round(median(all.map((turn) => turn.serverMicroseconds))),
        'of client': Math.round(median(all.map((turn) => turn.clientMicroseconds))),
      };
    };
    console.table([
      row('ledger, grouped commit', turns.grouped, ''),
      row('select for update, a transaction per tip', turns.naive, '≥ 15 ×'),
      row('pgbench TPC-B', turns.pgbench, '≥ 4 ×'),
    ]);
    const { p50, p99 } = await ages(burst, rate / 2);
    console.log(
      `At half of it (${Math.round(rate / 2)} a second): `
        + `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms until committed`,
    );
  } finally {
    await burst.site.close();
    await cluster.stop();
  }
}

async function onPglite(): Promise<void> {
  delete process.env['TEST_DATABASE_URL'];
  const burst = await openBurst(SENDERS);
  try {
    console.log(`PGlite: ${Math.round(await grouped(burst))} tips a second`);
  } finally {
    await burst.site.close();
  }
}

console.log(`${SENDERS} senders into one performer, through the ledger with outbox and idempotency`);
const programs = findPrograms();
if (programs) await onPostgres(programs);
else console.log('PostgreSQL is not installed (apt-get install postgresql): only PGlite is measured');
await onPglite();
