import { decodeFrame } from '#platform/contract/sockets/frame.ts';
import { MAX_FRAME_BYTES } from '../limits.ts';

/** One hostile message, and whether a socket lives on after it. */
export interface HostileMessage {
  readonly data: string | Buffer;
  readonly binary: boolean;
  readonly survives: boolean;
}

/** Messages that pages send, or could send; hostile ones are made from them. */
const VALID: readonly (readonly [string, unknown])[] = [
  ['v3.test.said', { text: 'hello' }],
  ['v3.lobby.discover', { room: 'open' }],
  ['v3.ping', {}],
  ['v3.pong', {}],
  ['v3.test.said', { text: 'schön 😀' }],
  ['v3.authorize', { token: 'spent', version: 'v1', seq: 3 }],
  ['v3.no.such.event', { list: [1, 2, { three: 4 }], flag: true }],
];
const PROTOTYPE_NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then'];
const NUMBERS = [
  '1e400',
  '-1e400',
  '9007199254740993',
  '-0',
  '1e-400',
  '5e-324',
  '1.7976931348623157e308',
  '0'.repeat(300),
  `1${'0'.repeat(400)}`,
  'NaN',
  '0x10',
];
const PLACES = ['1', '-1', '0', '1.5', '"1"', 'null', '9007199254740992', '[]', 'true'];
/** The deepest nesting that fits in a message of 16 kB. */
const DEEPEST = 4_000;

type Roll = (below: number) => number;

/** Mulberry32: the same seed gives the same messages, so that findings can be reproduced. */
function rollsOf(seed: number): Roll {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const pick = <T>(roll: Roll, list: readonly T[]): T => list[roll(list.length)] as T;
const nested = (depth: number, open: string, close: string): string =>
  open.repeat(depth) + close.repeat(depth);

type Mutation = (roll: Roll, name: string, payload: unknown) => string | Buffer;
const frameOf = (name: string, payload: string, ...rest: readonly string[]): string =>
  `[${[JSON.stringify(name), payload, ...rest].join(',')}]`;

/** Each function makes one kind of hostile message from a valid one. */
const MUTATIONS: Readonly<Record<string, Mutation>> = {
  valid: (_roll, name, payload) => frameOf(name, JSON.stringify(payload)),
  flipped: (roll, name, payload) => {
    const text = frameOf(name, JSON.stringify(payload));
    const at = roll(text.length);
    return text.slice(0, at) + String.fromCharCode(roll(0x250)) + text.slice(at + roll(3));
  },
  truncated: (roll, name, payload) => {
    const text = frameOf(name, JSON.stringify(payload));
    return text.slice(0, roll(text.length));
  },
  doubled: (_roll, name, payload) => frameOf(name, JSON.stringify(payload)).repeat(2),
  deepList: (roll, name) => frameOf(name, nested(1 + roll(DEEPEST), '[', ']')),
  deepObject: (roll, name) => {
    const depth = 1 + roll(DEEPEST / 2);
    return frameOf(name, `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);
  },
  prototypeEvent: (roll, _name, payload) => frameOf(pick(roll, PROTOTYPE_NAMES), JSON.stringify(payload)),
  prototypeField: (roll, name) => {
    const field = pick(roll, PROTOTYPE_NAMES);
    return frameOf(name, `{"${field}":{"polluted":true,"text":"x"},"text":"x","room":"${field}"}`);
  },
  surrogates: (roll, name) => {
    const lone = pick(roll, ['\\ud800', '\\udfff', '\\ud83d', '\\udc00\\ud800', '\\u0000', '\\u202e']);
    return frameOf(name, `{"text":"${lone}","room":"${lone}","${lone}":1}`);
  },
  rawSurrogate: (roll, name) => frameOf(name, `{"text":"${String.fromCharCode(0xd800 + roll(0x800))}"}`),
  numbers: (roll, name) => frameOf(name, `{"text":${pick(roll, NUMBERS)},"room":${pick(roll, NUMBERS)}}`),
  places: (roll, name, payload) => frameOf(name, JSON.stringify(payload), pick(roll, PLACES)),
  compressed: (roll) => `[${roll(9) - 2},[${roll(99)},"x",[3,"y"]],${pick(roll, PLACES)},${roll(99)}]`,
  otherPayload: (roll, name) => frameOf(name, pick(roll, ['null', '1', '"x"', '[]', '{}', 'true', '[[[]]]'])),
  manyFields: (roll, name) => {
    const fields = Array.from({ length: roll(1_200) }, (_, at) => `"f${at}":${at}`);
    return frameOf(name, `{${fields.join(',')}}`);
  },
  longName: (roll, _name, payload) => frameOf('v3.'.repeat(1 + roll(4_000)), JSON.stringify(payload)),
  oversized: (roll, name) => frameOf(name, `{"text":"${'x'.repeat(MAX_FRAME_BYTES + roll(40_000))}"}`),
  notUtf8: (roll, name) =>
    Buffer.concat([
      Buffer.from(`["${name}",{"text":"`),
      Buffer.from([0xc0 + roll(64), 0xff, roll(256)]),
      Buffer.from('"}]'),
    ]),
  noArray: (roll) =>
    pick(roll, ['', '{}', 'null', '"v3.ping"', '1', '[', ']', '[]', '["v3.ping"]', ' ', 'x']),
};
const KINDS = Object.keys(MUTATIONS);
/** Kinds that nearly always end their socket. */
const FATAL: readonly string[] = [
  'truncated',
  'doubled',
  'places',
  'compressed',
  'oversized',
  'notUtf8',
  'noArray',
];
const GENTLE = KINDS.filter((kind) => !FATAL.includes(kind));

/**
 * An endless stream of hostile messages, the same for the same seed.
 * @param gentle leaves out kinds that nearly always end their socket, so that one takes many messages
 */
export function* hostileMessages(seed: number, gentle = false): Generator<HostileMessage> {
  const roll = rollsOf(seed);
  for (;;) {
    const [name, payload] = pick(roll, VALID);
    const data = (MUTATIONS[pick(roll, gentle ? GENTLE : KINDS)] as Mutation)(roll, name, payload);
    const binary = roll(50) === 0;
    yield { data, binary, survives: !binary && survives(data) };
  }
}

/** The oracle: a plain frame without a sequence number, as the text arrives. */
function survives(data: string | Buffer): boolean {
  if (typeof data !== 'string' || Buffer.byteLength(data) > MAX_FRAME_BYTES) return false;
  const frame = decodeFrame(Buffer.from(data).toString('utf8'));
  return frame !== null && frame.seq === null;
}
