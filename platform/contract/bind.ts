import type { AnyCall, InputOf, OutputOf, PersonIdOf, RefusalOf } from './call.ts';
import type { Caller, Consent, HandlerContext, Scope } from './context.ts';
import type { AnyEvent, PayloadOf } from './event.ts';
import type { Extending } from './extension-point.ts';
import type { AnyFact, DeliveredFact } from './fact.ts';
import type { Refused } from './refusal.ts';

/** A call bound to its handler. */
export interface CallHandler {
  readonly call: AnyCall;
  readonly handle: (input: unknown, context: HandlerContext<never>) => Promise<unknown>;
  readonly linkOf?: LinkOf;
}

/**
 * Derives the key of a request's link, for calls with a limit per link. It gets only the parameters of the
 * path and runs before the limit is counted, so without the database. Null for a link that the site did not
 * make itself.
 */
export type LinkOf = (path: PathFields, scope: Scope) => string | null;
export type PathFields = Readonly<Record<string, string | undefined>>;

type HandlerOf<C extends AnyCall> = (
  input: InputOf<C>,
  context: HandlerContext<RefusalOf<C>, PersonIdOf<C['access']>>,
) => Promise<OutputOf<C> | Refused<RefusalOf<C>>>;

/**
 * Binds a handler in two steps, `handleCall(sendTip)(async (input, { refuse }) => …)`, so that literals stay
 * narrow.
 */
export const handleCall =
  <C extends AnyCall>(call: C) =>
  (handler: HandlerOf<C>, more: Pick<CallHandler, 'linkOf'> = {}): CallHandler => ({
    call,
    handle: handler as CallHandler['handle'],
    ...more,
  });

/** The answer of a call whose `media` streams; `parts` is read no faster than the client takes it. */
export interface StreamedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Reading ends early (`return`) when the client goes away. An error cuts the connection. */
  readonly parts: AsyncIterable<string>;
}

type StreamHandlerOf<C extends AnyCall> = (
  input: InputOf<C>,
  context: HandlerContext<RefusalOf<C>, PersonIdOf<C['access']>>,
) => Promise<StreamedAnswer | Refused<RefusalOf<C>>>;

/** Binds a handler that answers in parts to a call with `media.streams`. */
export const handleStream = <C extends AnyCall>(call: C) => (handler: StreamHandlerOf<C>): CallHandler => ({
  call,
  handle: handler as CallHandler['handle'],
});

/** A fact bound to its handler. `consumer` is the handler's unique and stable name in the outbox. */
export interface Subscription {
  readonly fact: AnyFact;
  readonly consumer: string;
  /**
   * Only keys that `platform.interests` lists for this consumer are delivered, so that facts few consumers
   * need are not stored for all.
   */
  readonly byInterest?: true;
  readonly handle: (fact: DeliveredFact<AnyFact>) => Promise<void>;
}

/**
 * Handles a fact after its commit, at least once and in order per key; handlers are idempotent by `fact.id`.
 */
export const subscribe =
  <F extends AnyFact>(fact: F, consumer: string, more: Pick<Subscription, 'byInterest'> = {}) =>
  (handler: (delivered: DeliveredFact<F>) => Promise<void>): Subscription => ({
    fact,
    consumer,
    ...more,
    handle: handler,
  });

/** The context of a socket event's handler. `topic` is the joined room's topic, null on the lobby. */
export interface EventContext {
  readonly scope: Scope;
  readonly caller: Caller;
  /** The consent when the socket was opened; handlers that store something for longer must check it again. */
  readonly consent: Consent;
  readonly topic: string | null;
  readonly socketId: string;
  readonly locale: string;
  /** Sends to this socket only. `seq` is the sequence number of a missed entry of the topic's log. */
  readonly reply: <E extends AnyEvent>(event: E, payload: PayloadOf<E>, seq?: number) => void;
}

export interface EventHandler {
  readonly event: AnyEvent;
  readonly handle: (payload: unknown, context: EventContext) => Promise<void>;
  /** Replies to an event with a card number, which `handle` never receives. Without it there is no reply. */
  readonly refuseCardNumber?: (payload: unknown, context: EventContext) => void;
}

type OnEvent<E extends AnyEvent, Result> = (payload: PayloadOf<E>, context: EventContext) => Result;

/** Binds a handler to a client socket event. */
export const handleEvent = <E extends AnyEvent>(event: E) =>
(
  handler: OnEvent<E, Promise<void>>,
  more: { readonly refuseCardNumber?: OnEvent<E, void> } = {},
): EventHandler => ({ event, handle: handler, ...more } as EventHandler);

/** A kind of deadline bound to its handler. Handlers are idempotent by `key`. */
export interface DeadlineHandler {
  /** `slice.kind`, unique. */
  readonly kind: string;
  readonly handle: (due: { operatorId: number; key: string; at: Date; payload: unknown }) => Promise<void>;
}

/** Everything a slice gives the host; its `service` is for later slices. */
export interface Slice<Service> extends Extending {
  readonly service: Service;
  readonly callHandlers?: readonly CallHandler[];
  readonly subscriptions?: readonly Subscription[];
  readonly eventHandlers?: readonly EventHandler[];
  readonly deadlineHandlers?: readonly DeadlineHandler[];
  /** Whether its facts, deadlines and `start` belong to the process that carries media. */
  readonly needsMedia?: boolean;
  /** Runs once, in the process that delivers for this slice, after migrations. */
  readonly start?: () => Promise<void>;
  /**
   * Runs once in every process that answers calls, before it is ready: loads data that answers are made from.
   */
  readonly warm?: () => Promise<void>;
  /** Stops timers and children; called in reverse order. */
  readonly stop?: () => Promise<void>;
}
