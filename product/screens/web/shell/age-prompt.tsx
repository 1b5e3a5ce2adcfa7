import { CallFailed, type CallFunction } from '#platform/contract/client.ts';
import { CallProvider, useCall } from '#platform/ui/calls/calls.ts';
import { ageVerificationRequired } from '#product/compliance/client.ts';
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

const VerificationDialog = lazy(() => import('#product/age-checks/web/verification-dialog.tsx'));

const PromptContext = createContext<() => void>(() => undefined);

/** Opens the modal of age verification over the page. */
export const useOpenAgeVerification = (): () => void => useContext(PromptContext);

/**
 * Has the modal of age verification, and opens it for every call that is refused until an age is verified,
 * such as a tip. Whoever closed it is not asked again by what a page reads by itself.
 */
export function AgePromptProvider({ children }: { readonly children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const isDeclined = useRef(false);
  const open = useCallback(() => setOpen(true), []);
  const close = useCallback(() => {
    isDeclined.current = true;
    setOpen(false);
  }, []);
  const call = useCall();
  const watched = useCallback<CallFunction>(async (constant, input, options) => {
    try {
      return await call(constant, input, options);
    } catch (error) {
      const isBlocked = error instanceof CallFailed
        && error.problem.errorType === ageVerificationRequired.code;
      if (isBlocked && !(constant.method === 'GET' && isDeclined.current)) open();
      throw error;
    }
  }, [call, open]);
  return (
    <PromptContext value={open}>
      <CallProvider value={watched}>{children}</CallProvider>
      {isOpen
        ? (
          <Suspense fallback={null}>
            <VerificationDialog onClose={close} />
          </Suspense>
        )
        : null}
    </PromptContext>
  );
}
