import { problemOf } from '#platform/ui/calls/calls.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { EmptyState, ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { RelativeTime } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { listClientLines } from '../../client.ts';

/** Notes and console lines from pages, newest first. */
export function ClientLines() {
  const { t } = useTranslation('client-logs');
  const read = useReadPages(listClientLines, {});
  const { data, error, refetch } = read;
  const content = () => {
    if (error && !data) return <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />;
    if (!data) return <Skeleton className="h-32" />;
    const batches = data.pages.flatMap((page) => page.batches);
    if (batches.length === 0) return <EmptyState text={t('web.noLines')} />;
    return (
      <ul className="flex flex-col gap-2">
        {batches.map(({ id, source, username, lines, at }) => (
          <li key={id}>
            <details className="rounded-card border border-line px-3">
              <summary className="py-2 text-sm max-sm:min-h-11">
                {t(`web.sources.${source}`)} · {username ?? t('web.nobody')} · <RelativeTime at={at} />
                {' · '}
                {t('web.lines', { count: lines.length })}
              </summary>
              <pre className="py-2 text-xs wrap-anywhere whitespace-pre-wrap text-muted">
                {lines.join('\n')}
              </pre>
            </details>
          </li>
        ))}
      </ul>
    );
  };
  return (
    <section aria-busy={!data && !error} className="flex flex-col gap-3">
      <h2 className="text-lg font-bold">{t('web.linesTitle')}</h2>
      {content()}
      <MorePages read={read} className="py-2" />
    </section>
  );
}
