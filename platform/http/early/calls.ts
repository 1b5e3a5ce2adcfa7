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

/** Answers of calls that are ready at once, of some 60 kB each; the oldest go first. */
const MAX_ANSWERS = 256;
/** Longer answers are made each time: together those that are ready stay below 32 MB. */
const MAX_ANSWER_BYTES = 128 * 1024;
/**
 * A guest's cookies mean the same until they expire, after weeks: so long one who looks around is known.
 */
const GUEST_MS = 30_000;
/** Addresses with their query whose call is known. */
const MAX_ADDRESSES = 2_000;
/** A longer one is nobody's link. */
const MAX_ADDRESS_LENGTH = 512;

/** A guest, and whose answers they share. */
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
  /** On every answer that has no other of the same name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Counts a call against its limit; the seconds to wait, 0 when it is allowed. */
  readonly take: (bound: BoundCall, caller: Caller, address: string) => Promise<number>;
}

/**
 * Answers of calls that said that they are shared, for guests who were given one of the same group a moment
 * ago. They are counted against the limits of their call like all others. Nothing is here for a person, nor
 * for an answer that sets a cookie, nor for a call with effects.
 */
export class ReadyCalls {
  readonly #options: ReadyCallsOptions;
  readonly #guests: AudienceCache<Guest>;
  readonly #answers = new Remembered<Ready>(MAX_ANSWERS);
  readonly #callOf = new Remembered<string>(MAX_ADDRESSES);
  /** Seconds to wait of requests that were counted here, and then went the usual way. */
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
      // It was made a while ago, and says what time it is now.
      answer: { ...answer, head: withTime(answer.head, this.#options.clock.now()) },
      admit: () => this.#admit(request, answer, guest.caller, asking.address),
    };
  };

  /** Remembers an answer that was made the usual way, where it may be given again. */
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

  /** What {@link find} counted of a request: the seconds to wait. Null where nothing was counted. */
  countedOf(request: IncomingMessage): number | null {
    return this.#counted.get(request) ?? null;
  }

  async #admit(request: IncomingMessage, answer: Ready, caller: Caller, address: string): Promise<boolean> {
    const waitSeconds = await this.#options.take(answer.bound, caller, address);
    // Somebody may have been hidden meanwhile.
    if (waitSeconds === 0 && answer.holds()) return true;
    this.#counted.set(request, waitSeconds);
    return false;
  }
}

/** The time stands before the length, as where the answer is made. */
function withTime(head: readonly string[], now: Date): string[] {
  const length = head.indexOf('content-length');
  const at = length < 0 ? head.length : length;
  return [...head.slice(0, at), SERVER_TIME, String(now.getTime()), ...head.slice(at)];
}

/** Only a call that reads, and whose answer depends on its address and the cookies alone. */
const mayBeReady = ({ call }: BoundCall): boolean =>
  call.method === 'GET' && !call.effects && call.credential === 'cookie' && !call.media && !call.crossOrigin
  && !call.startsSession && !call.idempotency;

/**
 * A cookie that stands for nobody may be that of somebody who is suspended: only a guest's own seal, or no
 * cookie at all, never comes to stand for a person.
 */
const isGuest = ({ kind }: Caller, { headers }: IncomingMessage): boolean =>
  kind === 'guest' || (kind === 'anonymous' && headers.cookie === undefined);
