import { CrashBoundary } from '#platform/ui/faults/crash-boundary.tsx';
import { useMe } from '#product/accounts/web/me.ts';
import {
  createContext,
  lazy,
  Suspense,
  useCallback,
  useContext,
  useEffect,
  useState,
  type ReactNode,
} from 'react';
import type { Asked, MoneyPrompt } from '../buy/asked.ts';

const MoneyHost = lazy(() => import('../buy/money-host.tsx'));
type OpenPrompt = (prompt: MoneyPrompt, needed?: number) => void;
const PromptContext = createContext<OpenPrompt>(() => undefined);

/** Opens a money dialog over the page: `openPrompt('purchase')`. */
export const useOpenPrompt = (): OpenPrompt => useContext(PromptContext);

/** Without dialogs that nobody has asked for yet, a page works anyway. @throws `error` once somebody has */
function unlessAsked(error: unknown, asked: Asked | null): null {
  if (asked) throw error;
  return null;
}

/** The host of all dialogs is loaded for members, on request, and for an address that asks for a dialog. */
export function MoneyPromptsProvider({ children }: { children: ReactNode }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const [isNeeded, setNeeded] = useState(false);
  const isMember = useMe() !== null;
  const open = useCallback<OpenPrompt>((prompt, needed) => setAsked({ prompt, needed }), []);
  useEffect(() => setNeeded(isMember || location.search !== ''), [isMember]);
  return (
    <PromptContext value={open}>
      {children}
      <CrashBoundary fallback={(error) => unlessAsked(error, asked)}>
        {isNeeded || asked
          ? (
            <Suspense>
              <MoneyHost asked={asked} />
            </Suspense>
          )
          : null}
      </CrashBoundary>
    </PromptContext>
  );
}
