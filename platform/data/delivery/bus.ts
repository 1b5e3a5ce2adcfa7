import type { Bus, BusMessage } from '../data.ts';

/** A bus within one process: every subscriber gets every message, in order. */
export function memoryBus(): Bus {
  const listeners = new Set<(message: BusMessage) => void>();
  const publish = (message: BusMessage): void => {
    for (const listener of listeners) listener(message);
  };
  return {
    publish,
    publishHere: publish,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    isUp: () => true,
    taken: async () => {},
    // There is nobody else to ask, and nothing is ever missed.
    poke: () => {},
    poked: () => () => {},
    restored: () => () => {},
  };
}
