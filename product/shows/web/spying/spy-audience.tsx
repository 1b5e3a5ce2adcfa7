import { useRead } from '#platform/ui/calls/calls.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { getSpyAudience } from '../../client.ts';
import { Cost } from '../private/amounts.tsx';

/** How many people spy on the performer's private show, and what it has earned; no names. */
export function SpyAudience() {
  const { t } = useTranslation('shows');
  const { data: audience } = useRead(getSpyAudience, {});
  if (!audience || (audience.count === 0 && audience.tokens === 0)) return null;
  return (
    <p className="flex flex-wrap items-baseline gap-x-2 text-sm">
      <span>{t('spying.audience', { count: audience.count })}</span>
      <span className="text-muted">{t('private.earned')}</span> <Cost tokens={audience.tokens} />
    </p>
  );
}
