/**
 * Receiving sockets in their own process: TCP, a handshake, and a comparison of every byte with the expected
 * one. The cost of a WebSocket library would be measured as the server's latency.
 */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import {
  BUCKET_MS,
  frameOf,
  monotonicMs,
  schedule,
  type FromReceivers,
  type Kind,
  type ToReceivers,
} from './load.ts';

const kind = process.argv[2] as Kind;
/** Sockets opened at once: few enough not to fill the kernel's backlog. */
const OPENING = 100;
/** Ports used per address: a fraction of what the kernel offers. */
const SOCKETS_PER_ADDRESS = 10_000;
const PATHS: Readonly<Record<Kind, string>> = {
  ours: '/ws/room/room',
  'socket.io': '/socket.io/?EIO=4&transport=websocket',
  ws: '/',
};

const report = (message: FromReceivers): void => void process.send?.(message);

/** A masked text message (RFC 6455 §5.3); the mask is zero, which the standard allows to be guessed here. */
function masked(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const head = length < 126 ? [0x80 | length] : [0xFE, length >> 8, length & 0xFF];
  const header = Buffer.from([0x81, ...head]);
  return Buffer.concat([header, Buffer.alloc(4), Buffer.from(text)]);
}

/** Counts of all receivers of this process. */
const tally = { frames: 0, bytes: 0, wrong: 0, latency: new Map<number, number>() };
let expected: readonly Buffer[] = [];
let dueMs: readonly number[] = [];
let whole: () => void = () => undefined;
let unfinished = 0;

class Receiver {
  readonly #socket: Socket;
  readonly joined: Promise<void>;
  readonly closed: Promise<void>;
  #join: () => void = () => undefined;
  #rest: Buffer = Buffer.alloc(0);
  #isUpgraded = false;
  #next = 0;

  constructor(port: number, at: number) {
    this.joined = new Promise((resolve) => {
      this.#join = resolve;
    });
    const localAddress = `127.0.0.${2 + Math.floor(at / SOCKETS_PER_ADDRESS)}`;
    const to = { port, host: '127.0.0.1', localAddress, noDelay: true };
    this.#socket = connect(to, () => this.#upgrade(port));
    this.closed = new Promise((resolve) => {
      this.#socket.once('close', () => resolve());
    });
    this.#socket.on('error', () => undefined);
    this.#socket.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  leave(): void {
    this.#socket.destroy();
  }

  #upgrade(port: number): void {
    this.#socket.write([
      `GET ${PATHS[kind]} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      `Origin: http://127.0.0.1:${port}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
      '',
      '',
    ].join('\r\n'));
  }

  #read(chunk: Buffer): void {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    if (!this.#isUpgraded) {
      const end = bytes.indexOf('\r\n\r\n');
      if (end < 0) {
        this.#rest = bytes;
        return;
      }
      this.#isUpgraded = true;
      bytes = bytes.subarray(end + 4);
      const token = randomBytes(9).toString('hex');
      if (kind === 'ours') this.#say(JSON.stringify(['v3.authorize', { token, version: 'bench' }]));
      if (kind === 'ws') this.#join();
    }
    const used = this.#frames(bytes, monotonicMs());
    // A copy: a slice would keep the whole chunk.
    this.#rest = used === bytes.length ? Buffer.alloc(0) : Buffer.from(bytes.subarray(used));
  }

  /** @returns how many bytes were whole frames */
  #frames(bytes: Buffer, nowMs: number): number {
    let from = 0;
    for (;;) {
      const want = expected[this.#next];
      if (
        want && bytes.length - from >= want.length
        && bytes.compare(want, 0, want.length, from, from + want.length) === 0
      ) {
        this.#count(want.length, nowMs);
        from += want.length;
        continue;
      }
      const length = lengthAt(bytes, from);
      if (length === null || from + length.header + length.body > bytes.length) return from;
      this.#other(bytes.toString('utf8', from + length.header, from + length.header + length.body));
      from += length.header + length.body;
    }
  }

  #count(length: number, nowMs: number): void {
    tally.frames += 1;
    tally.bytes += length;
    const bucket = Math.max(0, Math.floor((nowMs - (dueMs[this.#next] as number)) / BUCKET_MS));
    tally.latency.set(bucket, (tally.latency.get(bucket) ?? 0) + 1);
    this.#next += 1;
    if (this.#next < expected.length) return;
    unfinished -= 1;
    if (unfinished === 0) whole();
  }

  #other(text: string): void {
    if (text.startsWith('["v3.authorize.success"')) this.#join();
    else if (text.startsWith('["v3.ping"')) this.#say('["v3.pong",{}]');
    else if (text.startsWith('0{')) this.#say('40');
    else if (text.startsWith('40{')) this.#join();
    else if (text === '2') this.#say('3');
    else tally.wrong += 1;
  }

  #say(text: string): void {
    this.#socket.write(masked(text));
  }
}

/** Sizes of the frame that begins there; null when its head is not whole. */
function lengthAt(bytes: Buffer, from: number): { header: number; body: number } | null {
  if (bytes.length - from < 2) return null;
  const short = (bytes[from + 1] as number) & 0x7F;
  if (short < 126) return { header: 2, body: short };
  if (bytes.length - from < 4) return null;
  if (short === 126) return { header: 4, body: bytes.readUInt16BE(from + 2) };
  if (bytes.length - from < 10) return null;
  return { header: 10, body: Number(bytes.readBigUInt64BE(from + 2)) };
}

let receivers: Receiver[] = [];

async function join(port: number, sockets: number): Promise<void> {
  while (receivers.length < sockets) {
    const first = receivers.length;
    const opening = Array.from(
      { length: Math.min(OPENING, sockets - first) },
      (_none, at) => new Receiver(port, first + at),
    );
    receivers = [...receivers, ...opening];
    await Promise.all(opening.map(({ joined }) => joined));
  }
  report({ kind: 'joined' });
}

async function leave(): Promise<void> {
  for (const receiver of receivers) receiver.leave();
  await Promise.all(receivers.map(({ closed }) => closed));
  receivers = [];
  report({ kind: 'left' });
}

process.on('message', (message: ToReceivers) => {
  if (message.kind === 'join') void join(message.port, message.sockets);
  else if (message.kind === 'leave') void leave();
  else {
    const { perSecond, seconds, startAtMs } = message.offer;
    dueMs = schedule(perSecond, seconds).map((ms) => startAtMs + ms);
    expected = dueMs.map((_ms, at) => frameOf(kind, at));
    unfinished = receivers.length;
    whole = () => report({ kind: 'received', ...tally, latency: [...tally.latency] });
  }
});
process.on('disconnect', () => process.exit());
