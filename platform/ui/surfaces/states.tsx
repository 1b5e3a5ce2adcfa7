import type { Problem } from '#platform/contract/client.ts';
import { UNREACHABLE } from '#platform/http/browser.ts';
import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../controls/button.tsx';
import type { Translate } from '../text/language.ts';
import { useTranslation } from '../text/use-translation.ts';

/**
 * A grey place of the final size while content loads. Decoration: the region around it carries `aria-busy`.
 */
export function Skeleton({ className = '' }: { className?: string }) {
  return <div aria-hidden className={`skeleton rounded-control ${className}`} />;
}

/** An empty state: one sentence and one action. */
export function EmptyState({ text, icon, action }: { text: string; icon?: ReactNode; action?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-4 px-4 py-12 text-center text-muted">
      {icon}
      <p className="max-w-md">{text}</p>
      {action}
    </div>
  );
}

type ShownProblem = Pick<Problem, 'message' | 'reference'> & Partial<Pick<Problem, 'errorType'>>;

/** Refusals have a text of their own; failures without a response get one here. */
const textOfProblem = (problem: ShownProblem | null | undefined, t: Translate<'ui'>): string =>
  problem?.message || t(problem?.errorType === UNREACHABLE ? 'unreachable' : 'somethingWrong');

interface ErrorStateProps {
  /** What happened and what to do; by default the text of the answer. */
  readonly text?: string;
  readonly problem?: ShownProblem | null;
  readonly onRetry?: () => void;
  readonly action?: ReactNode;
}

/** An error state: what happened, what to do, and a reference for support. */
export function ErrorState({ text, problem, onRetry, action }: ErrorStateProps) {
  const { t } = useTranslation('ui');
  return (
    <div role="alert" className="flex flex-col items-center gap-4 px-4 py-12 text-center">
      <CircleAlert size={28} aria-hidden className="text-danger-text" />
      <p className="max-w-md">{text ?? textOfProblem(problem, t)}</p>
      {problem?.reference
        ? <p className="text-xs text-muted">{t('reference', { reference: problem.reference })}</p>
        : null}
      {onRetry ? <Button onClick={onRetry}>{t('retry')}</Button> : null}
      {action}
    </div>
  );
}

/** Inline text above a form's button: a refusal that belongs to no single field. */
export function FormError({ problem }: { problem: ShownProblem | null }) {
  const { t } = useTranslation('ui');
  return (
    <div role="alert" className="empty:hidden">
      {problem
        ? (
          <p className="rounded-control border border-danger bg-raised px-3 py-2 text-sm">
            {textOfProblem(problem, t)}
            {problem.reference
              ? (
                <span className="block text-xs text-muted">
                  {t('reference', { reference: problem.reference })}
                </span>
              )
              : null}
          </p>
        )
        : null}
    </div>
  );
}
