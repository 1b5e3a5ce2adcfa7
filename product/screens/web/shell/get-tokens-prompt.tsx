import { createContext, lazy, Suspense, useCallback, useContext, useState, type ReactNode } from 'react';

const GetTokens = lazy(() => import('./get-tokens.tsx'));
const PromptContext = createContext<() => void>(() => undefined);

/** Opens "Get tokens" over the page: pressed in the header, or where a balance was too small. */
export const useGetTokens = (): (() => void) => useContext(PromptContext);

export function GetTokensProvider({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState(false);
  const show = useCallback(() => setOpen(true), []);
  return (
    <PromptContext value={show}>
      {children}
      {open ? <Suspense fallback={null}><GetTokens onClose={() => setOpen(false)} /></Suspense> : null}
    </PromptContext>
  );
}
