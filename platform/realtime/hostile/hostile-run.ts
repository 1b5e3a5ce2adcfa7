import { topicChannel } from '#platform/contract/event.ts';
import { encodeFrame } from '#platform/contract/sockets/frame.ts';
import { systemClock, type Clock } from '#platform/data/clock.ts';
import { WebSocket } from 'ws';
import { openStage, PERSON, spoken, type Stage } from '../testing.ts';
import { hostileMessages, type HostileMessage } from './hostile-frames.ts';

/**
 * A clock without ping and authorization deadlines: a stalled machine says nothing about hostile messages,
 * but would end sockets that did nothing wrong.
 */
const patientClock: Clock = {
  ...systemClock,
  after: (
    name,
    delayMs,
    task,
  ) => (IMPATIENT.includes(name) ? () => undefined : systemClock.after(name, delayMs, task)),
};
const IMPATIENT: readonly string[] = ['gateway.ping', 'gateway.authorize'];

/** The number of hostile sockets at a time. */
const LANES = 8;

/** A socket that sends nothing, and stores nothing but the last mark it received. */
class Bystander {
  marks = 0;
  readonly ws: WebSocket;
  #wanted = '';
  #found: () => void = () => undefined;
  #lost: () => void = () => undefined;

  private constructor(ws: WebSocket) {
    this.ws = ws;
    ws.on('close', () => this.#lost());
    ws.on('message', (data) => {
      if (this.#wanted === '' || !(data as Buffer).toString('utf8').includes(this.#wanted)) return;
      this.#wanted = '';
      this.marks += 1;
      this.#found();
    });
  }

  static async at(on: Stage): Promise<Bystander> {
    const ws = await opened(on, '/ws/room/open');
    const bystander = new Bystander(ws);
    const welcome = bystander.receives('"welcome"');
    const caller = { ...PERSON, personId: 99, sessionId: 'bystander' };
    ws.send(encodeFrame('v3.authorize', { token: on.token(caller), version: 'v1', templates: true }));
    await welcome;
    return bystander;
  }

  /** Resolves once a message with this text arrives; rejects when the socket ends. */
  receives(mark: string): Promise<void> {
    if (this.ws.readyState !== this.ws.OPEN) return Promise.reject(new Error('a bystander was cut'));
    return new Promise((resolve, reject) => {
      this.#wanted = mark;
      this.#found = resolve;
      this.#lost = () => reject(new Error('a bystander was cut'));
    });
  }
}

async function opened(on: Stage, path: string): Promise<WebSocket> {
  const ws = new WebSocket(on.origin.replace('http', 'ws') + path, {
    origin: on.origin,
    perMessageDeflate: false,
  });
  await new Promise<void>((resolve, reject) => {
    ws.once('open', resolve);
    ws.once('error', reject);
  });
  ws.on('error', () => undefined);
  return ws;
}

export interface HostileCounts {
  readonly messages: number;
  readonly sockets: number;
  readonly marks: number;
  readonly codes: ReadonlyMap<number, number>;
  readonly counters: Readonly<Record<string, number>>;
}

/**
 * Sends hostile messages to a real gateway, over authorized sockets (three of four, lobby and room) and
 * unauthorized ones. After every `roundSockets` sockets, two bystanders receive a message of their room.
 * @param perSocket messages of a surviving socket, before the one that ends it
 * @param onRound called after each round with the messages the gateway has received
 */
export async function sendHostile(
  least: number,
  perSocket: number,
  seed: number,
  onRound: (received: number) => void = () => undefined,
): Promise<HostileCounts> {
  const rate = { burst: 1e9, perSecond: 1e9 };
  const on = await openStage({
    clock: patientClock,
    // The rate is not under test here: every message must be read.
    limits: { rates: { guest: rate, member: rate, trusted: rate }, queuedMessages: 1_000_000 },
  });
  const bystanders = [await Bystander.at(on), await Bystander.at(on)];
  const messages = { living: hostileMessages(seed, true), ending: hostileMessages(seed + 1) };
  const codes = new Map<number, number>();
  const received = (): number => on.gateway.counters().messages ?? 0;
  let sockets = 0;
  while (received() < least) {
    const ended = await Promise.all(
      Array.from({ length: LANES }, (_lane, at) => hostileSocket(on, messages, perSocket, sockets + at)),
    );
    sockets += LANES;
    for (const code of ended) codes.set(code, (codes.get(code) ?? 0) + 1);
    const mark = `mark ${sockets}`;
    const marked = Promise.all(bystanders.map((bystander) => bystander.receives(mark)));
    const marking = { name: spoken.name, payload: { text: mark } };
    on.bus.publish({ operatorId: 1, channel: topicChannel('open'), ...marking });
    await marked;
    on.presence.length = 0;
    onRound(received());
  }
  const counters = on.gateway.counters();
  for (const { ws } of bystanders) ws.terminate();
  await on.close();
  const marks = Math.min(...bystanders.map((bystander) => bystander.marks)) - 1;
  return { messages: counters.messages, sockets, marks, codes, counters };
}

interface Hostile {
  readonly living: Generator<HostileMessage>;
  readonly ending: Generator<HostileMessage>;
}

/** The life of one socket: it sends hostile messages and finally one that ends it. Returns its close code. */
async function hostileSocket(
  on: Stage,
  { living, ending }: Hostile,
  perSocket: number,
  turn: number,
): Promise<number> {
  const ws = await opened(on, turn % 2 === 0 ? '/ws/room/open' : '/ws/lobby');
  const closed = new Promise<number>((resolve) => {
    ws.once('close', resolve);
  });
  if (turn % 4 !== 3) {
    const caller = { ...PERSON, sessionId: `hostile ${turn}` };
    ws.send(encodeFrame('v3.authorize', { token: on.token(caller), version: 'v1' }));
  }
  for (let sent = 0;;) {
    const isLast = sent >= perSocket;
    const { data, binary, survives } = (isLast ? ending : living).next().value as HostileMessage;
    if (survives === isLast) continue;
    ws.send(data, { binary });
    sent += 1;
    if (!survives) return closed;
  }
}
