import { sizeText } from '#platform/ui/text/measures.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { TriangleAlert } from 'lucide-react';
import { Bar } from './bar.tsx';
import type { Listed } from './live.ts';

type Space = Listed['space'];

/** The used space, as text and as a bar. */
export function SpaceBar({ space }: { space: Space }) {
  const { t, i18n } = useTranslation('recordings');
  const share = space.quotaBytes === 0 ? 1 : Math.min(1, space.usedBytes / space.quotaBytes);
  const text = t('space.used', {
    used: sizeText(space.usedBytes, i18n.language),
    quota: sizeText(space.quotaBytes, i18n.language),
  });
  return (
    <div className="flex flex-col gap-2">
      <p className="tabular text-sm">{text}</p>
      <div
        role="meter"
        aria-label={t('space.title')}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
        aria-valuetext={text}
      >
        <Bar share={share} colour={space.state} />
      </div>
      <SpaceNotice state={space.state} />
    </div>
  );
}

/** Warns when the space is nearly or completely used up. */
export function SpaceNotice({ state }: { state: Space['state'] }) {
  const { t } = useTranslation('recordings');
  return (
    <div role="status" className="empty:hidden">
      {state === 'ok' ? null : (
        <p className="flex items-start gap-2 text-sm text-warning-text">
          <TriangleAlert size={20} aria-hidden className="shrink-0" />
          {t(`space.${state}`)}
        </p>
      )}
    </div>
  );
}
