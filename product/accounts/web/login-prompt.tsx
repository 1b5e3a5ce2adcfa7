import {
  createContext,
  lazy,
  Suspense,
  useCallback,
  useContext,
  useRef,
  useState,
  type ReactNode,
} from 'react';
import type { LoginReason } from './sign-in/dialog.tsx';

type Ask = (reason: LoginReason) => Promise<boolean>;
const PromptContext = createContext<Ask>(async () => false);

/**
 * Opens the login prompt over the page: `if (!me && !(await ask('tip'))) return;`.
 * Resolves to true once somebody is logged in, false when the prompt is closed.
 */
export const useLoginPrompt = (): Ask => useContext(PromptContext);

const SignInDialog = lazy(() => import('./sign-in/dialog.tsx'));

/** @param prices of tokens, as a later slice shows them */
export function LoginPromptProvider({ prices, children }: { prices?: ReactNode; children: ReactNode }) {
  const [reason, setReason] = useState<LoginReason | null>(null);
  const answer = useRef<(done: boolean) => void>(() => undefined);
  const ask = useCallback<Ask>((why) => {
    answer.current(false);
    setReason(why);
    return new Promise((resolve) => {
      answer.current = resolve;
    });
  }, []);
  const close = (done: boolean) => {
    setReason(null);
    answer.current(done);
  };
  return (
    <PromptContext value={ask}>
      {children}
      {reason === null ? null : (
        <Suspense fallback={null}>
          <SignInDialog reason={reason} prices={prices} onClose={close} />
        </Suspense>
      )}
    </PromptContext>
  );
}
