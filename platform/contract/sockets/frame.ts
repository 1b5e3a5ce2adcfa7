/**
 * The plain wire codec of sockets (spec 3 §5): every message is one JSON array.
 *
 *     [name, payload]        to one person, session or socket; from client to server
 *     [name, payload, seq]   an entry of a topic's log; `seq` is its sequence number, without gaps
 *
 * A string first element marks a plain frame. A number marks a template-compressed one (templates.ts), which
 * only a client that asked for templates receives.
 */
export interface Frame {
  readonly name: string;
  readonly payload: unknown;
  /** Sequence number in the topic's log, from 1; null for an event that is not logged. */
  readonly seq: number | null;
}

/**
 * Text of one frame. `undefined` payloads become an empty object, so that a frame always has two elements.
 */
export function encodeFrame(name: string, payload: unknown, seq: number | null = null): string {
  const body: unknown[] = [name, payload === undefined ? {} : payload];
  if (seq !== null) body.push(seq);
  return JSON.stringify(body);
}

/** The JSON array of a message; null for anything else. Never throws. */
export function messageArray(text: string): readonly unknown[] | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

/** Whether the last element of a frame is a sequence number, or missing. */
export const isSeq = (seq: unknown): seq is number | null =>
  seq === null || (Number.isSafeInteger(seq) && (seq as number) > 0);

/** The plain frame of a message's array; null when the array is not one. */
export function plainFrame(message: readonly unknown[]): Frame | null {
  if (message.length < 2 || message.length > 3) return null;
  const [name, payload, seq = null] = message;
  return typeof name === 'string' && name.length > 0 && isSeq(seq) ? { name, payload, seq } : null;
}

/** Reads a plain frame; null for anything else. Never throws. */
export function decodeFrame(text: string): Frame | null {
  const message = messageArray(text);
  return message && plainFrame(message);
}

/** Sequence number up to which a snapshot holds its topic (event.ts); null for every other frame. */
export function snapshotSeq({ payload }: Frame): number | null {
  if (typeof payload !== 'object' || payload === null || !Object.hasOwn(payload, 'seq')) return null;
  const { seq } = payload as { seq: unknown };
  return Number.isSafeInteger(seq) && (seq as number) >= 0 ? seq as number : null;
}
