import { mkdir, open, readdir, rm, stat, statfs, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { readRecordedFile, type RecordedFile } from '../../../platform/streaming/wire/files/recorded-file.ts';
import { MAX_ANSWER_BYTES, partOf, RESERVED_DISK_BYTES } from '../rules.ts';

/** An answer with bytes of a film. */
export interface FilmAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

export interface FilmRequest {
  readonly range: string | null;
  /** File name the browser is told to save it under; null to play it. */
  readonly download: string | null;
  readonly cacheControl: string;
}

/** Names are random ids in base64url: no path can be made of one. */
const NAME = /^[\w-]{16,64}$/;
const SUFFIX = '.mp4';
const ABSENT = 'ENOENT';

/** Files of one kind on the disk of this machine, a folder an operator. */
export class FilmFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Where a file is. Throws for what is no name of one. */
  pathOf(operatorId: number, name: string): string {
    if (!NAME.test(name)) throw new Error('the name of a film is a random id');
    return join(this.#folder, String(operatorId), name + SUFFIX);
  }

  /** Makes the folder of an operator; bytes that may be written there without filling the disk. */
  async prepare(operatorId: number): Promise<number> {
    const folder = join(this.#folder, String(operatorId));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const { bavail, bsize } = await statfs(folder);
    return Math.max(0, bavail * bsize - RESERVED_DISK_BYTES);
  }

  async remove(operatorId: number, name: string): Promise<void> {
    await rm(this.pathOf(operatorId, name), { force: true });
  }

  /** Bytes of a file as it is now; 0 when there is none. */
  async sizeOf(operatorId: number, name: string): Promise<number> {
    return (await stat(this.pathOf(operatorId, name)).catch(unlessAbsent))?.size ?? 0;
  }

  /** Cuts a file to what is whole of it; null when nothing is. */
  async mend(operatorId: number, name: string): Promise<RecordedFile | null> {
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
   * Answers a request for a file: the part its Range asks for, at most {@link MAX_ANSWER_BYTES}; without one
   * the whole file, or, of a longer one, its beginning as a part (RFC 9110 §14.2, §15.3.7). Null when there
   * is no such file.
   */
  async answer(
    operatorId: number, name: string, { range, download, cacheControl }: FilmRequest,
  ): Promise<FilmAnswer | null> {
    const file = await open(this.pathOf(operatorId, name), 'r').catch(unlessAbsent);
    if (!file) return null;
    try {
      const { size } = await file.stat();
      const headers: Record<string, string> = {
        'accept-ranges': 'bytes', 'cache-control': cacheControl, etag: `"${name}"`,
        ...(download === null ? {} : { 'content-disposition': `attachment; filename="${download}"` }),
      };
      const asked = partOf(range, size);
      if (asked === 'unsatisfiable') {
        return { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` }, body: NOTHING };
      }
      const isPart = asked !== null || size > MAX_ANSWER_BYTES;
      const { from, to } = asked ?? { from: 0, to: Math.min(size, MAX_ANSWER_BYTES) - 1 };
      const body = Buffer.alloc(to - from + 1);
      const { bytesRead } = await file.read(body, 0, body.length, from);
      if (bytesRead !== body.length) return null;
      if (isPart) headers['content-range'] = `bytes ${from}-${to}/${size}`;
      return { status: isPart ? 206 : 200, headers, body };
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
