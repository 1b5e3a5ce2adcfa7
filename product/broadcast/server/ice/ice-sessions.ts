import type { HandlerContext } from '../../../../platform/contract/context.ts';
import type { Refused } from '../../../../platform/contract/refusal.ts';
import { randomId } from '../../../../platform/data/ids.ts';
import { EngineRefused, type Engine } from '../../../../platform/streaming/engine.ts';
import {
  entityTagMissing, entityTagOutdated, iceFragmentMalformed, iceRestartUnsupported, overloaded,
  sessionUnknown, type patchRefusals,
} from '../../contract.ts';
import { OVERLOAD_RETRY_SECONDS } from '../../rules.ts';
import { Turns } from '../../../../platform/streaming/turns.ts';

type PatchRefusal = (typeof patchRefusals)[number];
type PatchContext = Pick<HandlerContext<PatchRefusal>, 'ifMatch' | 'refuse'>;
type PatchAnswer = { status: number; headers: Record<string, string>; body: string };

/**
 * The ICE sessions of publishers and players, each with the entity-tag that names it (RFC 9725 §4.3.1). They
 * live and end with the engine's own.
 */
export class IceSessions {
  readonly #engine: Engine;
  /** By session: a tag of random letters. Bounded by the engine's admission. */
  readonly #tags = new Map<string, string>();
  readonly #turns = new Turns();
  readonly #needsTag: boolean;

  /**
   * @param needsTag refuses fragments that do not say which ICE session they are for (RFC 9725 §4.3.1).
   *   Players speak a draft, and not all remember the tag: what says nothing is about the session of now.
   */
  constructor(engine: Engine, needsTag: boolean) {
    this.#engine = engine;
    this.#needsTag = needsTag;
  }

  /** Begins with a session; its first ETag. */
  open(session: string): string {
    const tag = randomId();
    this.#tags.set(session, tag);
    return `"${tag}"`;
  }

  close(session: string): void {
    this.#tags.delete(session);
  }

  /**
   * Takes a PATCH. One after another, so that a fragment that was overtaken by a restart is seen to be old,
   * and not taken for a restart itself.
   */
  patch(
    session: string, fragment: string, context: PatchContext,
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

/** Strong comparison with a list of tags (RFC 9110 §13.1.1); the RFC's own example writes `*` in quotes. */
function matches(ifMatch: string, tag: string): boolean {
  const good = ['*', '"*"', `"${tag}"`];
  return ifMatch.split(',').some((one) => good.includes(one.trim()));
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
