import type { Bus, BusMessage } from './data.ts';
import type { Log } from './delivery/retry.ts';
import { describeError } from './errors.ts';

/**
 * A bus within one process: every subscriber gets every message, in order. A failing subscriber does not
 * affect the others.
 */
export function memoryBus(log: Log): Bus {
  const listeners = new Set<(message: BusMessage) => void>();
  const publish = (message: BusMessage): void => {
    for (const listener of listeners) {
      try {
        listener(message);
      } catch (error) {
        log.error({ event: message.name, ...describeError(error) }, 'a subscriber failed on a socket event');
      }
    }
  };
  return {
    isShared: false,
    publish,
    publishAll: async (messages) => messages.forEach(publish),
    publishHere: publish,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    isUp: () => true,
    // With a single process nothing is ever missed.
    poke: () => {},
    poked: () => () => {},
    restored: () => () => {},
  };
}
