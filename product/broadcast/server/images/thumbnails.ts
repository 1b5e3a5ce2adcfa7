import type { Clock } from '../../../../platform/data/clock.ts';
import type { Outputs } from '../../../../platform/streaming/outputs/outputs.ts';
import { handleCall, type CallHandler } from '../../../../platform/contract/bind.ts';
import type { CallContext } from '../../../../platform/contract/context.ts';
import type { Tx } from '../../../../platform/data/data.ts';
import { OutputRefused } from '../../../../platform/streaming/outputs/outputs.ts';
import { normalizeUsername } from '../../../../platform/text/usernames.ts';
import { getPreview, getThumbnail, pictureUnknown } from '../../contract.ts';
import type { BroadcastDependencies, BroadcastView } from '../dependencies.ts';

/** Thumbnails are made every 15 s. Access is restricted, so shared caches must not store them. */
const THUMBNAIL_HEADERS = { 'cache-control': 'private, max-age=15' } as const;
/** Previews are cached for a minute. */
const PREVIEW_HEADERS = { 'cache-control': 'private, max-age=60' } as const;

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

/**
 * Thumbnails and previews of public broadcasts, for viewers who may perceive the performer. Hidden, private,
 * offline and unknown performers get the same refusal.
 */
export function thumbnailHandlers(
  deps: BroadcastDependencies, viewOf: (tx: Tx, performerId: number) => Promise<BroadcastView>,
): CallHandler[] {
  const { data, accounts, compliance, media: { outputs } } = deps;
  const streamOf = (username: string, context: CallContext): Promise<string | null> =>
    data.tx(context.scope, async (tx) => {
      const person = await accounts.findByUsername(tx, normalizeUsername(username));
      if (!person) return null;
      const seen = await compliance.mayPerceive(tx, compliance.viewerOf(context), person.id, 'thumbnail');
      if (!seen) return null;
      const { stream, state, mode } = await viewOf(tx, person.id);
      return state === 'online' && mode === 'public' ? stream : null;
    });
  const made = (stream: string, kind: 'thumbnail' | 'preview'): Promise<Buffer | null> =>
    outputs.picture(stream, kind).catch((error: unknown) => {
      if (error instanceof OutputRefused) return null;
      throw error;
    });
  /** Making a clip takes time, so the stream is checked again afterwards. */
  const pictureOf = async (
    username: string, kind: 'thumbnail' | 'preview', context: CallContext,
  ): Promise<Buffer | null> => {
    const stream = await streamOf(username, context);
    const picture = stream === null ? null : await made(stream, kind);
    return picture !== null && (await streamOf(username, context)) === stream ? picture : null;
  };
  return [
    handleCall(getThumbnail)(async ({ username }, context) => {
      const body = await pictureOf(username, 'thumbnail', context);
      return body ? { status: 200, headers: THUMBNAIL_HEADERS, body } : context.refuse(pictureUnknown);
    }),
    handleCall(getPreview)(async ({ username }, context) => {
      const body = await pictureOf(username, 'preview', context);
      return body ? { status: 200, headers: PREVIEW_HEADERS, body } : context.refuse(pictureUnknown);
    }),
  ];
}
