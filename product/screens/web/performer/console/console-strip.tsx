import { Pill } from '#platform/ui/surfaces/card.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { clockText } from '#platform/ui/text/measures.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useSecondsSince } from '#platform/ui/time/countdown.ts';
import type { PublisherPhase } from '#product/broadcast/web/publish/whip-publisher.ts';
import { Eye } from 'lucide-react';

export function StateOf({ phase, state }: { phase: PublisherPhase; state: string }) {
  const { t } = useTranslation('screens');
  if (phase === 'blocked') return <Pill tone="warning">{t('live.blocked')}</Pill>;
  if (phase === 'reconnecting' || state === 'reconnecting') {
    return <Pill tone="warning">{t('live.reconnecting')}</Pill>;
  }
  if (phase === 'connecting' || state === 'ready') return <Pill>{t('live.connecting')}</Pill>;
  return <Pill tone="live">{t('room.live')}</Pill>;
}

/** How many people watch; a phone has room for the number alone. */
export function Viewers({ count }: { count: number }) {
  const { t, i18n } = useTranslation('screens');
  return (
    <span className="tabular inline-flex items-center gap-1 text-sm text-muted">
      <Eye size={16} aria-hidden />
      <span aria-hidden className="sm:hidden">{formatCount(count, i18n.language)}</span>
      <span className="max-sm:sr-only">{t('live.viewers', { count })}</span>
    </span>
  );
}

/** Time on air, by the second. */
export function Elapsed({ since }: { since: string | null }) {
  const seconds = useSecondsSince(since);
  return seconds === null ? null : <span className="tabular text-sm text-muted">{clockText(seconds)}</span>;
}
