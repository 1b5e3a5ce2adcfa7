import { useRead } from '#platform/ui/calls/calls.ts';
import { ReadError, Section } from '#platform/ui/surfaces/section.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { getTipLimit } from '../client.ts';

/** The operator's daily limit for a member's tips, and how much of it is used; nothing without one. */
export function OwnTipLimit() {
  const { t, i18n } = useTranslation('tips');
  const read = useRead(getTipLimit, {});
  const { data } = read;
  if (!data && read.error) {
    return (
      <Section anchor="tip-limit" title={t('limit.title')}>
        <ReadError read={read} />
      </Section>
    );
  }
  if (!data || data.daily_limit === null) return null;
  const { daily_limit: limit, tipped, resets_at: resets } = data;
  const [used, most] = [tipped, limit].map((tokens) => formatCount(tokens, i18n.language));
  const text = t('limit.used', { count: limit, used: used ?? '', most: most ?? '' });
  return (
    <Section
      anchor="tip-limit"
      title={t('limit.title')}
      lead={t('limit.lead', { count: limit, most: most ?? '' })}
    >
      <div className="flex max-w-sm flex-col gap-1 text-sm text-muted">
        <div
          role="meter"
          aria-label={t('limit.title')}
          aria-valuemin={0}
          aria-valuemax={limit}
          aria-valuenow={Math.min(tipped, limit)}
          aria-valuetext={text}
        >
          <svg
            viewBox="0 0 100 1"
            preserveAspectRatio="none"
            aria-hidden
            className="h-2 w-full rounded-full bg-line"
          >
            <rect
              width={Math.min(1, tipped / limit) * 100}
              height="1"
              className={tipped >= limit ? 'fill-danger' : 'fill-blue'}
            />
          </svg>
          <p className="tabular pt-1">{text}</p>
        </div>
        <p>
          {t('limit.resets')} <Moment at={resets} />
        </p>
      </div>
    </Section>
  );
}
