import { MAX_AMF_DEPTH, MAX_AMF_STRING_BYTES, MAX_AMF_VALUES } from '../../rtmp/limits.ts';

/** AMF0 (Adobe, "Action Message Format -- AMF 0"): the arguments of RTMP commands. */

export type AmfValue = number | boolean | string | null | undefined | Date | AmfObject | readonly AmfValue[];
export type AmfObject = ReadonlyMap<string, AmfValue>;

/** The bytes are not AMF0, or more than a command may hold. */
export class AmfMalformed extends Error {}

const MARKER = {
  number: 0,
  boolean: 1,
  string: 2,
  object: 3,
  null: 5,
  undefined: 6,
  ecmaArray: 8,
  objectEnd: 9,
  strictArray: 10,
  date: 11,
  longString: 12,
  unsupported: 13,
  xml: 15,
  typedObject: 16,
} as const;

/** Every value of a message, in order. Throws {@link AmfMalformed}. */
export function readAmf(bytes: Buffer): AmfValue[] {
  const reader = new Reader(bytes);
  const values: AmfValue[] = [];
  while (!reader.done) values.push(reader.value(0));
  return values;
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;
  #values = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  value(depth: number): AmfValue {
    this.#values += 1;
    if (depth > MAX_AMF_DEPTH || this.#values > MAX_AMF_VALUES) throw new AmfMalformed('too much in it');
    const marker = this.#bytes[this.#take(1)]!;
    switch (marker) {
      case MARKER.number:
        return this.#bytes.readDoubleBE(this.#take(8));
      case MARKER.boolean:
        return this.#bytes[this.#take(1)] !== 0;
      case MARKER.string:
        return this.#text(this.#bytes.readUInt16BE(this.#take(2)));
      case MARKER.object:
        return this.#members(depth);
      case MARKER.null:
        return null;
      case MARKER.undefined:
      case MARKER.unsupported:
        return undefined;
      case MARKER.ecmaArray:
        // The count is only a hint; the end marker decides.
        this.#take(4);
        return this.#members(depth);
      case MARKER.strictArray:
        return this.#elements(depth);
      case MARKER.date:
        return this.#date();
      case MARKER.longString:
      case MARKER.xml:
        return this.#text(this.#bytes.readUInt32BE(this.#take(4)));
      case MARKER.typedObject:
        this.#text(this.#bytes.readUInt16BE(this.#take(2)));
        return this.#members(depth);
      // References, movie clips, and the switch to AMF3: no encoder sends them.
      default:
        throw new AmfMalformed(`marker ${marker}`);
    }
  }

  #members(depth: number): AmfObject {
    const members = new Map<string, AmfValue>();
    for (;;) {
      const name = this.#text(this.#bytes.readUInt16BE(this.#take(2)));
      if (name === '' && this.#bytes[this.#at] === MARKER.objectEnd) {
        this.#at += 1;
        return members;
      }
      members.set(name, this.value(depth + 1));
    }
  }

  #elements(depth: number): AmfValue[] {
    const count = this.#bytes.readUInt32BE(this.#take(4));
    const elements: AmfValue[] = [];
    // A count beyond the bytes ends at a missing value.
    for (let i = 0; i < count; i++) elements.push(this.value(depth + 1));
    return elements;
  }

  /** Milliseconds since 1970, then a time zone that must be 0. */
  #date(): Date {
    const at = new Date(this.#bytes.readDoubleBE(this.#take(8)));
    this.#take(2);
    return at;
  }

  #text(length: number): string {
    if (length > MAX_AMF_STRING_BYTES) throw new AmfMalformed(`a string of ${length} bytes`);
    const from = this.#take(length);
    return this.#bytes.toString('utf8', from, from + length);
  }

  /** Offset of the next `length` bytes. */
  #take(length: number): number {
    const from = this.#at;
    if (from + length > this.#bytes.length) throw new AmfMalformed('cut short');
    this.#at = from + length;
    return from;
  }
}

/** Values one after the other, as a command message carries them. */
export function writeAmf(...values: readonly AmfValue[]): Buffer {
  return Buffer.concat(values.flatMap((value) => written(value)));
}

function written(value: AmfValue): Buffer[] {
  if (typeof value === 'number') return [marked(MARKER.number, 8, (bytes) => bytes.writeDoubleBE(value, 1))];
  if (typeof value === 'boolean') return [Buffer.from([MARKER.boolean, Number(value)])];
  if (typeof value === 'string') return [Buffer.from([MARKER.string]), writtenName(value)];
  if (value === null) return [Buffer.from([MARKER.null])];
  if (value === undefined) return [Buffer.from([MARKER.undefined])];
  if (value instanceof Date) {
    return [marked(MARKER.date, 10, (bytes) => bytes.writeDoubleBE(value.getTime(), 1))];
  }
  if (isObject(value)) {
    const members = [...value].flatMap(([name, member]) => [writtenName(name), ...written(member)]);
    return [Buffer.from([MARKER.object]), ...members, Buffer.from([0, 0, MARKER.objectEnd])];
  }
  const head = marked(MARKER.strictArray, 4, (bytes) => bytes.writeUInt32BE(value.length, 1));
  return [head, ...value.flatMap((element) => written(element))];
}

const isObject = (value: AmfObject | readonly AmfValue[]): value is AmfObject => value instanceof Map;

function marked(marker: number, length: number, write: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.alloc(1 + length);
  bytes[0] = marker;
  write(bytes);
  return bytes;
}

/** A length of two bytes, then the text. */
function writtenName(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > MAX_AMF_STRING_BYTES) throw new AmfMalformed(`a string of ${bytes.length} bytes`);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
