import type { EventContext } from '#platform/contract/bind.ts';
import { roomVisits, type RoomVisit } from '../../extension-points.ts';
import { performerOfTopic } from '../../rules.ts';
import type { RoomsDependencies } from '../dependencies.ts';

/** Reports which members enter and leave rooms, by the sockets of this process. */
export class Visits {
  readonly #deps: RoomsDependencies;
  /** When each socket of a member joined. */
  readonly #since = new Map<string, Date>();

  constructor(deps: RoomsDependencies) {
    this.#deps = deps;
  }

  async entered(context: EventContext): Promise<void> {
    const { data, extensions } = this.#deps;
    const visit = visitOf(context);
    const implementers = extensions.all(roomVisits);
    if (!visit || implementers.length === 0) return;
    this.#since.set(context.socketId, data.clock.now());
    await data.tx(context.scope, async (tx) => {
      for (const { entered } of implementers) await entered(tx, visit);
    });
  }

  async left(context: EventContext): Promise<void> {
    const { data, extensions } = this.#deps;
    const since = this.#since.get(context.socketId);
    this.#since.delete(context.socketId);
    const visit = visitOf(context);
    if (!visit || !since) return;
    await data.tx(context.scope, async (tx) => {
      for (const { left } of extensions.all(roomVisits)) await left(tx, visit, since);
    });
  }
}

/** A member in a room that is not their own; null for everybody else. */
function visitOf({ caller: { personId }, consent, topic }: EventContext): RoomVisit | null {
  const performerId = performerOfTopic(topic);
  return personId === null || personId === performerId ? null : { personId, performerId, consent };
}
