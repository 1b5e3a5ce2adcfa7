import type { Problem } from '#platform/contract/client.ts';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useLoginPrompt } from '#product/accounts/web/login-prompt.tsx';
import type { OpenMoneyPrompt } from '#product/rooms/web/page-part.ts';
import { useTipRefusal } from '#product/tips/web/tip-panel.tsx';
import { privateMinimum } from '../../client.ts';

/** The problem that an event names by its type and text. */
export const problemOfEvent = (
  { errorType, error }: { readonly errorType: string | null; readonly error: string | null },
): Problem => {
  const [code, message] = [errorType ?? 'fault', error ?? ''];
  return {
    status: 409,
    error: code,
    errorType: code,
    error_type: code,
    message,
    type: 'about:blank',
    title: code,
    detail: message,
  };
};

/**
 * Handles a private show that could not be requested or started: the toast of the specification, then what
 * its error type requires, as with refused tips. Returns the problem that is left to show.
 */
export function usePrivateFailure(
  onMoneyPrompt: OpenMoneyPrompt,
): (problem: Problem, needed?: number) => Problem | null {
  const { t } = useTranslation('shows');
  const toast = useToast();
  const askLogin = useLoginPrompt();
  const refused = useTipRefusal({ onLogin: () => void askLogin('private'), onPrompt: onMoneyPrompt });
  return (problem, needed) => {
    toast(t('failed'), 'error');
    if (problem.errorType === privateMinimum.code) onMoneyPrompt('low_tokens', needed);
    return refused(problem, needed);
  };
}
