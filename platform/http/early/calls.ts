import type { IncomingMessage } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Caller } from '#platform/contract/context.ts';
import { sharingOf } from '#platform/contract/bind.ts';
import type { Clock } from '#platform/data/clock.ts';
import { Remembered } from '#platform/data/remembered.ts';
import { AudienceCache, type Asking } from '../pages/audience-cache.ts';
import type { BoundCall } from '../pipeline/pipeline.ts';
import type { EarlyAnswer, Found } from './early.ts';
import { SERVER_TIME } from '#platform/contract/client.ts';

/** The most stored answers, of some 60 kB each; the oldest are dropped first. */
const MAX_ANSWERS = 256;
/** Longer answers are made each time: together the stored ones stay below 32 MB. */
const MAX_ANSWER_BYTES = 128 * 1024;
/**
 * How long a guest is remembered, so that a guest who browses stays known. A guest's cookies mean the same
 * until they expire, after weeks.
 */
const GUEST_MS = 30_000;
/** The most addresses, with their queries, whose call is remembered. */
const MAX_ADDRESSES = 2_000;
/** Longer addresses are no ordinary links. */
const MAX_ADDRESS_LENGTH = 512;

/** A guest, with the group whose answers they share. */
interface Guest {
  readonly caller: Caller;
  readonly group: string;
}

interface Ready extends EarlyAnswer {
  readonly bound: BoundCall;
  readonly holds: () => boolean;
}

export interface ReadyCallsOptions {
  readonly clock: Clock;
  readonly askingOf: (request: IncomingMessage) => Asking & { readonly address: string };
  /** Headers of every answer; a header of the answer itself takes precedence. */
  readonly headers: Readonly<Record<string, string>>;
  /** Counts a call against its limit; the seconds to wait, 0 when it is allowed. */
  readonly take: (bound: BoundCall, caller: Caller, address: string) => Promise<number>;
}

/**
 * Answers of calls whose handlers declared them shared, for guests whose group got the same answer a moment
 * ago. They count against the limits of their call like all others. Answers for logged-in people, answers
 * that set a cookie, and calls with effects are never stored.
 */
export class ReadyCalls {
  readonly #options: ReadyCallsOptions;
  readonly #guests: AudienceCache<Guest>;
  readonly #answers = new Remembered<Ready>(MAX_ANSWERS);
  readonly #callOf = new Remembered<string>(MAX_ADDRESSES);
  /** The seconds to wait of requests that were counted here and then handled the usual way. */
  readonly #counted = new WeakMap<IncomingMessage, number>();

  constructor(options: ReadyCallsOptions) {
    this.#options = options;
    this.#guests = new AudienceCache(options.clock, GUEST_MS);
  }

  readonly find = (request: IncomingMessage, url: string): Found | null => {
    const call = this.#callOf.get(url, 0, Number.POSITIVE_INFINITY);
    if (call === null) return null;
    const asking = this.#options.askingOf(request);
    const guest = this.#guests.find(asking, call);
    if (guest === null) return null;
    const answer = this.#answers.get(`${guest.group} ${url}`, 0, Number.POSITIVE_INFINITY);
    if (!answer?.holds()) return null;
    return {
      // The answer was made a while ago, but must carry the current time.
      answer: { ...answer, head: withTime(answer.head, this.#options.clock.now()) },
      admit: () => this.#admit(request, answer, guest.caller, asking.address),
    };
  };

  /** Stores an answer that was made the usual way, if it may be sent again. */
  remember(reply: FastifyReply, bound: BoundCall, value: unknown, body: string | Buffer): void {
    const sharing = sharingOf(value);
    if (sharing === null || !mayBeReady(bound)) return;
    const { raw, url, method, visit } = reply.request;
    if (visit === null || !isGuest(visit.caller, raw) || method !== 'GET' || reply.hasHeader('set-cookie')
      || url.length > MAX_ADDRESS_LENGTH || typeof body === 'string' || body.byteLength > MAX_ANSWER_BYTES)
      return;
    const { caller, scope: { operatorId, siteId }, locale, origin } = visit;
    const { name } = bound.call;
    const group = JSON.stringify([name, operatorId, siteId, origin, locale, sharing.audience]);
    this.#guests.remember(this.#options.askingOf(raw), { caller, group }, name);
    this.#callOf.set(url, name, 0);
    const headers = { ...reply.getHeaders(), ...this.#options.headers, ...reply.getHeaders() };
    this.#answers.set(`${group} ${url}`, {
      bound, body, call: name, status: 200, holds: sharing.holds,
      head: Object.entries({ ...headers, 'content-length': body.byteLength })
        .flatMap(([header, text]) => [header, String(text)]),
    }, 0);
  }

  /** The seconds to wait that {@link find} counted for a request; null when it counted nothing. */
  countedOf(request: IncomingMessage): number | null {
    return this.#counted.get(request) ?? null;
  }

  async #admit(request: IncomingMessage, answer: Ready, caller: Caller, address: string): Promise<boolean> {
    const waitSeconds = await this.#options.take(answer.bound, caller, address);
    // The answer may not hold any more, e.g. because somebody in it was hidden meanwhile.
    if (waitSeconds === 0 && answer.holds()) return true;
    this.#counted.set(request, waitSeconds);
    return false;
  }
}

/** Puts the time before the length, as in an answer that is made the usual way. */
function withTime(head: readonly string[], now: Date): string[] {
  const length = head.indexOf('content-length');
  const at = length < 0 ? head.length : length;
  return [...head.slice(0, at), SERVER_TIME, String(now.getTime()), ...head.slice(at)];
}

/** Whether a call only reads, and its answer depends on nothing but its address and the cookies. */
const mayBeReady = ({ call }: BoundCall): boolean =>
  call.method === 'GET' && !call.effects && call.credential === 'cookie' && !call.media && !call.crossOrigin
  && !call.startsSession && !call.idempotency;

/**
 * Whether the caller is surely a guest. A cookie that identifies nobody may belong to a suspended person;
 * only a guest's own sealed cookie, or no cookie at all, can never come to identify a person.
 */
const isGuest = ({ kind }: Caller, { headers }: IncomingMessage): boolean =>
  kind === 'guest' || (kind === 'anonymous' && headers.cookie === undefined);
