import { createRequire } from 'node:module';
import type * as React from 'react';

/**
 * Lets one worker render pages in its window and documents as a server does. React's development build warns
 * when two renderers use one context, which would be a mistake within one page; here they take turns. Call it
 * before anything imports React.
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
