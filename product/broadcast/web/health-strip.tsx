import { Activity, CircleCheck, TriangleAlert } from 'lucide-react';
import { useTranslation } from '../../../platform/ui/text/use-translation.ts';
import type { z } from 'zod';
import type { Health } from '../contract.ts';

const megabits = (bits: number): string => (bits / 1_000_000).toFixed(1);

/** How the own stream arrives, in numbers, with what to do about it in words. */
export function HealthStrip({ health }: { health: z.infer<typeof Health> | null }) {
  const { t } = useTranslation('broadcast');
  if (!health) return <p className="text-sm text-muted">{t('health.none')}</p>;
  const figures = [
    [t('health.bitrate'), t('health.megabits', { value: megabits(health.videoBitsPerSecond) })],
    [t('health.frames'), t('health.perSecond', { value: Math.round(health.framesPerSecond) })],
    [t('health.loss'), t('health.percent', { value: (health.lossFraction * 100).toFixed(1) })],
    [t('health.roundTrip'), health.roundTripMs === null ? '–'
      : t('health.milliseconds', { value: Math.round(health.roundTripMs) })],
    [t('health.codec'), health.codec ?? '–'],
  ] as const;
  const good = health.advice.length === 0;
  return (
    <section aria-label={t('health.title')} className="flex flex-col gap-3">
      <dl className="grid grid-cols-2 gap-x-4 gap-y-2 text-sm sm:grid-cols-5">
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt className="text-xs text-muted">{name}</dt>
            <dd className="tabular font-medium">{value}</dd>
          </div>
        ))}
      </dl>
      <ul className="flex flex-col gap-2 text-sm" aria-live="polite">
        {good ? (
          <li className="flex items-center gap-2 text-success-text">
            <CircleCheck size={20} aria-hidden />{t('health.good')}
          </li>
        ) : health.advice.map((code) => (
          <li key={code} className="flex items-center gap-2 text-warning-text">
            <TriangleAlert size={20} aria-hidden className="shrink-0" />{t(`advice.${code}`)}
          </li>
        ))}
      </ul>
      <p className="flex items-center gap-2 text-sm text-muted">
        <Activity size={16} aria-hidden />{t('health.viewers', { count: health.viewers })}
      </p>
    </section>
  );
}
