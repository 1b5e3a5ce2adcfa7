import type { z } from 'zod';

/** The name and payload type of an event: all that a client needs, from the `client.ts` of a slice. */
export interface ClientEvent<Payload = unknown> {
  /** The spec's wire name, e.g. `v3.chat.message`. */
  readonly name: string;
  /** Only for the compiler; never set. */
  readonly types?: { readonly payload: Payload };
}

/**
 * One message on a socket: server to client, or client to server. On the wire a JSON array `[name, payload]`.
 *
 * The top-level payload field `seq` of a server event is reserved for snapshots of a topic: the event holds
 * the topic's state up to that entry of its log; the client continues from there (`snapshotSeq` of frame.ts).
 */
export interface SocketEvent<Shape extends z.ZodType = z.ZodType> extends ClientEvent<z.infer<Shape>> {
  readonly socket: 'lobby' | 'room' | 'both';
  readonly from: 'server' | 'client' | 'both';
  readonly shape: Shape;
  /** For client events: a row of the permission table. */
  readonly access?: string;
  /**
   * Makes this the last event: when it is sent to a topic, or to one person in it, the gateway closes their
   * sockets with this code.
   */
  readonly closes?: 'refused' | 'reseat';
  readonly description: string;
  readonly requirements: readonly string[];
}

export type AnyEvent = SocketEvent;
export type PayloadOf<E extends ClientEvent> = E extends ClientEvent<infer Payload> ? Payload : never;
/** The client's side of a declared event. */
export type ClientEventOf<E extends AnyEvent> = ClientEvent<PayloadOf<E>>;

/** Declares one socket event as a constant of a slice's `contract.ts`. */
export function event<Shape extends z.ZodType>(
  definition: Omit<SocketEvent<Shape>, 'requirements'> & { requirements?: readonly string[] },
): SocketEvent<Shape> {
  return { requirements: [], ...definition };
}

/**
 * A channel is one stream of events to subscribers: a person (all their tabs), a session, a topic, or
 * the sockets of one person, or of one guest's session, in one topic (`seat:` for compatibility).
 */
export type Channel = `person:${number}` | `session:${string}` | `topic:${string}` | `seat:${string}`;

export const personChannel = (personId: number): Channel => `person:${personId}`;
export const sessionChannel = (sessionId: string): Channel => `session:${sessionId}`;
/** @param topic the topic that a room socket joins, e.g. the room's username in lower case */
export const topicChannel = (topic: string): Channel => `topic:${topic}`;
/** @param who a person's id, or a guest's session id */
export const topicPersonChannel = (topic: string, who: number | string): Channel => `seat:${who}@${topic}`;
/** The topic's channel for the channel of one person in it; null for other channels. */
export const topicOf = (
  channel: Channel,
):
  | Channel
  | null => (channel.startsWith('seat:') ? topicChannel(channel.slice(channel.indexOf('@') + 1)) : null);
