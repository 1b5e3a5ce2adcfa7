import { useId, useRef, type ReactNode } from 'react';
import { problemOf } from '../calls/calls.ts';
import { Button } from '../controls/button.tsx';
import { useFocusPlace } from '../focus-place.ts';
import { useTranslation } from '../text/use-translation.ts';
import { Card } from './card.tsx';
import { ErrorState, FormError, Skeleton } from './states.tsx';

interface SectionProps {
  readonly title: string;
  readonly lead?: string;
  /** The anchor for links to this section. */
  readonly anchor: string;
  /** Shown at the top right. */
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

/** One section of a page, with its own heading. */
export function Section({ title, lead, anchor, action, children }: SectionProps) {
  const id = useId();
  const own = useRef<HTMLElement>(null);
  useFocusPlace(own);
  return (
    <section ref={own} id={anchor} aria-labelledby={id} className="scroll-mt-20">
      <Card className="p-4 sm:p-6">
        <div className="mb-4 flex flex-wrap items-start justify-between gap-3">
          <div className="grow basis-64">
            <h2 id={id} className="text-lg font-bold">{title}</h2>
            {lead ? <p className="mt-1 text-sm text-muted">{lead}</p> : null}
          </div>
          {action}
        </div>
        {children}
      </Card>
    </section>
  );
}

/** The state of a read. */
export interface Read<Output> {
  readonly data: Output | undefined;
  readonly error: Error | null;
  readonly refetch: () => unknown;
}

/** Shows a read: a skeleton of its height, an error with a retry, or the content. */
export function Loaded<Output>({ read, height, failed = '', children }: {
  readonly read: Read<Output>;
  /** Text for failures without a text of the server. */
  readonly failed?: string;
  /** Class of the skeleton's height. */
  readonly height: string;
  readonly children: (answer: Output) => ReactNode;
}) {
  if (read.data !== undefined) return children(read.data);
  if (read.error) {
    return <ErrorState problem={problemOf(read.error, failed)} onRetry={() => void read.refetch()} />;
  }
  return (
    <div aria-busy>
      <Skeleton className={height} />
    </div>
  );
}

/** A line in place of a small part that could not be read, with a retry; nothing in every other state. */
export function ReadError({ read, failed = '' }: {
  read: Read<unknown>;
  /** Text for failures without a text of the server. */
  failed?: string | undefined;
}) {
  const { t } = useTranslation('ui');
  if (read.data !== undefined || !read.error) return null;
  return (
    <div className="flex flex-wrap items-center gap-3">
      <FormError problem={problemOf(read.error, failed)} />
      <Button onClick={() => void read.refetch()}>{t('retry')}</Button>
    </div>
  );
}
