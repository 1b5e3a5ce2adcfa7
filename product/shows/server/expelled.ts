import { subscribe, type Subscription } from '#platform/contract/bind.ts';
import { personModerated } from '#product/rooms/contract/moderation.ts';

interface Expulsion {
  readonly operatorId: number;
  readonly performerId: number;
  readonly personId: number;
}

/** Subscribes to people who are banned or kicked from a room. @param name of the subscription */
export const expelled = (name: string, handle: (of: Expulsion) => Promise<void>): Subscription =>
  subscribe(personModerated, name)(async (
    { operatorId, payload: { performerId, personId, type, action } },
  ) => {
    if (action !== 'add' || personId === null || (type !== 'banned' && type !== 'kicked')) return;
    await handle({ operatorId, performerId, personId });
  });
