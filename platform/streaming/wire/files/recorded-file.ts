import { open, type FileHandle } from 'node:fs/promises';

/** Content of a fragmented MP4 that may have been cut off anywhere. */
export interface RecordedFile {
  /** Bytes up to the end of its last whole fragment: cut there, the file is valid. */
  readonly bytes: number;
  readonly durationMs: number;
  /** Pixels; null without video. */
  readonly width: number | null;
  readonly height: number | null;
}

/** Descriptions of fragments and of the file are some kilobytes; longer ones are not ours. */
const MAX_DESCRIPTION_BYTES = 4 * 1024 * 1024;
/** A day of one-second fragments, each of two boxes. */
const MAX_BOXES = 200_000;

interface Box {
  readonly type: string;
  /** Where its content begins. */
  readonly from: number;
  readonly end: number;
}

interface Track {
  readonly timescale: number;
  readonly width: number;
  readonly height: number;
  /** Default duration of a sample, in ticks. */
  sampleTicks: number;
  /** End of its last sample, in ticks. */
  endTicks: number;
}

/** The complete boxes within these bytes. */
function boxesOf(bytes: Buffer, from = 0, end = bytes.length): Box[] {
  const boxes: Box[] = [];
  let at = from;
  while (end - at >= 8 && boxes.length < MAX_BOXES) {
    const size = bytes.readUInt32BE(at);
    if (size < 8 || at + size > end) break;
    boxes.push({ type: bytes.toString('latin1', at + 4, at + 8), from: at + 8, end: at + size });
    at += size;
  }
  return boxes;
}

const within = (
  bytes: Buffer,
  parent: Box | undefined,
  type: string,
):
  | Box
  | undefined => (parent
    ? boxesOf(bytes, parent.from, parent.end).find((box) => box.type === type)
    : undefined);

/** Tracks of a `moov` by their ids (ISO/IEC 14496-12 §8.3). */
function tracksOf(moov: Buffer): Map<number, Track> {
  const tracks = new Map<number, Track>();
  const top = boxesOf(moov);
  for (const trak of top.filter(({ type }) => type === 'trak')) {
    const tkhd = within(moov, trak, 'tkhd');
    const mdhd = within(moov, within(moov, trak, 'mdia'), 'mdhd');
    if (!tkhd || !mdhd) continue;
    const id = moov.readUInt32BE(tkhd.from + (moov[tkhd.from] === 1 ? 20 : 12));
    tracks.set(id, {
      timescale: moov.readUInt32BE(mdhd.from + (moov[mdhd.from] === 1 ? 20 : 12)) || 1,
      width: moov.readUInt16BE(tkhd.end - 8),
      height: moov.readUInt16BE(tkhd.end - 4),
      sampleTicks: 0,
      endTicks: 0,
    });
  }
  const mvex = top.find(({ type }) => type === 'mvex');
  for (const trex of mvex ? boxesOf(moov, mvex.from, mvex.end).filter(({ type }) => type === 'trex') : []) {
    const track = tracks.get(moov.readUInt32BE(trex.from + 4));
    if (track) track.sampleTicks = moov.readUInt32BE(trex.from + 12);
  }
  return tracks;
}

/** Ticks of the samples of a `trun` (§8.8.8). */
function runTicks(moof: Buffer, trun: Box, sampleTicks: number): number {
  const flags = moof.readUInt32BE(trun.from) & 0xffffff;
  const count = moof.readUInt32BE(trun.from + 4);
  if (!(flags & 0x100)) return count * sampleTicks;
  const step = 4 * [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length;
  let at = trun.from + 8 + (flags & 0x1 ? 4 : 0) + (flags & 0x4 ? 4 : 0);
  let ticks = 0;
  for (let sample = 0; sample < count && at + step <= trun.end; sample += 1, at += step) {
    ticks += moof.readUInt32BE(at);
  }
  return ticks;
}

/** Where each track of a `moof` ends, in its ticks (§8.8.6 to §8.8.12). */
function endsOf(moof: Buffer, tracks: ReadonlyMap<number, Track>): [Track, number][] {
  return boxesOf(moof).filter(({ type }) => type === 'traf').flatMap((traf): [Track, number][] => {
    const tfhd = within(moof, traf, 'tfhd');
    const track = tfhd && tracks.get(moof.readUInt32BE(tfhd.from + 4));
    if (!tfhd || !track) return [];
    const flags = moof.readUInt32BE(tfhd.from) & 0xffffff;
    const own = tfhd.from + 8 + (flags & 0x1 ? 8 : 0) + (flags & 0x2 ? 4 : 0);
    const sampleTicks = flags & 0x8 ? moof.readUInt32BE(own) : track.sampleTicks;
    const tfdt = within(moof, traf, 'tfdt');
    let end = track.endTicks;
    if (tfdt) {
      end = moof[tfdt.from] === 1
        ? Number(moof.readBigUInt64BE(tfdt.from + 4))
        : moof.readUInt32BE(tfdt.from + 4);
    }
    for (const trun of boxesOf(moof, traf.from, traf.end).filter(({ type }) => type === 'trun')) {
      end += runTicks(moof, trun, sampleTicks);
    }
    return [[track, end]];
  });
}

async function readAt(file: FileHandle, from: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, from);
  return bytes.subarray(0, bytesRead);
}

/** The next box of a file; null at its end, and where it is cut off. */
async function boxAt(file: FileHandle, at: number, size: number): Promise<Box | null> {
  const head = await readAt(file, at, 16);
  if (head.length < 8) return null;
  const short = head.readUInt32BE(0);
  if (short === 1 && head.length < 16) return null;
  const length = short === 1 ? Number(head.readBigUInt64BE(8)) : short;
  const from = at + (short === 1 ? 16 : 8);
  const end = at + length;
  return end < from || end > size ? null : { type: head.toString('latin1', 4, 8), from, end };
}

/**
 * Reads how much of a fragmented MP4 (ISO/IEC 14496-12 §8.8) is whole, without reading its media. Null when
 * there is no such file, or no whole fragment in it.
 */
export async function readRecordedFile(path: string): Promise<RecordedFile | null> {
  const file = await open(path, 'r').catch(() => null);
  if (!file) return null;
  try {
    return await wholeOf(file);
  } catch (error) {
    // Numbers that point beyond their boxes: not a file of ours.
    if (error instanceof RangeError) return null;
    throw error;
  } finally {
    await file.close();
  }
}

async function wholeOf(file: FileHandle): Promise<RecordedFile | null> {
  const { size } = await file.stat();
  let tracks = new Map<number, Track>();
  let pending: [Track, number][] = [];
  let bytes = 0;
  let at = 0;
  for (let count = 0; count < MAX_BOXES; count += 1) {
    const box = await boxAt(file, at, size);
    if (!box) break;
    const length = box.end - box.from;
    if ((box.type === 'moov' || box.type === 'moof') && length > MAX_DESCRIPTION_BYTES) break;
    if (box.type === 'moov') tracks = tracksOf(await readAt(file, box.from, length));
    if (box.type === 'moof') pending = endsOf(await readAt(file, box.from, length), tracks);
    if (box.type === 'mdat' && pending.length > 0) {
      for (const [track, end] of pending) track.endTicks = Math.max(track.endTicks, end);
      pending = [];
      bytes = box.end;
    }
    at = box.end;
  }
  if (bytes === 0) return null;
  const ends = [...tracks.values()].map(({ endTicks, timescale }) => (endTicks * 1_000) / timescale);
  const picture = [...tracks.values()].find(({ width, height }) => width > 0 && height > 0);
  return {
    bytes,
    durationMs: Math.round(Math.max(...ends)),
    width: picture?.width ?? null,
    height: picture?.height ?? null,
  };
}
