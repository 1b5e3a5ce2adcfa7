import { useToast } from '../../../platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '../../../platform/ui/text/use-translation.ts';

/** Welcomes whoever has just signed up and goes on where they were. */
export function useWelcome(): () => void {
  const toast = useToast();
  const { t } = useTranslation('accounts');
  return () => toast(t('welcome.toast'), 'success');
}
