import { createContext, useCallback, useContext, useSyncExternalStore } from 'react';

/** State of a page that comes from no call, but from events and the page itself. */
export interface LiveState<T> {
  /** Unique in a page, e.g. `rooms.live`. */
  readonly name: string;
  readonly initial: T;
}

export const liveState = <T>(name: string, initial: T): LiveState<T> => ({ name, initial });

/**
 * The live state of one page. Values are immutable and compared by identity; a change to the same value
 * notifies nobody.
 */
export class LiveStore {
  readonly #values = new Map<string, unknown>();
  readonly #listeners = new Map<string, Set<() => void>>();

  read<T>({ name, initial }: LiveState<T>): T {
    return this.#values.has(name) ? this.#values.get(name) as T : initial;
  }

  change<T>(state: LiveState<T>, next: (value: T) => T): void {
    const before = this.read(state);
    const after = next(before);
    if (after === before) return;
    this.#values.set(state.name, after);
    for (const notify of this.#listeners.get(state.name) ?? []) notify();
  }

  /** Calls `listener` after each change of a state, until the returned function is called. */
  subscribe({ name }: LiveState<unknown>, listener: () => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => void listeners.delete(listener);
  }
}

const LiveStoreContext = createContext<LiveStore | null>(null);
export const LiveStoreProvider = LiveStoreContext.Provider;

/** The store of this page, for `live.ts` files, which change it. */
export function useLiveStore(): LiveStore {
  const store = useContext(LiveStoreContext);
  if (!store) throw new Error('useLiveStore needs a LiveStoreProvider above it');
  return store;
}

/**
 * A part of a live state; the component renders again when that part is another object.
 * @param pick must return the same object for the same state
 */
export function useLiveState<T, Part>(state: LiveState<T>, pick: (value: T) => Part): Part {
  const store = useLiveStore();
  const subscribe = useCallback((listener: () => void) => store.subscribe(state, listener), [state, store]);
  // A document is rendered, and hydrated, before any event has arrived.
  return useSyncExternalStore(subscribe, () => pick(store.read(state)), () => pick(state.initial));
}
