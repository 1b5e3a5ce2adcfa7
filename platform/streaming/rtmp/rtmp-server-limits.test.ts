import { VirtualClock } from '#platform/data/clock.ts';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { MESSAGE, writeMessage } from '../wire/rtmp/rtmp-chunks.ts';
import { amfObject, writeChunkSize, writeCommand } from '../wire/rtmp/rtmp-commands.ts';
import { beginHandshake, ECHO_BYTES } from '../wire/rtmp/rtmp-handshake.ts';
import {
  MAX_BITS_PER_SECOND,
  MAX_BYTES_BEFORE_PUBLISH,
  MAX_MESSAGE_BYTES,
  MAX_MESSAGES_BEFORE_PUBLISH,
  MAX_WAITING_PER_ADDRESS,
  MESSAGE_COST_BYTES,
  RATE_WINDOW_MS,
} from './limits.ts';
import { codes, GOOD_KEY, greeting, Ingest, ingest, UNTOUCHED } from './testing.ts';

const tag = (length: number, chunkBytes: number): Buffer =>
  writeMessage({
    chunkStream: 6,
    type: MESSAGE.video,
    stream: 1,
    timestamp: 0,
    payload: Buffer.alloc(length),
  }, chunkBytes);
const nested = Buffer.concat([
  ...[2, 0, 7].map((byte) => Buffer.from([byte])),
  Buffer.from('connect'),
  Buffer.alloc(9),
  ...Array.from({ length: 3_000 }, () => Buffer.from([3, 0, 1, 97])),
]);
const command = (payload: Buffer): Buffer =>
  writeMessage({ chunkStream: 3, type: MESSAGE.command, stream: 0, timestamp: 0, payload }, 128);

describe('cut off at once', () => {
  it.each([
    ['a browser', () => Buffer.from('GET / HTTP/1.1\r\nHost: example\r\n\r\n')],
    ['encryption nobody asked for', () => Buffer.from([6, ...Buffer.alloc(1_536)])],
    ['junk after the handshake', () =>
      Buffer.concat([
        beginHandshake('plain'),
        Buffer.alloc(ECHO_BYTES),
        Buffer.alloc(4_000, 0xff),
      ])],
    ['media before a key', () => Buffer.concat([greeting(), tag(10, 128)])],
    ['a message of sixteen megabytes', () =>
      Buffer.concat([
        greeting(),
        Buffer.from([3, 0, 0, 0, 0xff, 0xff, 0xff, 20, 0, 0, 0, 0]),
      ])],
    ['a command longer than commands are', () => Buffer.concat([greeting(), command(Buffer.alloc(20_000))])],
    [
      'thousands of chunk streams',
      () =>
        Buffer.concat([
          greeting(),
          ...Array.from(
            { length: 4_000 },
            (_, i) => Buffer.from([1, i & 255, i >> 8, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0]),
          ),
        ]),
    ],
    ['objects within objects', () => Buffer.concat([greeting(), command(nested.subarray(0, 12_000))])],
    ['a command that is none', () => Buffer.concat([greeting(), command(Buffer.from([5, 5, 5]))])],
    ['no end of commands', () =>
      Buffer.concat([
        greeting(),
        ...Array.from(
          { length: MAX_MESSAGES_BEFORE_PUBLISH },
          () => writeCommand(0, 'FCPublish', 0, null),
        ),
      ])],
    // After one whole header each further byte is a message.
    ['no end of empty messages', () =>
      Buffer.concat([
        greeting(),
        Buffer.from([3, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0]),
        Buffer.alloc(20_000, 0xc3),
      ])],
    ['connecting twice', () =>
      Buffer.concat([
        greeting(),
        writeCommand(0, 'connect', 2, amfObject({ app: 'live' })),
      ])],
    ['publishing without connecting', () =>
      Buffer.concat([
        beginHandshake('plain'),
        Buffer.alloc(ECHO_BYTES),
        writeCommand(1, 'publish', 1, null, GOOD_KEY),
      ])],
    ['more talk than any encoder needs', () =>
      Buffer.concat([
        greeting(),
        ...Array.from(
          { length: 5 },
          () =>
            writeMessage({
              chunkStream: 2,
              type: MESSAGE.userControl,
              stream: 0,
              timestamp: 0,
              payload: Buffer.alloc(15_000),
            }, 128),
        ),
        Buffer.alloc(MAX_BYTES_BEFORE_PUBLISH),
      ])],
  ])('is %s', async (_name, bytes) => {
    const server = await ingest();
    await server.raw(bytes()).ended;
    expect(server.seen.value).toEqual(UNTOUCHED);
  });

  it('is a publisher whose picture is larger than pictures are', async () => {
    const server = await ingest();
    const client = await server.publisher();
    client.sendRaw(writeChunkSize(MAX_MESSAGE_BYTES));
    void client.send(MESSAGE.video, 0, Buffer.alloc(MAX_MESSAGE_BYTES + 1));
    await client.closed();
    expect(server.seen.value!.media).toEqual([]);
  });
});

describe('patience', () => {
  const virtual = async (): Promise<{ clock: VirtualClock; server: Ingest }> => {
    const clock = new VirtualClock();
    return { clock, server: await new Ingest(clock).start() };
  };
  /** Waits until the server has seen this many connections. */
  const connected = async (server: Ingest, count: number): Promise<void> => {
    while (server.server.connections < count) await new Promise((resolve) => setImmediate(resolve));
  };

  it('ends with a client that says its handshake byte by byte', async () => {
    const { clock, server } = await virtual();
    const { socket, ended } = server.raw(Buffer.from([3]));
    await connected(server, 1);
    for (let i = 0; i < 4; i++) {
      socket.write(Buffer.from([0]));
      clock.advance(1_000);
    }
    expect(server.server.connections).toBe(1);
    clock.advance(1_000);
    await ended;
  });

  it('ends with a client that shakes hands and publishes nothing', async () => {
    const { clock, server } = await virtual();
    const client = server.client();
    await client.shakeHands();
    client.command(0, 'connect', 1, amfObject({ app: 'live' }));
    await client.replied(1);
    clock.advance(5_000);
    client.command(0, 'createStream', 2, null);
    expect((await client.replied(2)).closed).toBe(false);
    clock.advance(5_000);
    await client.closed();
  });

  it('ends with a publisher that sends nothing whole any more', async () => {
    const { clock, server } = await virtual();
    const client = await server.publisher();
    await client.send(MESSAGE.audio, 0, Buffer.from([0xaf, 1]));
    await server.seen.until('media', (seen) => seen.media.length === 1);
    clock.advance(10_000);
    // A message that begins and never ends is no sign of life.
    client.sendRaw(tag(1_000, 4_096).subarray(0, 100));
    expect(client.seen.value!.closed).toBe(false);
    clock.advance(10_000);
    await client.closed();
    await server.seen.until('the sink is closed', (seen) => seen.closed === 1);
  });

  it('lasts through our own answer, however long it takes', async () => {
    const clock = new VirtualClock();
    const server = await new Ingest(clock, true).start();
    const client = server.client();
    const published = client.publish(GOOD_KEY);
    await server.seen.until('the question', (seen) => seen.asked.length === 1);
    clock.advance(100_000);
    server.answerHeld();
    expect(codes(await published)).toContain('NetStream.Publish.Start');
  });
});

describe('crowds', () => {
  it('of silent connections do not keep an encoder out', async () => {
    const server = await ingest();
    const little = (i: number): Buffer => (i % 2 ? Buffer.from([3, 1]) : Buffer.alloc(0));
    const crowd = Array.from({ length: 200 }, (_, i) => server.raw(little(i)));
    const published = await server.publisher();
    expect(codes(published.seen.value!)).toContain('NetStream.Publish.Start');
    // The first of the crowd was closed; admitted connections stay.
    await crowd[0]!.ended;
    expect(server.server.connections).toBeLessThanOrEqual(MAX_WAITING_PER_ADDRESS + 1);
    await Promise.all(
      Array.from({ length: MAX_WAITING_PER_ADDRESS + 4 }, () => server.raw(Buffer.alloc(0)))
        .map(({ socket }) => once(socket, 'connect')),
    );
    await published.send(MESSAGE.audio, 0, Buffer.from([0xaf, 1]));
    await server.seen.until('its media', (seen) => seen.media.length === 1);
  });

  it('of junk leave nothing behind', async () => {
    const server = await ingest();
    for (let round = 0; round < 20; round++) {
      const junk = (i: number): Buffer => Buffer.concat([Buffer.from([4 + i]), randomBytes(2_000)]);
      await Promise.all(Array.from({ length: 25 }, (_, i) => server.raw(junk(i)).ended));
    }
    expect(codes((await server.publisher()).seen.value!)).toContain('NetStream.Publish.Start');
    expect(server.server.connections).toBe(1);
    expect(server.seen.value!.errors).toEqual([]);
  });

  it('of empty messages of one publisher pause it', async () => {
    const clock = new VirtualClock();
    const server = await new Ingest(clock).start();
    const client = await server.publisher();
    await client.send(MESSAGE.audio, 0, Buffer.alloc(0));
    const flood = Buffer.alloc(2_000_000, 0xc4);
    client.sendRaw(flood);
    const most = ((MAX_BITS_PER_SECOND / 8_000) * RATE_WINDOW_MS) / MESSAGE_COST_BYTES;
    await server.seen.until('it was read', (seen) => seen.messages > most);
    // Bytes read at once are handled; the rest waits for the timer, which does not run here.
    await (await server.publisher()).send(MESSAGE.audio, 0, Buffer.from([0xaf, 1, 7]));
    const after = await server.seen.until('others go on', (seen) => seen.media.at(-1)?.payload.length === 3);
    expect(after.messages).toBeLessThan(flood.length / 4);
  });

  it('of one: who sends faster than video is paused, and loses nothing', async () => {
    const server = await ingest();
    const client = await server.publisher();
    const windowBytes = (MAX_BITS_PER_SECOND / 8_000) * RATE_WINDOW_MS;
    const picture = Buffer.alloc(250_000);
    const pictures = Math.ceil(windowBytes / picture.length) + 6;
    let sent = 0;
    const sending = (async () => {
      for (; sent < pictures; sent++) await client.send(MESSAGE.video, 0, picture);
    })();
    const almostBytes = windowBytes - picture.length;
    const full = await server.seen.until('a full window', ({ bytes }) => bytes >= almostBytes);
    expect(full.bytes).toBeLessThan(pictures * picture.length);
    await server.seen.until('the rest', ({ bytes }) => bytes === pictures * picture.length);
    await sending;
  });
});
