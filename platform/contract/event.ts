import type { z } from 'zod';

/**
 * One message on a socket: server to client, or client to server. On the wire a JSON array `[name, payload]`.
 */
export interface SocketEvent<Shape extends z.ZodType = z.ZodType> {
  /** The spec's wire name, e.g. `v3.chat.message`. */
  readonly name: string;
  readonly socket: 'lobby' | 'room' | 'both';
  readonly from: 'server' | 'client' | 'both';
  readonly shape: Shape;
  /** For client events: a row of the permission table. */
  readonly access?: string;
  readonly description: string;
  readonly requirements: readonly string[];
}

export type AnyEvent = SocketEvent;
export type PayloadOf<E extends AnyEvent> = z.infer<E['shape']>;

/** Declares one socket event as a constant of a slice's `contract.ts`. */
export function event<Shape extends z.ZodType>(
  definition: Omit<SocketEvent<Shape>, 'requirements'> & { requirements?: readonly string[] },
): SocketEvent<Shape> {
  return { requirements: [], ...definition };
}

/** A channel is one stream of events to subscribers: a person (all their tabs), a session, or a topic. */
export type Channel = `person:${number}` | `session:${string}` | `topic:${string}`;

export const personChannel = (personId: number): Channel => `person:${personId}`;
export const sessionChannel = (sessionId: string): Channel => `session:${sessionId}`;
/** @param topic what a room socket joins, e.g. the room's username, lower case. */
export const topicChannel = (topic: string): Channel => `topic:${topic}`;
