import type { AnyCall, InputOf, OutputOf, RefusalOf } from './call.ts';
import type { AnswerContext, Caller, Scope } from './context.ts';
import type { AnyEvent, PayloadOf } from './event.ts';
import type { AnyFact, HeardFact } from './fact.ts';
import type { Refused } from './refusal.ts';

/** A call bound to its handler. */
export interface Answer {
  readonly call: AnyCall;
  readonly handle: (input: unknown, context: AnswerContext<never>) => Promise<unknown>;
}

type CallHandler<C extends AnyCall> = (
  input: InputOf<C>,
  context: AnswerContext<RefusalOf<C>>,
) => Promise<OutputOf<C> | Refused<RefusalOf<C>>>;

/**
 * Binds a handler in two steps, `answer(sendTip)(async (input, { refuse }) => …)`, so that literals stay
 * narrow.
 */
export const answer =
  <C extends AnyCall>(call: C) =>
  (handler: CallHandler<C>): Answer => ({ call, handle: handler as Answer['handle'] });

/** A fact bound to a hearer. `consumer` names it in the outbox: unique and stable. */
export interface Hearing {
  readonly fact: AnyFact;
  readonly consumer: string;
  /** Hears only keys that `platform.interests` names for it: what matters to few is not written for all. */
  readonly byInterest?: true;
  readonly handle: (heard: HeardFact<AnyFact>) => Promise<void>;
}

/**
 * Hears a fact after its commit, at least once, in order per key; the handler is idempotent by `heard.id`.
 */
export const hear =
  <F extends AnyFact>(fact: F, consumer: string, more: Pick<Hearing, 'byInterest'> = {}) =>
  (handler: (heard: HeardFact<F>) => Promise<void>): Hearing => ({
    fact,
    consumer,
    ...more,
    handle: handler,
  });

/** What a socket message handler knows. `topic` is the joined room's topic, null on the lobby. */
export interface FrameContext {
  readonly scope: Scope;
  readonly caller: Caller;
  readonly topic: string | null;
  readonly socketId: string;
  readonly locale: string;
  /** Sends to this socket only. `seq` is the place of an entry of the topic's log that it missed. */
  readonly reply: <E extends AnyEvent>(event: E, payload: PayloadOf<E>, seq?: number) => void;
}

export interface Listening {
  readonly event: AnyEvent;
  readonly handle: (payload: unknown, context: FrameContext) => Promise<void>;
}

/** Binds a handler to a client socket event. */
export const listen =
  <E extends AnyEvent>(event: E) =>
  (handler: (payload: PayloadOf<E>, context: FrameContext) => Promise<void>): Listening => ({
    event,
    handle: handler as Listening['handle'],
  });

/** A deadline kind bound to what happens when it falls due. Handlers are idempotent by `key`. */
export interface DueHandling {
  /** `slice.kind`, unique. */
  readonly kind: string;
  readonly handle: (due: { operatorId: number; key: string; at: Date; payload: unknown }) => Promise<void>;
}

/** Everything a slice gives the host; its `service` is for later slices. */
export interface Slice<Service> {
  readonly name: string;
  readonly service: Service;
  readonly answers?: readonly Answer[];
  readonly hearings?: readonly Hearing[];
  readonly listenings?: readonly Listening[];
  readonly due?: readonly DueHandling[];
  /** Its facts, deadlines and `start` belong to the process that carries media. */
  readonly needsMedia?: boolean;
  /** Runs once, in the process that delivers for this slice, after migrations. */
  readonly start?: () => Promise<void>;
  /** Stops timers and children; called in reverse order. */
  readonly stop?: () => Promise<void>;
}
