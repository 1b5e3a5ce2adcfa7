import {
  FIRST_RESERVED_BYTES,
  MAX_CHUNK_STREAMS,
  MAX_PARTIAL_BYTES,
  MIN_CHUNK_BYTES,
} from '../../rtmp/limits.ts';

/** RTMP chunks (Adobe, "RTMP 1.0" §5.3) and the messages in them. */

/** Message types (§5.4, §7.1). */
export const MESSAGE = {
  chunkSize: 1,
  abort: 2,
  acknowledgement: 3,
  userControl: 4,
  windowSize: 5,
  peerBandwidth: 6,
  audio: 8,
  video: 9,
  data3: 15,
  command3: 17,
  data: 18,
  command: 20,
} as const;

export interface RtmpMessage {
  readonly type: number;
  /** Message stream; 0 is the connection itself. */
  readonly stream: number;
  /** Milliseconds, 32 bits. */
  readonly timestamp: number;
  readonly payload: Buffer;
}

/** The client does what no encoder does, and is cut off. */
export class RtmpViolation extends Error {}

const EXTENDED = 0xffffff;
/** Bytes after the basic header, by type of chunk header. */
const HEAD_BYTES = [11, 7, 3, 0] as const;
const EMPTY = Buffer.alloc(0);

/** One chunk stream: the fields its next header may omit, and the message being received. */
interface ChunkStream {
  timestamp: number;
  delta: number;
  extended: boolean;
  length: number;
  type: number;
  stream: number;
  payload: Buffer;
  filled: number;
  /** A message has begun and is incomplete. */
  open: boolean;
}

interface Head {
  readonly format: number;
  readonly id: number;
  /** Bytes of the basic header. */
  readonly bytes: number;
}

/**
 * Splits a byte stream into messages, which are pulled one at a time so that the consumer can stop between
 * them. Set Chunk Size and Abort are handled here and not passed on.
 */
export class ChunkReader {
  /** A longer message is a violation; raised once the client is admitted. */
  maxMessageBytes: number;
  readonly #streams = new Map<number, ChunkStream>();
  /** Default until the other side sets another size (§5.3). */
  #chunkBytes = MIN_CHUNK_BYTES;
  #bytes: Buffer = EMPTY;
  #at = 0;
  /** The chunk whose payload is being read, and the bytes left of it. */
  #current: ChunkStream | null = null;
  #chunkLeft = 0;
  #partialBytes = 0;

  constructor(maxMessageBytes: number) {
    this.maxMessageBytes = maxMessageBytes;
  }

  /** Bytes received but not read yet. */
  get unread(): number {
    return this.#bytes.length - this.#at;
  }

  push(bytes: Buffer): void {
    this.#bytes = this.unread === 0 ? bytes : Buffer.concat([this.#bytes.subarray(this.#at), bytes]);
    this.#at = 0;
  }

  /** The next whole message, or null until more bytes come. Throws {@link RtmpViolation}. */
  next(): RtmpMessage | null {
    for (;;) {
      if (!this.#current && !this.#begin()) return null;
      const message = this.#fill();
      if (message === null) return null;
      if (message !== 'more' && !this.#obey(message)) return message;
    }
  }

  /** Reads a chunk header; false when it is incomplete. */
  #begin(): boolean {
    const head = this.#head();
    if (!head) return false;
    const known = this.#streams.get(head.id);
    if (!known && head.format !== 0) throw new RtmpViolation('a chunk stream begins without a whole header');
    if (known?.open && head.format !== 3) throw new RtmpViolation('a message begins within another');
    if (!known && this.#streams.size >= MAX_CHUNK_STREAMS) throw new RtmpViolation('too many chunk streams');
    const bytes = this.#bytes;
    const at = this.#at + head.bytes;
    const after = at + HEAD_BYTES[head.format]!;
    const time = head.format < 3 ? bytes.readUIntBE(at, 3) : 0;
    const extended = head.format < 3 ? time === EXTENDED : known!.extended;
    if (extended && bytes.length < after + 4) return false;
    const stream = known ?? newStream();
    const whole = extended ? bytes.readUInt32BE(after) : time;
    const length = head.format < 2 ? bytes.readUIntBE(at + 3, 3) : stream.length;
    if (length > this.maxMessageBytes) throw new RtmpViolation(`a message of ${length} bytes`);
    // Some encoders omit the extended timestamp in later chunks of a message: then these bytes are media.
    const isThere = extended && (head.format < 3 || !stream.open || whole === stream.delta);
    this.#at = after + (isThere ? 4 : 0);
    this.#streams.set(head.id, stream);
    if (!stream.open) open(stream, head.format, bytes, at, length, extended ? whole : time);
    if (head.format < 3) stream.extended = extended;
    this.#current = stream;
    this.#chunkLeft = Math.min(this.#chunkBytes, stream.length - stream.filled);
    return true;
  }

  /** The basic header (§5.3.1.1), once the message header after it has arrived too. */
  #head(): Head | null {
    const left = this.unread;
    if (left < 1) return null;
    const first = this.#bytes[this.#at]!;
    const low = first & 63;
    const bytes = low === 0 ? 2 : low === 1 ? 3 : 1;
    const format = first >> 6;
    if (left < bytes + HEAD_BYTES[format]!) return null;
    const id = bytes === 1
      ? low
      : bytes === 2
      ? 64 + this.#bytes[this.#at + 1]!
      : 64 + this.#bytes.readUInt16LE(this.#at + 1);
    return { format, id, bytes };
  }

  /** Copies the bytes of the chunk received so far; null when there are none. */
  #fill(): RtmpMessage | 'more' | null {
    const stream = this.#current!;
    const step = Math.min(this.#chunkLeft, this.unread);
    if (step === 0 && this.#chunkLeft > 0) return null;
    this.#partialBytes += step;
    if (this.#partialBytes > MAX_PARTIAL_BYTES) throw new RtmpViolation('too much that is not whole');
    reserve(stream, stream.filled + step);
    this.#bytes.copy(stream.payload, stream.filled, this.#at, this.#at + step);
    this.#at += step;
    stream.filled += step;
    this.#chunkLeft -= step;
    if (this.#chunkLeft > 0) return 'more';
    this.#current = null;
    if (stream.filled < stream.length) return 'more';
    const { type, stream: id, timestamp } = stream;
    return { type, stream: id, timestamp, payload: this.#close(stream) };
  }

  /** Ends the message of a chunk stream and returns what there is of it. */
  #close(stream: ChunkStream): Buffer {
    const payload = stream.payload.subarray(0, stream.filled);
    this.#partialBytes -= stream.filled;
    Object.assign(stream, { payload: EMPTY, filled: 0, open: false });
    return payload;
  }

  #obey({ type, payload }: RtmpMessage): boolean {
    if (type === MESSAGE.chunkSize) {
      const size = payload.length < 4 ? 0 : payload.readUInt32BE(0);
      // The first bit must be zero (§5.4.1).
      if (size < MIN_CHUNK_BYTES || size > 0x7fffffff) throw new RtmpViolation(`chunks of ${size} bytes`);
      this.#chunkBytes = size;
      return true;
    }
    if (type !== MESSAGE.abort) return false;
    const stream = payload.length < 4 ? undefined : this.#streams.get(payload.readUInt32BE(0));
    if (stream?.open) this.#close(stream);
    return true;
  }
}

const newStream = (): ChunkStream => ({
  timestamp: 0,
  delta: 0,
  extended: false,
  length: 0,
  type: 0,
  stream: 0,
  payload: EMPTY,
  filled: 0,
  open: false,
});

/** Begins a message: fields that its header omits are those of the previous message. */
function open(
  stream: ChunkStream,
  format: number,
  bytes: Buffer,
  at: number,
  length: number,
  time: number,
): void {
  if (format < 3) stream.delta = time;
  stream.timestamp = format === 0 ? time : (stream.timestamp + stream.delta) >>> 0;
  if (format < 2) {
    stream.length = length;
    stream.type = bytes[at + 6]!;
  }
  if (format === 0) stream.stream = bytes.readUInt32LE(at + 7);
  stream.open = true;
}

/** Room for the bytes that arrived, doubled each time: a length that is only declared costs nothing. */
function reserve(stream: ChunkStream, needed: number): void {
  if (stream.payload.length >= needed) return;
  const room = Math.max(needed, 2 * stream.payload.length, FIRST_RESERVED_BYTES);
  const payload = Buffer.allocUnsafeSlow(Math.min(stream.length, room));
  stream.payload.copy(payload, 0, 0, stream.filled);
  stream.payload = payload;
}

export interface OutgoingMessage extends RtmpMessage {
  /** 2 for control, 3 and above for the rest; below 64. */
  readonly chunkStream: number;
}

/** A message in chunks of at most `chunkBytes`, with full headers. */
export function writeMessage(message: OutgoingMessage, chunkBytes: number): Buffer {
  const { chunkStream, type, stream, timestamp, payload } = message;
  const isExtended = timestamp >= EXTENDED;
  const extension = Buffer.alloc(isExtended ? 4 : 0);
  if (isExtended) extension.writeUInt32BE(timestamp);
  const head = Buffer.alloc(12);
  head[0] = chunkStream;
  head.writeUIntBE(isExtended ? EXTENDED : timestamp, 1, 3);
  head.writeUIntBE(payload.length, 4, 3);
  head[7] = type;
  head.writeUInt32LE(stream, 8);
  const parts: Buffer[] = [head, extension, payload.subarray(0, chunkBytes)];
  for (let at = chunkBytes; at < payload.length; at += chunkBytes) {
    parts.push(Buffer.from([0xc0 | chunkStream]), extension, payload.subarray(at, at + chunkBytes));
  }
  return Buffer.concat(parts);
}
