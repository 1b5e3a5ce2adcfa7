import type { IngestTrouble, StreamHealth } from '#platform/streaming/engine.ts';
import type { HealthView } from '../../contract.ts';
import type { PlaybackMode } from '../../rules.ts';
import type { Publisher } from '../../store.ts';
import type { KeyKind } from '../../store/columns.ts';
import type { Applicant } from './admission.ts';
import { sourceOf } from './replaced.ts';

/** A stream of this process, from its publisher's first offer to the end of its broadcast. */
export interface Airing {
  readonly operatorId: number;
  readonly performerId: number;
  readonly publishedWith: KeyKind;
  /** See {@link sourceOf}. */
  readonly source: string;
  readonly keyHash: string;
  mode: PlaybackMode;
  /** It has two names until its mode is saved; neither is public meanwhile. */
  isMoving: boolean;
  isOnline: boolean;
  /** A missed `up` is being applied. */
  isCatchingUp: boolean;
  peakViewers: number;
  /** Why it cannot be played, as its ingest last reported. */
  trouble: IngestTrouble | null;
  codec: StreamHealth['codec'];
  health: { readonly view: HealthView; readonly atMs: number } | null;
}

/** A publish session; only the key that created it may change or end it. */
export interface PublishSession {
  readonly operatorId: number;
  readonly performerId: number;
  readonly keyHash: string;
  /** See {@link sourceOf}. */
  readonly source: string;
  stream: string;
}

/** Events of a stream, for playback. */
export interface StreamEvents {
  /** Its broadcast has ended, its readers are about to be cut; with `hasTail` those over HLS see its end. */
  readonly ended: (stream: string, hasTail: boolean) => Promise<void>;
  /** It has another name; its readers are already cut. */
  readonly moved: (stream: string) => Promise<void>;
  /** The streams with public thumbnails, whenever they change. */
  readonly public: (streams: readonly string[]) => void;
}

export const turnOf = (operatorId: number, performerId: number): string => `${operatorId}:${performerId}`;

/** The stream of an admitted publisher; keeps the online state and the peak of the stream `before` it. */
export const newAiring = (
  { scope: { operatorId }, connection }: Pick<Applicant<never>, 'scope' | 'connection'>,
  publisher: Publisher,
  mode: PlaybackMode,
  before: Airing | undefined,
): Airing => ({
  operatorId,
  performerId: publisher.performerId,
  publishedWith: publisher.kind,
  source: sourceOf(publisher, connection),
  keyHash: publisher.keyHash,
  mode,
  isMoving: false,
  isOnline: before?.isOnline ?? false,
  isCatchingUp: false,
  peakViewers: before?.peakViewers ?? 0,
  trouble: null,
  codec: null,
  health: null,
});
