import { keyOf } from '#platform/text/message-keys.ts';
import { problemOf, useRead } from '#platform/ui/calls/calls.ts';
import { ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { getImprint } from '../client.ts';
import { DOCUMENTS, type DocumentName } from '../rules.ts';

interface DocumentTextProps {
  readonly name: DocumentName;
  /** Level of its headings: 2 on a page, 3 in a dialog. */
  readonly level?: 2 | 3;
}

/** A legal document, and whether it is in force or a template. */
export function DocumentText({ name, level = 2 }: DocumentTextProps) {
  const { t, i18n } = useTranslation('legal');
  const { data, error, refetch } = useRead(getImprint, {});
  if (error) return <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton className="h-64" />;
  const { site, company, reviewed } = data;
  const since = reviewed[name];
  const Title: 'h2' | 'h3' = level === 2 ? 'h2' : 'h3';
  return (
    <div className="flex max-w-prose flex-col gap-4">
      <p className={since ? 'text-sm text-muted' : 'rounded-control bg-raised px-4 py-3 text-sm'}>
        {since ? t('reviewed', { date: dayOf(since, i18n.language) }) : t('draft')}
      </p>
      {DOCUMENTS[name].map((section) => (
        <section key={section}>
          <Title className="font-bold">{t(keyOf('legal', name, `${section}.title`))}</Title>
          <p className="mt-1">{t(keyOf('legal', name, `${section}.text`), { site, company })}</p>
          {section === 'cookies'
            ? (
              <a href="/cookies" className="inline-flex min-h-11 items-center text-link underline">
                {t('cookies')}
              </a>
            )
            : null}
        </section>
      ))}
    </div>
  );
}

/** A date as text, in UTC since the server and the browser may be in different zones. */
const dayOf = (at: string, locale: string): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(at));
