/**
 * The wire codec of sockets (spec 3 §5): every message is one JSON array.
 *
 *     [name, payload]        to one person, session or socket; from client to server
 *     [name, payload, seq]   to a topic; `seq` counts the topic's messages without gaps
 *
 * A string first element marks a plain frame. A number is kept for template-compressed frames,
 * `[id, values, bitmask, seq?]`, which only a client that asked for templates receives.
 */
export interface Frame {
  readonly name: string;
  readonly payload: unknown;
  /** Place in the topic's order, 1 and up; null beside topics. */
  readonly seq: number | null;
}

/** Text of one frame. `undefined` payloads travel as an empty object, so that a frame always has two
 * elements. */
export function encodeFrame(name: string, payload: unknown, seq: number | null = null): string {
  const body: unknown[] = [name, payload === undefined ? {} : payload];
  if (seq !== null) body.push(seq);
  return JSON.stringify(body);
}

/** Reads a plain frame; null for anything else. Never throws. */
export function decodeFrame(text: string): Frame | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  if (!Array.isArray(parsed) || parsed.length < 2 || parsed.length > 3) return null;
  const [name, payload, seq = null] = parsed as unknown[];
  if (typeof name !== 'string' || name.length === 0) return null;
  if (seq !== null && !(Number.isSafeInteger(seq) && (seq as number) > 0)) return null;
  return { name, payload, seq: seq as number | null };
}
