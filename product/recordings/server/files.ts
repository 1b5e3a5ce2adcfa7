import { readRecordedFile, type RecordedFile } from '#platform/streaming/wire/files/recorded-file.ts';
import { mkdir, open, readdir, rm, stat, statfs, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { byteRangeOf, MAX_RESPONSE_BYTES, RESERVED_DISK_BYTES } from '../rules.ts';

/** A response with bytes of a video file. */
export interface VideoResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

export interface VideoRequest {
  readonly range: string | null;
  /** File name for the download; null to play the video. */
  readonly download: string | null;
  readonly cacheControl: string;
}

/** Names are random ids in base64url, so they cannot escape the folder. */
const NAME = /^[\w-]{16,64}$/;
const SUFFIX = '.mp4';
const ABSENT = 'ENOENT';

/** Video files on this machine's disk, one folder per operator. */
export class VideoFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Path of a file. Throws for an invalid name. */
  pathOf(operatorId: number, name: string): string {
    if (!NAME.test(name)) throw new Error('invalid name of a video file');
    return join(this.#folder, String(operatorId), name + SUFFIX);
  }

  /** Creates the folder of an operator; returns the bytes that may be written to it. */
  async prepare(operatorId: number): Promise<number> {
    const folder = join(this.#folder, String(operatorId));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const { bavail, bsize } = await statfs(folder);
    return Math.max(0, bavail * bsize - RESERVED_DISK_BYTES);
  }

  async remove(operatorId: number, name: string): Promise<void> {
    await rm(this.pathOf(operatorId, name), { force: true });
  }

  /** Current size of a file in bytes; 0 without one. */
  async sizeOf(operatorId: number, name: string): Promise<number> {
    return (await stat(this.pathOf(operatorId, name)).catch(unlessAbsent))?.size ?? 0;
  }

  /** Truncates a file to its last complete fragment; null when there is none. */
  async repair(operatorId: number, name: string): Promise<RecordedFile | null> {
    const path = this.pathOf(operatorId, name);
    const whole = await readRecordedFile(path);
    if (whole) await truncate(path, whole.bytes);
    return whole;
  }

  /** Names of all files of an operator. */
  async list(operatorId: number): Promise<string[]> {
    const names = await readdir(join(this.#folder, String(operatorId))).catch(unlessAbsent);
    return (names ?? []).filter((name) => name.endsWith(SUFFIX)).map((name) => name.slice(0, -SUFFIX.length))
      .filter((name) => NAME.test(name));
  }

  /**
   * Reads the range of a request, at most {@link MAX_RESPONSE_BYTES}; without a range the whole file, or the
   * beginning of a longer one as 206 (RFC 9110 §14.2, §15.3.7). Null without such a file.
   */
  async read(
    operatorId: number,
    name: string,
    { range, download, cacheControl }: VideoRequest,
  ): Promise<VideoResponse | null> {
    const file = await open(this.pathOf(operatorId, name), 'r').catch(unlessAbsent);
    if (!file) return null;
    try {
      const { size } = await file.stat();
      const headers: Record<string, string> = {
        'accept-ranges': 'bytes',
        'cache-control': cacheControl,
        etag: `"${name}"`,
        ...(download === null ? {} : { 'content-disposition': `attachment; filename="${download}"` }),
      };
      const requested = byteRangeOf(range, size);
      if (requested === 'unsatisfiable') {
        return { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` }, body: NOTHING };
      }
      const isPartial = requested !== null || size > MAX_RESPONSE_BYTES;
      const { from, to } = requested ?? { from: 0, to: Math.min(size, MAX_RESPONSE_BYTES) - 1 };
      const body = Buffer.alloc(to - from + 1);
      const { bytesRead } = await file.read(body, 0, body.length, from);
      if (bytesRead !== body.length) return null;
      if (isPartial) headers['content-range'] = `bytes ${from}-${to}/${size}`;
      return { status: isPartial ? 206 : 200, headers, body };
    } finally {
      await file.close();
    }
  }
}

const NOTHING = new Uint8Array();

function unlessAbsent(error: NodeJS.ErrnoException): null {
  if (error.code === ABSENT) return null;
  throw error;
}
