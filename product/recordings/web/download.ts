import { requestOf } from '../../../platform/contract/client/client.ts';
import { getRecordingFile } from '../client.ts';
import { MAX_ANSWER_BYTES } from '../rules.ts';

/** Address of the file of a recording, for a player. */
export const filmUrl = (id: number): string => requestOf(getRecordingFile, { id }).path;

/** Tells how much of it is there, 0 to 1. */
type OnProgress = (share: number) => void;

const nameOf = (response: Response): string =>
  /filename="([^"]+)"/u.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'recording.mp4';

/** Length of the whole, from `Content-Range: bytes 0-99/1234`. */
const lengthOf = (response: Response): number =>
  Number(/\/(\d+)$/u.exec(response.headers.get('content-range') ?? '')?.[1] ?? NaN);

/**
 * Saves the file of a recording: piece by piece, as the server answers no more at a time, and then under the
 * name it gives. Browsers keep the pieces on disk where they are large. Rejects when a piece does not come.
 */
export async function saveRecording(id: number, onProgress: OnProgress, signal: AbortSignal): Promise<void> {
  const { path } = requestOf(getRecordingFile, { id, download: '1' });
  const pieces: Blob[] = [];
  let name = '';
  let have = 0;
  for (let whole = 1; have < whole;) {
    const response = await fetch(path, {
      credentials: 'same-origin', signal, headers: { range: `bytes=${have}-${have + MAX_ANSWER_BYTES - 1}` },
    });
    whole = lengthOf(response);
    if (response.status !== 206 || !Number.isSafeInteger(whole)) throw new Error('a piece did not come');
    name = nameOf(response);
    const piece = await response.blob();
    if (piece.size === 0) throw new Error('an empty piece came');
    pieces.push(piece);
    have += piece.size;
    onProgress(have / whole);
  }
  offer(new Blob(pieces, { type: 'video/mp4' }), name);
}

/** Has the browser save something under a name. */
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
