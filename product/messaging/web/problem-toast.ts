import { useEffect } from 'react';
import type { Problem } from '#platform/contract/client.ts';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';

/** Says why something was not done, where a control has no space of its own for it. */
export function useProblemToast(problem: Problem | null): void {
  const { t } = useTranslation('ui');
  const toast = useToast();
  useEffect(() => {
    if (problem) toast(problem.message || t('somethingWrong'), 'error');
  }, [problem, t, toast]);
}
