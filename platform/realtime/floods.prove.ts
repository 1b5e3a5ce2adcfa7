import { personChannel } from '#platform/contract/event.ts';
import { systemClock } from '#platform/data/clock.ts';
import { writeProof } from '#platform/streaming/conformance/load/proof-report.ts';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { openStage, Peer, PERSON, said, spoken, type Stage } from './testing.ts';

/** Viewers of the flooded room, and the messages per second sent to them. */
const VIEWERS = 50;
const PER_SECOND = 20;
const SECONDS = 20;
const TOKENS = 2_000;
const REPLAYS = 1_000;
const FOREIGN = 1_000;

/** The flooder's own report. */
interface Flood {
  readonly sent: number;
  readonly cut: number;
  readonly perSecond: number;
}

interface Received {
  readonly delays: number[];
  readonly missing: number;
  readonly doubled: number;
}

/** Answers pings, as a page does. */
function answersPings(peer: Peer): Peer {
  peer.ws.on('message', (data) => {
    if ((data as Buffer).toString('utf8').startsWith('["v3.ping"')) peer.say('v3.pong', {});
  });
  return peer;
}

async function viewer(on: Stage, turn: number): Promise<Peer> {
  const url = `${on.origin.replace('http', 'ws')}/ws/room/open`;
  const peer = answersPings(new Peer(url, { origin: on.origin }));
  await peer.opened;
  const token = on.token({ ...PERSON, personId: 1_000 + turn, sessionId: `viewer ${turn}` });
  peer.say('v3.authorize', { token, version: 'v1', templates: turn % 2 === 0 });
  await peer.receives(({ name }) => name === spoken.name);
  return peer;
}

const milliseconds = (): number => Number(process.hrtime.bigint()) / 1e6;
const later = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    systemClock.after('proof', ms, resolve);
  });

/** Sends messages to the room at a steady pace and counts those that each viewer received. */
async function sendToRoom(on: Stage, viewers: readonly Peer[], label: string): Promise<Received> {
  const delays: number[] = [];
  const sentAt = new Map<string, number>();
  const receive = (data: unknown): void => {
    const mark = /\u27e8(.+?)\u27e9/gu;
    for (const [, text] of (data as Buffer).toString('utf8').matchAll(mark)) {
      delays.push(milliseconds() - (sentAt.get(text as string) ?? Number.NaN));
    }
  };
  for (const { ws } of viewers) ws.on('message', receive);
  const total = PER_SECOND * SECONDS;
  for (let at = 0; at < total; at += 1) {
    const text = `${label} ${at}`;
    sentAt.set(text, milliseconds());
    on.publish(`\u27e8${text}\u27e9`);
    await later(1_000 / PER_SECOND);
  }
  on.publish(`end of ${label}`);
  const isEnd = (payload: unknown): boolean => JSON.stringify(payload).includes(`end of ${label}`);
  await Promise.all(viewers.map((viewer) => viewer.receives(({ payload }) => isEnd(payload))));
  for (const { ws } of viewers) ws.off('message', receive);
  const texts = viewers.map(({ frames }) =>
    frames.map(({ payload }) => JSON.stringify(payload)).filter((item) => item.includes(`\u27e8${label} `))
  );
  const distinct = texts.map((item) => new Set(item).size);
  return {
    delays,
    missing: distinct.reduce((sum, count) => sum + total - count, 0),
    doubled: texts.reduce((sum, item, at) => sum + item.length - (distinct[at] as number), 0),
  };
}

function percentile(delays: readonly number[], share: number): string {
  const sorted = delays.toSorted((a, b) => a - b);
  return `${(sorted[Math.floor(share * (sorted.length - 1))] as number).toFixed(0)} ms`;
}

/** Thousands of used tokens, and of connections by pages of other sites. */
async function replay(on: Stage): Promise<{ replays: number; foreign: number }> {
  const token = on.token({ ...PERSON, personId: 5_000, sessionId: 'owner' });
  const base = on.origin.replace('http', 'ws');
  const owner = answersPings(new Peer(`${base}/ws/lobby`, { origin: on.origin }));
  await owner.opened;
  owner.say('v3.authorize', { token, version: 'v1' });
  await owner.receives(({ name }) => name === 'v3.authorize.success');
  let [replays, foreign] = [0, 0];
  for (let at = 0; at < REPLAYS; at += 1) {
    const thief = new Peer(`${base}/ws/lobby`, { origin: on.origin });
    await thief.opened;
    thief.say('v3.authorize', { token, version: 'v1' });
    if (await thief.closed === 4002) replays += 1;
  }
  for (let at = 0; at < FOREIGN; at += 1) {
    const other = new Peer(`${base}/ws/lobby`, { origin: `https://evil-${at}.example` });
    await other.opened.catch((error: Error) => {
      foreign += error.message.includes('403') ? 1 : 0;
    });
  }
  const yours = { name: spoken.name, payload: { text: 'yours' } };
  on.bus.publish({ operatorId: 1, channel: personChannel(5_000), ...yours });
  await owner.receives(({ payload }) => JSON.stringify(payload).includes('yours'));
  owner.ws.terminate();
  return { replays, foreign };
}

it('fifty thousand messages a second from one socket cut the sender, and others lose nothing', async () => {
  const on = await openStage({ frequent: [spoken] });
  const viewers = await Promise.all(Array.from({ length: VIEWERS }, (_viewer, at) => viewer(on, at)));
  const calm = await sendToRoom(on, viewers, 'calm');
  const flooder = new Worker(new URL('./hostile/flood-child.mjs', import.meta.url), {
    workerData: {
      port: Number(new URL(on.origin).port),
      tokens: Array.from(
        { length: TOKENS },
        (_token, at) => on.token({ ...PERSON, personId: 10_000 + at, sessionId: `flooder ${at}` }),
      ),
      message: JSON.stringify([said.name, { text: 'x'.repeat(51) }]),
    },
  });
  const flooded = await sendToRoom(on, viewers, 'flooded');
  const report = new Promise<Flood>((resolve) => {
    flooder.once('message', resolve);
  });
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  flooder.postMessage('how many');
  const { sent, cut, perSecond } = await report;
  const { replays, foreign } = await replay(on);
  const counters = on.gateway.counters();
  for (const { ws } of viewers) ws.terminate();
  await on.close();
  expect(cut).toBeGreaterThan(0);
  expect(perSecond).toBeGreaterThanOrEqual(49_000);
  expect(counters.tooFast).toBeGreaterThanOrEqual(cut);
  expect([calm.missing, calm.doubled, flooded.missing, flooded.doubled]).toEqual([0, 0, 0, 0]);
  expect([replays, foreign, counters.crossOrigin]).toEqual([REPLAYS, FOREIGN, FOREIGN]);
  expect(counters.faults).toBeUndefined();
  writeProof({
    name: 'floods',
    title: 'Floods, replayed tokens and other origins',
    claim: `One socket at a time sends 50,000 messages a second into a room for ${SECONDS} s; each time it `
      + `is cut it comes back with a fresh token. ${VIEWERS} viewers of the room are told ${PER_SECOND} `
      + 'messages a second meanwhile, half of them compressed. Then spent tokens are sent again, and pages '
      + 'of other origins ask for sockets.',
    facts: [
      ['Messages the flooder wrote to its sockets', sent],
      ['… a second, while it had one', perSecond],
      ['… times it was cut', cut],
      ['… messages of all senders the gateway read', counters.messages],
      ['Deliveries to viewers without a flood', calm.delays.length],
      ['… p50 / p99', `${percentile(calm.delays, 0.5)} / ${percentile(calm.delays, 0.99)}`],
      ['Deliveries to viewers with it', flooded.delays.length],
      ['… p50 / p99', `${percentile(flooded.delays, 0.5)} / ${percentile(flooded.delays, 0.99)}`],
      ['Messages a viewer missed, or received twice', flooded.missing + flooded.doubled],
      ['Spent tokens sent again, all refused', replays],
      ['Upgrades of other origins, all refused', foreign],
    ],
  });
});
