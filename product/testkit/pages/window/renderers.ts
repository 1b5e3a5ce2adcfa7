import { createRequire } from 'node:module';
import type * as React from 'react';

/**
 * Lets one worker render pages in its window and documents as a server does. React's development build warns
 * when two renderers use the same context, which would be a mistake within one page; here they take turns.
 * Call it before anything imports React.
 */
export function letRenderersTakeTurns(): void {
  const react = createRequire(import.meta.url)('react') as { createContext: typeof React.createContext };
  const holder = globalThis as typeof globalThis & { renderersTakeTurns?: true };
  if (holder.renderersTakeTurns) return;
  holder.renderersTakeTurns = true;
  const { createContext } = react;
  react.createContext = (value) => {
    const context = createContext(value);
    Object.defineProperty(context, '_currentRenderer', { get: () => null, set() {} });
    return context;
  };
}

/** State that React's builds share. */
interface ReactInternals {
  readonly __CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE: object;
}

/**
 * React's development build records a stack with every element, to name the component that made it, until
 * there are too many in a second. Here there always are: nobody reads them, and they cost as much as
 * rendering.
 */
export function forgetOwnerStacks(): void {
  const react = createRequire(import.meta.url)('react') as ReactInternals;
  Object.defineProperty(
    react.__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE,
    'recentlyCreatedOwnerStacks',
    { configurable: true, get: () => Number.MAX_SAFE_INTEGER, set: () => {} },
  );
}
