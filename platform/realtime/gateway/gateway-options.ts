import type { EventHandler } from '#platform/contract/bind.ts';
import type { CallContext, Caller } from '#platform/contract/context.ts';
import type { AnyEvent } from '#platform/contract/event.ts';
import type { Clock } from '#platform/data/clock.ts';
import type { Bus } from '#platform/data/data.ts';
import type { IncomingMessage, Server } from 'node:http';
import type { Logger } from 'pino';
import type { GatewayLimits, Tier } from '../limits.ts';
import type { GatewayPort, SocketCloser } from './gateway-port.ts';

export interface GatewayOptions {
  readonly port: GatewayPort;
  readonly bus: Bus;
  /** Time of the transport: ticks, pings, time-outs. A site on a virtual clock gives the system's clock here,
   * because its sockets are real. */
  readonly clock: Clock;
  readonly log: Logger;
  /** Site, region, language and cookies of an upgrade request; null for a host without a site. */
  readonly contextOf: (request: IncomingMessage) => Promise<CallContext | null>;
  /** The permission table; throws for an unknown row. */
  readonly mayUse: (access: string, caller: Caller) => boolean;
  readonly eventHandlers: readonly EventHandler[];
  /**
   * Sockets that receive this event on a session channel are closed after it, because it ends the session.
   */
  readonly loggedOut: AnyEvent;
  /**
   * Events with `closes`. On the channel of a topic, or of a person in it, they close the sockets of that
   * channel in every process.
   */
  readonly endings: readonly AnyEvent[];
  /** Events that are frequent enough for a template: sockets that ask for templates get them compressed. */
  readonly frequent?: readonly AnyEvent[];
  /** The tier that decides how fast a caller's sockets may send; the permission table does not say. */
  readonly tierOf?: (caller: Caller) => Tier;
  /** Version of the client this server serves. */
  readonly version: string;
  readonly limits?: Partial<GatewayLimits>;
}

/** Counts of events so far, for /metrics. Refusals are counted, never logged with their message. */
export type GatewayCounter =
  | 'opened'
  | 'joined'
  | 'closed'
  | 'messages'
  | 'faults'
  | 'crossOrigin'
  | 'unknownSite'
  | 'unknownPath'
  | 'tooManySockets'
  | 'busy'
  | 'tokenInvalid'
  | 'refused'
  | 'authorizeLate'
  | 'pongMissing'
  | 'slowReader'
  | 'binary'
  | 'oversized'
  | 'malformed'
  | 'tooFast'
  | 'unknownEvent'
  | 'invalidPayload'
  | 'denied'
  | 'cardNumber';

export interface Gateway extends SocketCloser {
  /** Handles the upgrades of an HTTP server below `/ws/`. */
  readonly attach: (server: Server) => void;
  readonly counters: () => Readonly<Record<GatewayCounter, number>>;
  /** The number of open sockets. */
  readonly size: () => number;
  /** Whether rooms can be joined here (initially true). Sends lobbies `v3.lobby.start` or `v3.lobby.stop`. */
  readonly ready: (isReady: boolean) => void;
  /** Warns lobbies of a restart, closes every socket, and unsubscribes from servers and bus. */
  readonly close: () => void;
}
