import { Heading, Title } from '#platform/ui/surfaces/page.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { ReactNode } from 'react';

interface FaultProps {
  /** A status, or the code of a report for support; 404 by default. */
  readonly code?: ReactNode;
  /** What happened, in a few words: the heading and the title. */
  readonly message?: string;
  /** What it means, and what to do. */
  readonly text: ReactNode;
  /** Buttons and links that lead on. */
  readonly children: ReactNode;
}

/** The one page for all failures: missing, refused, failed, crashed. */
export function FaultPage({ code = 404, message, text, children }: FaultProps) {
  const { t } = useTranslation('screens');
  const heading = message ?? t('error.notFound.title');
  return (
    <div className="mx-auto flex w-full max-w-md flex-col items-start gap-4 px-4 py-16">
      <Title>{heading}</Title>
      <div className="text-2xl font-bold text-accent">{code}</div>
      <Heading>{heading}</Heading>
      {text}
      <div className="flex flex-wrap gap-3">{children}</div>
    </div>
  );
}
