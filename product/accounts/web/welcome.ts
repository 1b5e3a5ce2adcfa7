import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';

/** The page for people who signed up on a page, with a link back to where they came from. */
export const welcomePath = (next: string | null): string =>
  `/account/welcome${next === null ? '' : `?next=${encodeURIComponent(next)}`}`;

/** Welcomes people who signed up in a dialog and stay on their page. */
export function useWelcome(): () => void {
  const toast = useToast();
  const { t } = useTranslation('accounts');
  return () => toast(t('welcome.toast'), 'success');
}
