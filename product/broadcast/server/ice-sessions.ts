import type { HandlerContext } from '#platform/contract/context.ts';
import type { Refused } from '#platform/contract/refusal.ts';
import { randomId } from '#platform/data/ids.ts';
import { EngineRefused, type Engine } from '#platform/streaming/engine.ts';
import { Turns } from '#platform/streaming/turns.ts';
import { overloaded } from '../contract.ts';
import {
  entityTagMissing,
  entityTagOutdated,
  iceFragmentMalformed,
  iceRestartUnsupported,
  sessionUnknown,
  type patchRefusals,
} from '../contract/webrtc.ts';
import { OVERLOAD_RETRY_SECONDS } from '../rules.ts';

type PatchRefusal = (typeof patchRefusals)[number];
type PatchContext = Pick<HandlerContext<PatchRefusal>, 'ifMatch' | 'refuse'>;
type PatchAnswer = { status: number; headers: Record<string, string>; body: string };

/**
 * The ICE sessions of publishers and players, each identified by an entity tag (RFC 9725 §4.3.1). They begin
 * and end with the engine's sessions.
 */
export class IceSessions {
  readonly #engine: Engine;
  /** Random tags by session; limited by the engine's admission. */
  readonly #tags = new Map<string, string>();
  readonly #turns = new Turns();
  readonly #needsTag: boolean;

  /**
   * @param needsTag refuses fragments without an `If-Match` header (RFC 9725 §4.3.1). Not all players store
   *   the tag, since WHEP is a draft; for them a missing tag means the current ICE session.
   */
  constructor(engine: Engine, needsTag: boolean) {
    this.#engine = engine;
    this.#needsTag = needsTag;
  }

  /** Starts an ICE session; returns its ETag. */
  open(session: string): string {
    const tag = randomId();
    this.#tags.set(session, tag);
    return `"${tag}"`;
  }

  close(session: string): void {
    this.#tags.delete(session);
  }

  /**
   * Handles a PATCH. Requests of a session run one after another, so that a fragment overtaken by a restart
   * is recognised as outdated and not taken for a restart itself.
   */
  patch(
    session: string,
    fragment: string,
    context: PatchContext,
  ): Promise<PatchAnswer | Refused<PatchRefusal>> {
    return this.#turns.take(session, async (): Promise<PatchAnswer | Refused<PatchRefusal>> => {
      const tag = this.#tags.get(session);
      if (tag === undefined) return context.refuse(sessionUnknown);
      const { ifMatch } = context;
      if (ifMatch === null && this.#needsTag) return context.refuse(entityTagMissing);
      if (ifMatch !== null && !matches(ifMatch, tag)) return context.refuse(entityTagOutdated);
      try {
        const patched = await this.#engine.patch(session, fragment);
        if (patched.kind === 'noted') return { status: 204, headers: {}, body: '' };
        if (patched.kind === 'restart_unsupported') return context.refuse(iceRestartUnsupported);
        return { status: 200, headers: { etag: this.open(session) }, body: patched.fragment };
      } catch (error) {
        if (error instanceof EngineRefused) return refusePatch(error, context);
        throw error;
      }
    });
  }
}

/** Strong comparison with a list of tags (RFC 9110 §13.1.1); RFC 9725's example writes `*` in quotes. */
function matches(ifMatch: string, tag: string): boolean {
  const accepted = ['*', '"*"', `"${tag}"`];
  return ifMatch.split(',').some((text) => accepted.includes(text.trim()));
}

function refusePatch(error: EngineRefused, { refuse }: PatchContext): Refused<PatchRefusal> {
  const { code } = error;
  if (code === 'session_unknown') return refuse(sessionUnknown);
  if (code === 'malformed_fragment') return refuse(iceFragmentMalformed);
  if (code === 'overloaded' || code === 'unavailable') {
    return refuse(overloaded, { retryAfterSeconds: OVERLOAD_RETRY_SECONDS });
  }
  throw error;
}
