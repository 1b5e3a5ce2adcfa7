import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { CallContext } from '#platform/contract/context.ts';
import type { Clock } from '#platform/data/clock.ts';
import type { Tx } from '#platform/data/data.ts';
import type { Outputs } from '#platform/streaming/outputs/outputs.ts';
import { OutputRefused } from '#platform/streaming/outputs/outputs.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import { getPreview, getThumbnail, pictureUnknown } from '../contract/pictures.ts';
import type { PlaybackMode } from '../rules.ts';
import type { BroadcastDependencies, BroadcastView } from './dependencies.ts';
import { pictureCaching, type Sight } from './playback/access.ts';

/** Seconds a browser may cache each kind: thumbnails are made every 15 s, previews every minute. */
const CACHE_SECONDS = { thumbnail: 15, preview: 60 } as const;

/** Versions of the streams' current thumbnails, so that listings link only thumbnails that exist. */
export class ThumbnailVersions {
  /** Time of the newest thumbnail by stream, in seconds since 1970; ended streams are removed. */
  readonly #madeAt = new Map<string, number>();

  constructor(outputs: Outputs, clock: Clock) {
    outputs.onReport((report) => {
      if (report.kind !== 'thumbnail') return;
      this.#madeAt.set(report.stream, Math.floor(clock.now().getTime() / 1_000));
    });
  }

  /** Changes with the thumbnail; null while there is none. */
  of(stream: string): number | null {
    return this.#madeAt.get(stream) ?? null;
  }

  forget(stream: string): void {
    this.#madeAt.delete(stream);
  }
}

/** Whether a request may see a performer; see `BroadcastService.sightOf`. */
type SightOf = (
  tx: Tx,
  context: CallContext,
  performerId: number,
  mode: PlaybackMode,
) => Promise<Sight | null>;

/** A public broadcast that a request may see. */
interface Seen {
  readonly stream: string;
  readonly sight: Sight;
}

/**
 * Thumbnails and previews of public broadcasts, for viewers who may watch them. Hidden, locked, private,
 * offline and unknown performers get the same refusal.
 */
export function thumbnailHandlers(
  deps: BroadcastDependencies,
  viewOf: (tx: Tx, performerId: number) => Promise<BroadcastView>,
  sightOf: SightOf,
): CallHandler[] {
  const { data, accounts, media: { outputs } } = deps;
  const seenBy = (username: string, context: CallContext): Promise<Seen | null> =>
    data.tx(context.scope, async (tx) => {
      const person = await accounts.findByUsername(tx, normalizeUsername(username));
      if (!person) return null;
      const { stream, state, mode } = await viewOf(tx, person.id);
      if (state !== 'online' || mode !== 'public' || stream === null) return null;
      const sight = await sightOf(tx, context, person.id, mode);
      return sight && { stream, sight };
    });
  const made = (stream: string, kind: 'thumbnail' | 'preview'): Promise<Buffer | null> =>
    outputs.picture(stream, kind).catch((error: unknown) => {
      if (error instanceof OutputRefused) return null;
      throw error;
    });
  const answer = async (username: string, kind: 'thumbnail' | 'preview', context: CallContext) => {
    const before = await seenBy(username, context);
    const body = before && await made(before.stream, kind);
    // Making a clip takes time, so the viewer is checked again afterwards.
    const seen = body && await seenBy(username, context);
    if (!seen || seen.stream !== before?.stream) return null;
    const headers = { 'cache-control': pictureCaching(seen.sight, CACHE_SECONDS[kind]) };
    return { status: 200, headers, body };
  };
  return [
    handleCall(getThumbnail)(async ({ username }, context) =>
      await answer(username, 'thumbnail', context) ?? context.refuse(pictureUnknown)
    ),
    handleCall(getPreview)(async ({ username }, context) =>
      await answer(username, 'preview', context) ?? context.refuse(pictureUnknown)
    ),
  ];
}
