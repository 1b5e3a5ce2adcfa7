import { useRef } from 'react';
import { problemOf } from '../../calls/calls.ts';
import type { PagesRead } from '../../calls/pages.ts';
import { FormError } from '../../surfaces/states.tsx';
import { useTranslation } from '../../text/use-translation.ts';
import { Button } from '../button.tsx';

type Fields = 'error' | 'fetchNextPage' | 'hasNextPage' | 'isFetchingNextPage' | 'isError';

interface MorePagesProps {
  readonly read: Pick<PagesRead<unknown>, Fields>;
  /** Text for a failure without a text of the server; the usual words by default. */
  readonly failed?: string;
  readonly className?: string;
}

/**
 * The button under a list that loads its next page; nothing after the last page. The error of a failed load
 * stays until a load succeeds, even while another one is tried.
 */
export function MorePages({ read, failed = '', className = 'pt-4' }: MorePagesProps) {
  const { t } = useTranslation('ui');
  const problem = read.isError ? problemOf(read.error, failed) : null;
  const place = useRef<HTMLDivElement>(null);
  const more = async () => {
    const { hasNextPage } = await read.fetchNextPage();
    // The button disappears with the last page, so the focus moves to where it was.
    if (!hasNextPage) place.current?.focus();
  };
  return (
    <div ref={place} tabIndex={-1} className={`flex flex-col items-start gap-3 empty:p-0 ${className}`}>
      {problem ? <FormError problem={problem} /> : null}
      {read.hasNextPage
        ? <Button busy={read.isFetchingNextPage} onClick={() => void more()}>{t('more')}</Button>
        : null}
    </div>
  );
}
