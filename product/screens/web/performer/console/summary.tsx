import { formatMoney } from '#platform/text/money.ts';
import { useRead } from '#platform/ui/calls/calls.ts';
import { IconButton } from '#platform/ui/controls/button.tsx';
import { Card } from '#platform/ui/surfaces/card.tsx';
import { ReadError } from '#platform/ui/surfaces/section.tsx';
import { Skeleton } from '#platform/ui/surfaces/states.tsx';
import { formatCount, TokenAmount } from '#platform/ui/text/amounts.tsx';
import { clockText } from '#platform/ui/text/measures.ts';
import { useTexts, useTranslation } from '#platform/ui/text/use-translation.ts';
import { getEarningsOfSpan } from '#product/ledger/client.ts';
import { LAST_EARNINGS_MS } from '#product/ledger/rules/earnings.ts';
import { useKindText } from '#product/ledger/web/history/kinds.ts';
import { countNewFollowers } from '#product/messaging/client.ts';
import { listRecordings } from '#product/recordings/client.ts';
import { X } from 'lucide-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import type { Ended } from './end-dialog.tsx';
import { EndedEncoder } from './ended-encoder.tsx';

/** The summary of a broadcast that is over, above the preparation of the next one. */
export default function Summary({ ended, onClose }: { ended: Ended; onClose: () => void }) {
  const { t } = useTranslation('screens');
  const isReady = useTexts('ledger');
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  return (
    <section aria-labelledby="broadcast-summary">
      <Card className="flex flex-col gap-4 p-4">
        <div className="flex items-start justify-between gap-3">
          <h2 id="broadcast-summary" ref={title} tabIndex={-1} className="text-lg font-bold">
            {t('summary.title')}
          </h2>
          <IconButton label={t('summary.close')} onClick={onClose}>
            <X size={20} aria-hidden />
          </IconButton>
        </div>
        {ended.startedAt === null
          ? <p className="text-sm text-muted">{t('summary.never')}</p>
          : isReady
          ? <Figures ended={ended} from={ended.startedAt} />
          : <Skeleton className="h-40" />}
        {ended.fromEncoder ? <EndedEncoder isRefused /> : null}
      </Card>
    </section>
  );
}

function Figures({ ended, from }: { ended: Ended; from: string }) {
  const { t, i18n } = useTranslation('screens');
  const followers = useRead(countNewFollowers, { since: from });
  const recordings = useRead(listRecordings, {});
  const made = recordings.data?.recordings
    .filter(({ startedAt }) => startedAt >= from && startedAt <= ended.endedAt) ?? [];
  return (
    <>
      <dl className="grid grid-cols-2 gap-4 sm:grid-cols-4">
        <Figure name={t('summary.time')}>{clockText(ended.seconds)}</Figure>
        <Figure name={t('summary.viewers')}>{formatCount(ended.peakViewers, i18n.language)}</Figure>
        <Figure name={t('summary.followers')}>
          {followers.data ? formatCount(followers.data.count, i18n.language) : '–'}
        </Figure>
        <Figure name={t('summary.recording')}>
          {made.length === 0
            ? t('summary.noRecording')
            : (
              <Link to="/account/recordings" className="text-link underline">
                {t('summary.recordings', { count: made.length })}
              </Link>
            )}
        </Figure>
      </dl>
      <Money from={from} endedAt={ended.endedAt} />
      <ReadError read={followers.error ? followers : recordings} />
    </>
  );
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-sm text-muted">{name}</dt>
      <dd className="tabular text-lg font-bold">{children}</dd>
    </div>
  );
}

/** How often earnings are read again while shows of the broadcast settle. */
const ASK_AGAIN_MS = 2_000;

/** What a broadcast earned, including what the shows that it ended still earn. */
function useEarned(from: string, endedAt: string) {
  const to = new Date(Date.parse(endedAt) + LAST_EARNINGS_MS).toISOString();
  const [isSettling, setSettling] = useState(true);
  useEffect(() => {
    const timer = setTimeout(() => setSettling(false), LAST_EARNINGS_MS);
    return () => clearTimeout(timer);
  }, []);
  return useRead(getEarningsOfSpan, { from, to }, isSettling ? { everyMs: ASK_AGAIN_MS } : {});
}

/** Tokens by kind, their value in money, and the minute that earned the most. */
function Money({ from, endedAt }: { from: string; endedAt: string }) {
  const { t, i18n } = useTranslation('screens');
  const kindText = useKindText();
  const read = useEarned(from, endedAt);
  if (!read.data) return read.error ? <ReadError read={read} /> : <Skeleton className="h-24" />;
  const { tokens, cents, kinds, best } = read.data;
  const money = formatMoney({ minor: cents, currency: 'USD' }, i18n.language);
  return (
    <div className="flex flex-col gap-2">
      <p className="flex flex-wrap items-baseline gap-x-3">
        <span className="text-sm text-muted">{t('summary.earned')}</span>
        <TokenAmount tokens={tokens} className="text-lg font-bold" />
        <span className="tabular text-muted">{money}</span>
      </p>
      {kinds.length === 0
        ? null
        : (
          <ul aria-label={t('summary.kinds')} className="divide-y divide-line text-sm">
            {kinds.map((item) => (
              <li key={item.kind} className="flex justify-between gap-3 py-1.5">
                <span className="min-w-0 break-words">{kindText(item.kind)}</span>
                <TokenAmount tokens={item.tokens} className="shrink-0" />
              </li>
            ))}
          </ul>
        )}
      {best
        ? (
          <p className="text-sm">
            {t('summary.best', {
              time: new Intl.DateTimeFormat(i18n.language, { timeStyle: 'short' }).format(new Date(best.at)),
              tokens: formatCount(best.tokens, i18n.language),
            })}
          </p>
        )
        : null}
      <p>
        <Link
          to="/account/earnings"
          className="inline-flex min-h-11 items-center text-sm text-link underline"
        >
          {t('summary.toEarnings')}
        </Link>
      </p>
    </div>
  );
}
