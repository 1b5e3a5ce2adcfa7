import type { ReactNode } from 'react';
import { Heading, Title } from '#platform/ui/surfaces/page.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';

interface FaultProps {
  /** A status, or the code of a report: support asks for it. That of what does not exist unless given. */
  readonly code?: ReactNode;
  /** What happened, in a few words: the heading and the title. */
  readonly message?: string;
  /** What it means, and what to do. */
  readonly text: ReactNode;
  /** The ways on: buttons and links. */
  readonly children: ReactNode;
}

/** The one face of what went wrong: what does not exist, what is refused, what failed, what crashed. */
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
