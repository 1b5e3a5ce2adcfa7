/** Opus packets out of an Ogg file (RFC 3533, RFC 7845). */

export interface OpusPacket {
  readonly payload: Buffer;
  /** Length in ticks of 48 kHz. */
  readonly ticks: number;
}

const PAGE_HEADER_BYTES = 27;
const HEADER_PACKETS = 2;

/**
 * The audio packets of the file in order, without its two header packets. Throws when the file is not a
 * complete Ogg file.
 */
export function readOpus(file: Buffer): OpusPacket[] {
  const packets: Buffer[] = [];
  let unfinished: Buffer[] = [];
  for (let at = 0; at < file.length;) {
    if (file.toString('latin1', at, at + 4) !== 'OggS') throw new Error(`no Ogg page at byte ${at}`);
    const segments = file[at + 26] ?? 0;
    const lacing = file.subarray(at + PAGE_HEADER_BYTES, at + PAGE_HEADER_BYTES + segments);
    at += PAGE_HEADER_BYTES + segments;
    for (const size of lacing) {
      unfinished.push(file.subarray(at, at + size));
      at += size;
      // A segment of 255 bytes says that the packet goes on.
      if (size === 255) continue;
      packets.push(Buffer.concat(unfinished));
      unfinished = [];
    }
  }
  return packets.slice(HEADER_PACKETS).filter((payload) => payload.length > 0)
    .map((payload) => ({ payload, ticks: opusTicks(payload) }));
}

/** Frame lengths in ticks by configuration number (RFC 6716 §3.1): SILK, hybrid, CELT. */
const SILK_TICKS = [480, 960, 1_920, 2_880];
const HYBRID_TICKS = [480, 960];
const CELT_TICKS = [120, 240, 480, 960];

/** Duration of a packet's audio, in ticks of 48 kHz. */
export function opusTicks(payload: Uint8Array): number {
  const head = payload[0] ?? 0;
  const configuration = head >> 3;
  const frame = configuration < 12
    ? SILK_TICKS[configuration & 3]!
    : configuration < 16
    ? HYBRID_TICKS[configuration & 1]!
    : CELT_TICKS[configuration & 3]!;
  const code = head & 3;
  return frame * (code === 0 ? 1 : code < 3 ? 2 : (payload[1] ?? 0) & 63);
}
