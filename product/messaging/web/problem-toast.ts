import type { Problem } from '#platform/contract/client.ts';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useEffect } from 'react';

/** Shows why something failed, for a control without space for it. */
export function useProblemToast(problem: Problem | null): void {
  const { t } = useTranslation('ui');
  const toast = useToast();
  useEffect(() => {
    if (problem) toast(problem.message || t('somethingWrong'), 'error');
  }, [problem, t, toast]);
}
