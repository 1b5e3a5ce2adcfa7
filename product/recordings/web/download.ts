import { MAX_RESPONSE_BYTES } from '../rules.ts';

/** Called with the loaded share, 0 to 1. */
type OnProgress = (share: number) => void;

const nameOf = (response: Response): string =>
  /filename="([^"]+)"/u.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'recording.mp4';

/** Length of the whole file, from `Content-Range: bytes 0-99/1234`. */
const lengthOf = (response: Response): number =>
  Number(/\/(\d+)$/u.exec(response.headers.get('content-range') ?? '')?.[1] ?? NaN);

/**
 * Downloads a recording in ranges, because the server limits responses, and saves it under the name from the
 * server. Browsers store large blobs on disk. Rejects when a range fails.
 * @param path path of the recording's file on this site
 */
export async function saveRecording(
  path: string,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<void> {
  const pieces: Blob[] = [];
  let name = '';
  let have = 0;
  for (let whole = 1; have < whole;) {
    const response = await fetch(path, {
      credentials: 'same-origin',
      signal,
      headers: {
        range: `bytes=${have}-${have + MAX_RESPONSE_BYTES - 1}`,
      },
    });
    whole = lengthOf(response);
    if (response.status !== 206 || !Number.isSafeInteger(whole)) throw new Error('a range failed');
    name = nameOf(response);
    const piece = await response.blob();
    if (piece.size === 0) throw new Error('a range is empty');
    pieces.push(piece);
    have += piece.size;
    onProgress(have / whole);
  }
  offer(new Blob(pieces, { type: 'video/mp4' }), name);
}

/** Saves a blob through a link. */
function offer(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  URL.revokeObjectURL(url);
}
