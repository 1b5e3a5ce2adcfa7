/** A reader of fragmented MP4 for tests, which relies on the boxes alone. */

export interface Box {
  readonly type: string;
  readonly content: Buffer;
}

/** The boxes of a buffer; throws when they do not fill it exactly. */
export function boxesOf(bytes: Buffer): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at < bytes.length;) {
    const size = bytes.readUInt32BE(at);
    if (size < 8 || at + size > bytes.length) throw new Error(`a box of ${size} bytes at ${at}`);
    const type = bytes.toString('latin1', at + 4, at + 8);
    boxes.push({ type, content: bytes.subarray(at + 8, at + size) });
    at += size;
  }
  return boxes;
}

export function inside(bytes: Buffer, ...path: readonly string[]): Buffer {
  return path.reduce((content, type) => {
    const found = boxesOf(content).find((box) => box.type === type);
    if (!found) throw new Error(`no box ${type}`);
    return found.content;
  }, bytes);
}

export interface ReadSample {
  readonly data: Buffer;
  /** Decoding time since the start of the track, in the track's timescale. */
  readonly at: number;
  readonly duration: number;
  /** From decoding to presentation. */
  readonly composition: number;
  readonly keyframe: boolean;
}

export interface ReadTrack {
  readonly track: number;
  readonly decodeTime: number;
  readonly samples: readonly ReadSample[];
}

const SAMPLE_ENTRY_BYTES = 12;
const HAS_COMPOSITION = 0x800;
const STANDS_ALONE = 0x02000000;

/** The samples of one fragment as a player finds them: by the offsets and sizes in its tables. */
export function readFragment(fragment: Buffer): ReadTrack[] {
  const tracks = boxesOf(inside(fragment, 'moof')).filter(({ type }) => type === 'traf');
  return tracks.map(({ content }) => {
    const table = inside(content, 'trun');
    const decodeTime = Number(inside(content, 'tfdt').readBigUInt64BE(4));
    let dataAt = table.readInt32BE(8);
    let at = decodeTime;
    const isComposed = (table.readUInt32BE(0) & HAS_COMPOSITION) !== 0;
    const samples = Array.from({ length: table.readUInt32BE(4) }, (_, i): ReadSample => {
      const entry = 12 + i * (SAMPLE_ENTRY_BYTES + (isComposed ? 4 : 0));
      const [duration, size] = [table.readUInt32BE(entry), table.readUInt32BE(entry + 4)];
      const sample = {
        data: fragment.subarray(dataAt, dataAt + size),
        at,
        duration,
        composition: isComposed ? table.readInt32BE(entry + 12) : 0,
        keyframe: table.readUInt32BE(entry + 8) === STANDS_ALONE,
      };
      dataAt += size;
      at += duration;
      return sample;
    });
    return { track: inside(content, 'tfhd').readUInt32BE(4), decodeTime, samples };
  });
}

/** The fragments of a file after its initialisation segment, each a `moof` with its `mdat`. */
export function fragmentsOf(file: Buffer): Buffer[] {
  const fragments: Buffer[] = [];
  let from = 0;
  for (let at = 0; at < file.length;) {
    const [size, type] = [file.readUInt32BE(at), file.toString('latin1', at + 4, at + 8)];
    if (type === 'moof') from = at;
    at += size;
    if (type === 'mdat') fragments.push(file.subarray(from, at));
  }
  return fragments;
}
