import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_AMF_DEPTH, MAX_CHUNK_STREAMS } from '../rtmp/limits.ts';
import { AmfMalformed, readAmf, writeAmf, type AmfValue } from './rtmp/amf.ts';
import { ChunkReader, MESSAGE, RtmpViolation, writeMessage, type RtmpMessage } from './rtmp/rtmp-chunks.ts';
import {
  amfObject,
  answerUserControl,
  readCommand,
  statusOf,
  writeAcknowledgement,
  writeChunkSize,
  writeCommand,
  writePingRequest,
  writeStatus,
} from './rtmp/rtmp-commands.ts';
import {
  answerHandshake,
  beginHandshake,
  ECHO_BYTES,
  HELLO_BYTES,
  isSignedByServer,
} from './rtmp/rtmp-handshake.ts';

const MAX_BYTES = 64 * 1024;

/** All messages in these bytes, fed in pieces of the given sizes, which repeat. */
function readAll(bytes: Buffer, sizes: readonly number[] = [bytes.length]): RtmpMessage[] {
  const reader = new ChunkReader(MAX_BYTES);
  const messages: RtmpMessage[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = Math.max(1, sizes[i % sizes.length]!);
    reader.push(bytes.subarray(at, at + size));
    at += size;
    for (let message = reader.next(); message; message = reader.next()) messages.push(message);
  }
  return messages;
}

const amfValue: fc.Arbitrary<AmfValue> = fc.letrec<{ value: AmfValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: MAX_AMF_DEPTH - 1 },
    fc.double({ noNaN: true }),
    fc.boolean(),
    fc.string({ maxLength: 60 }),
    fc.constant(null),
    fc.constant(undefined),
    fc.date({ noInvalidDate: true }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(fc.string({ minLength: 1, maxLength: 12 }), tie('value')), { maxLength: 4 })
      .map((members) => new Map(members)),
  ),
})).value;

describe('AMF0', () => {
  it('reads back what it wrote', () => {
    fc.assert(fc.property(fc.array(amfValue, { maxLength: 4 }), (values) => {
      expect(readAmf(writeAmf(...values))).toEqual(values);
    }));
  });

  it('reads what it never writes: associative arrays, long strings, typed objects', () => {
    const number = (value: number): Buffer => writeAmf(value);
    const end = Buffer.from([0, 0, 9]);
    const array = Buffer.concat([
      Buffer.from([8, 0xff, 0xff, 0xff, 0xff, 0, 5]),
      Buffer.from('width'),
      number(640),
      end,
    ]);
    expect(readAmf(array)).toEqual([new Map([['width', 640]])]);
    expect(readAmf(Buffer.concat([Buffer.from([12, 0, 0, 0, 2]), Buffer.from('hi')]))).toEqual(['hi']);
    const typed = Buffer.concat([Buffer.from([16, 0, 1, 0x43, 0, 1, 0x61]), number(1), end]);
    expect(readAmf(typed)).toEqual([new Map([['a', 1]])]);
  });

  it.each([
    ['a number cut short', [0, 1, 2]],
    ['a string longer than the message', [2, 0xff, 0xff, 65]],
    ['a long string of four gigabytes', [12, 0xff, 0xff, 0xff, 0xff, 65]],
    ['an array of four billion', [10, 0xff, 0xff, 0xff, 0xff, 5, 5]],
    ['an object without an end', [3, 0, 1, 65, 5]],
    ['objects within objects without end', Array.from({ length: 400 }, () => [3, 0, 1, 97]).flat()],
    ['arrays within arrays without end', Array.from({ length: 400 }, () => [10, 0, 0, 0, 1]).flat()],
    ['more values than a command has', Array.from({ length: 1_000 }, () => 5)],
    ['a reference', [7, 0, 0]],
    ['AMF3', [17, 1]],
  ])('refuses %s', (_name, bytes) => {
    expect(() => readAmf(Buffer.from(bytes))).toThrow(AmfMalformed);
  });

  it('ends every input with values or a refusal', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120, size: 'max' }), (bytes) => {
        try {
          readAmf(Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(AmfMalformed);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the handshake', () => {
  it.each(['plain', 'digest'] as const)('answers a %s client in its own form', (form) => {
    const hello = beginHandshake(form);
    const answer = answerHandshake(hello);
    expect(answer).toHaveLength(HELLO_BYTES + ECHO_BYTES);
    expect(answer[0]).toBe(3);
    expect(isSignedByServer(answer.subarray(1, HELLO_BYTES))).toBe(form === 'digest');
    const echoes = answer.subarray(HELLO_BYTES).equals(hello.subarray(1));
    expect(echoes).toBe(form === 'plain');
  });

  it('takes a digest that does not fit for a plain one', () => {
    const hello = beginHandshake('digest');
    hello[700]! ^= 1;
    expect(answerHandshake(hello).subarray(HELLO_BYTES).equals(hello.subarray(1))).toBe(true);
  });
});

const message = fc.record({
  chunkStream: fc.integer({ min: 3, max: 8 }),
  type: fc.constantFrom(MESSAGE.audio, MESSAGE.video, MESSAGE.command),
  stream: fc.integer({ min: 0, max: 0xffffffff }),
  timestamp: fc.oneof(fc.integer({ min: 0, max: 0xfffffe }), fc.integer({ min: 0xffffff, max: 0xffffffff })),
  payload: fc.uint8Array({ maxLength: 700 }).map((bytes) => Buffer.from(bytes)),
});

describe('chunks', () => {
  it('bring every message whole, however they are cut', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 6 }),
        fc.integer({ min: 128, max: 600 }),
        sizes,
        (messages, chunkBytes, cuts) => {
          const sent = messages.map((item) => writeMessage(item, chunkBytes));
          const read = readAll(Buffer.concat([writeChunkSize(chunkBytes), ...sent]), cuts);
          expect(read.map((item, i) => ({ ...messages[i], ...item }))).toEqual(messages);
          expect(read).toHaveLength(messages.length);
        },
      ),
    );
  });

  it('may be of several messages in turn', () => {
    const [one, two] = [4, 6].map((chunkStream) =>
      writeMessage({
        chunkStream,
        type: MESSAGE.video,
        stream: 1,
        timestamp: 7,
        payload: Buffer.alloc(200, chunkStream),
      }, 128)
    );
    // A whole header and 128 bytes, then one byte of header and the rest.
    const mixed = [one!.subarray(0, 140), two!.subarray(0, 140), one!.subarray(140), two!.subarray(140)];
    expect(readAll(Buffer.concat(mixed)).map(({ payload }) => payload[0])).toEqual([4, 6]);
  });

  it('leave out of their headers what stays the same', () => {
    const stream = Buffer.concat([
      Buffer.from([4, 0, 0, 100, 0, 0, 1, 8, 1, 0, 0, 0, 0xa0]),
      // Another length and type after 20 ms.
      Buffer.from([0x44, 0, 0, 20, 0, 0, 2, 9, 0xb0, 0xb1]),
      // The same after 30 ms, and after 30 more.
      Buffer.from([0x84, 0, 0, 30, 0xc0, 0xc1]),
      Buffer.from([0xc4, 0xd0, 0xd1]),
    ]);
    expect(
      readAll(stream, [1]).map((
        { type, timestamp, payload, stream: id },
      ) => [type, timestamp, payload.toString('hex'), id]),
    ).toEqual([
      [8, 100, 'a0', 1],
      [9, 120, 'b0b1', 1],
      [9, 150, 'c0c1', 1],
      [9, 180, 'd0d1', 1],
    ]);
  });

  it('may repeat a long time in later chunks or leave it out', () => {
    const whole = writeMessage({
      chunkStream: 6,
      type: MESSAGE.video,
      stream: 1,
      timestamp: 0x01020304,
      payload: Buffer.alloc(300, 9),
    }, 128);
    // After each one-byte header follow the four bytes that some encoders omit.
    const without = Buffer.concat([whole.subarray(0, 145), whole.subarray(149, 278), whole.subarray(282)]);
    for (const bytes of [whole, without]) {
      const [read] = readAll(bytes, [50]);
      expect(read).toMatchObject({ timestamp: 0x01020304, payload: Buffer.alloc(300, 9) });
    }
  });

  it('have long stream numbers in two forms', () => {
    const rest = [0, 0, 0, 0, 0, 1, 8, 1, 0, 0, 0, 0xaa];
    const messages = readAll(Buffer.from([0, 1, ...rest, 1, 0, 1, ...rest]));
    expect(messages).toHaveLength(2);
  });

  it('of a message can be given up', () => {
    const begun = writeMessage({
      chunkStream: 6,
      type: MESSAGE.video,
      stream: 1,
      timestamp: 0,
      payload: Buffer.alloc(200, 1),
    }, 128).subarray(0, 140);
    const abort = writeMessage({
      chunkStream: 2,
      type: MESSAGE.abort,
      stream: 0,
      timestamp: 0,
      payload: Buffer.from([0, 0, 0, 6]),
    }, 128);
    const next = writeMessage({
      chunkStream: 6,
      type: MESSAGE.video,
      stream: 1,
      timestamp: 5,
      payload: Buffer.from([2]),
    }, 128);
    expect(readAll(Buffer.concat([begun, abort, next]))).toMatchObject([{ timestamp: 5 }]);
  });

  const header = (id: number, length: number): Buffer =>
    Buffer.from([id, 0, 0, 0, length >> 16, (length >> 8) & 255, length & 255, 9, 1, 0, 0, 0]);
  it.each([
    ['a message that is too long', header(3, MAX_BYTES + 1)],
    [
      'too many chunk streams',
      Buffer.concat(
        Array.from(
          { length: MAX_CHUNK_STREAMS + 1 },
          (_, i) => Buffer.concat([header(3 + i, 1), Buffer.alloc(1)]),
        ),
      ),
    ],
    ['a chunk stream that begins in the middle', Buffer.from([0xc5, 1, 2, 3])],
    [
      'a message that begins within another',
      Buffer.concat([header(3, 200), Buffer.alloc(128), header(3, 9)]),
    ],
    ['chunks of no bytes', writeChunkSize(0)],
    ['chunks smaller than anybody makes them', writeChunkSize(64)],
    ['chunks of more bytes than there are numbers', writeChunkSize(0x80000000)],
  ])('are refused for %s', (_name, bytes) => {
    expect(() => readAll(bytes)).toThrow(RtmpViolation);
  });

  it('that only declare a length cost no memory', () => {
    const reader = new ChunkReader(2 ** 24);
    const before = process.memoryUsage().arrayBuffers;
    for (let id = 3; id < 3 + MAX_CHUNK_STREAMS; id++) {
      reader.push(Buffer.concat([header(id, 0xffffff), Buffer.alloc(128)]));
      reader.next();
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 20);
  });

  it('end every input in messages or a refusal', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300, size: 'max' }), (bytes) => {
        try {
          readAll(Buffer.from(bytes), [7]);
        } catch (error) {
          expect(error).toBeInstanceOf(RtmpViolation);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('commands', () => {
  it('read back as they were written', () => {
    const [read] = readAll(writeCommand(0, 'connect', 1, amfObject({ app: 'live' })));
    expect(readCommand(read!))
      .toEqual({ name: 'connect', transaction: 1, values: [new Map([['app', 'live']])] });
    const [status] = readAll(writeStatus(1, statusOf('error', 'NetStream.Publish.BadName', 'No.')));
    expect(status!.stream).toBe(1);
    expect(readCommand(status!).values[1]).toEqual(
      new Map([
        ['level', 'error'],
        ['code', 'NetStream.Publish.BadName'],
        ['description', 'No.'],
      ]),
    );
  });

  it('come in the wrapping of AMF3 too', () => {
    const payload = Buffer.concat([Buffer.from([0]), writeAmf('createStream', 4, null)]);
    expect(readCommand({ type: MESSAGE.command3, stream: 0, timestamp: 0, payload }))
      .toEqual({ name: 'createStream', transaction: 4, values: [null] });
  });

  it.each([
    ['no name', writeAmf(1, 1)],
    ['no transaction', writeAmf('connect')],
    ['nothing', Buffer.alloc(0)],
    ['a transaction that is no number', writeAmf('connect', Number.NaN)],
  ])('with %s are none', (_name, payload) => {
    const read = (): unknown => readCommand({ type: MESSAGE.command, stream: 0, timestamp: 0, payload });
    expect(read).toThrow(AmfMalformed);
  });

  it('answer pings and no other event', () => {
    const [ping] = readAll(writePingRequest(0xdeadbeef));
    const [pong] = readAll(answerUserControl(ping!.payload)!);
    expect(pong!.payload.toString('hex')).toBe('0007deadbeef');
    expect(answerUserControl(pong!.payload)).toBeNull();
    expect(answerUserControl(Buffer.alloc(3))).toBeNull();
  });

  it('acknowledge in 32 bits, going round', () => {
    const [read] = readAll(writeAcknowledgement(2 ** 32 + 5));
    expect(read!.payload.readUInt32BE(0)).toBe(5);
  });
});
