/**
 * Stands in for `zod` in the page's bundles (alias in `vite.config.ts`): contracts declare shapes with it,
 * types come from the real library at compile time, and only the server checks. Every property and every call
 * answers the same object.
 */
export const z: unknown = new Proxy(() => undefined, {
  get: (_target, property) => (property === Symbol.toPrimitive ? () => 'shape' : z),
  apply: () => z,
});
