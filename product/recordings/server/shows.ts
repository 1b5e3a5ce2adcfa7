import type { Tx } from '#platform/data/data.ts';
import type { ShowKey } from '../rules.ts';
import { findPart, findPublic, pageOfPublic, partsOfShow, type StoredRecording } from '../store.ts';

/** A part of a recorded show; a show without interruptions has one. */
export interface ShowPart {
  readonly id: number;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly width: number | null;
  readonly height: number | null;
  /** Whether the part is being recorded, or its end is not known yet. */
  readonly isRunning: boolean;
}

const partOf = ({ id, startedAt, durationMs, width, height, state }: StoredRecording): ShowPart => ({
  id,
  startedAt,
  durationMs,
  width,
  height,
  isRunning: state === 'recording',
});

/** What was recorded of a show, in order. */
export const showPartsOf = async (tx: Tx, show: ShowKey): Promise<readonly ShowPart[]> =>
  (await partsOfShow(tx, show)).map(partOf);

/** The file of a complete part; null for a part of another show. */
export const findPartFile = async (tx: Tx, show: ShowKey, id: number): Promise<string | null> =>
  (await findPart(tx, show, id))?.file ?? null;

/** A finished public recording, for its performer and the people the performer shows it to. */
export interface PublicVideo {
  readonly id: number;
  /** Topic of the broadcast; empty without one. */
  readonly title: string;
  readonly startedAt: Date;
  readonly durationMs: number;
}

const videoOf = ({ id, title, startedAt, durationMs }: StoredRecording): PublicVideo => ({
  id,
  title,
  startedAt,
  durationMs,
});

/** A performer's own finished public recording, locked until the unit ends; null for any other. */
export async function publicVideoOf(tx: Tx, performerId: number, id: number): Promise<PublicVideo | null> {
  const found = await findPublic(tx, performerId, id, true);
  return found && videoOf(found);
}

/** A performer's own finished public recordings, newest first, below an id. */
export const publicVideosOf = async (
  tx: Tx,
  performerId: number,
  page: { readonly before: number | null; readonly limit: number },
): Promise<readonly PublicVideo[]> => (await pageOfPublic(tx, performerId, page)).map(videoOf);

/** The file of a finished public recording of a performer; null for any other. */
export const findPublicFile = async (tx: Tx, performerId: number, id: number): Promise<string | null> =>
  (await findPublic(tx, performerId, id))?.file ?? null;
