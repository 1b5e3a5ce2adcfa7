import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';

/**
 * Where whoever has signed up on a page of its own reads what to do, with the way on to where they came from.
 */
export const welcomePath = (next: string | null): string =>
  `/account/welcome${next === null ? '' : `?next=${encodeURIComponent(next)}`}`;

/** Welcomes whoever has just signed up and goes on where they were. */
export function useWelcome(): () => void {
  const toast = useToast();
  const { t } = useTranslation('accounts');
  return () => toast(t('welcome.toast'), 'success');
}
