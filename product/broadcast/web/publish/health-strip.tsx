import { keyOf } from '#platform/text/message-keys.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import { useCallback, useState } from 'react';
import type { HealthView } from '../../contract.ts';
import { Sparkline } from './sparkline.tsx';

/** Measurements in the chart: one a second, for a minute. */
const HISTORY = 60;

export interface HealthHistory {
  readonly samples: readonly HealthView[];
  readonly add: (health: HealthView) => void;
}

/** The last minute of the performer's own stream, as received by this page. */
export function useHealthHistory(): HealthHistory {
  const [samples, setSamples] = useState<readonly HealthView[]>([]);
  const add = useCallback(
    (health: HealthView) => setSamples((before) => [...before.slice(1 - HISTORY), health]),
    [],
  );
  return { samples, add };
}

const ONE_DIGIT = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
const megabits = (bits: number, locale: string): string =>
  new Intl.NumberFormat(locale, ONE_DIGIT).format(bits / 1_000_000);

/** Health of a stream, in numbers. */
export function HealthFigures({ health }: { health: HealthView }) {
  const { t, i18n } = useTranslation('broadcast');
  const number = (value: number, digits = 0): string =>
    new Intl.NumberFormat(i18n.language, { maximumFractionDigits: digits }).format(value);
  const optional = (
    value: number | null,
    text: (known: number) => string,
  ): string => (value === null ? t('health.unknown') : text(value));
  const figures = [
    ['bitrate', t('health.megabits', { value: megabits(health.videoBitsPerSecond, i18n.language) })],
    ['frames', t('health.perSecond', { value: number(health.framesPerSecond) })],
    ['loss', t('health.percent', { value: number(health.lossFraction * 100, 1) })],
    [
      'roundTrip',
      optional(health.roundTripMs, (value) => t('health.milliseconds', { value: number(value) })),
    ],
    [
      'keyframes',
      optional(
        health.keyframeIntervalMs,
        (value) => t('health.seconds', { value: number(value / 1_000, 1) }),
      ),
    ],
    ['sound', t('health.kilobits', { value: number(health.audioBitsPerSecond / 1_000) })],
    ['codec', health.codec ?? t('health.unknown')],
  ] as const;
  return (
    <dl className="grid grid-cols-[repeat(auto-fit,minmax(76px,1fr))] gap-x-3 gap-y-3 text-sm">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt className="text-xs text-muted">{t(`health.${name}`)}</dt>
          <dd className="tabular font-medium whitespace-nowrap">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Advice on a stream, or that everything is fine. */
export function AdviceList({ advice }: { advice: readonly string[] }) {
  const { t } = useTranslation('broadcast');
  return (
    <ul className="flex flex-col gap-2 text-sm" aria-live="polite">
      {advice.length === 0
        ? (
          <li className="flex items-start gap-2 text-success-text">
            <CircleCheck size={20} aria-hidden className="shrink-0" />
            {t('health.good')}
          </li>
        )
        : advice.map((code) => (
          <li key={code} className="flex items-start gap-2 text-warning-text">
            <TriangleAlert size={20} aria-hidden className="shrink-0" />
            {t(keyOf('broadcast', 'advice', code))}
          </li>
        ))}
    </ul>
  );
}

/** Health of the performer's own stream: figures, the last minute, advice. */
export function HealthStrip({ health, history }: {
  health: HealthView | null;
  /** The last minute, oldest first. */
  history: readonly HealthView[];
}) {
  const { t, i18n } = useTranslation('broadcast');
  if (!health) return <p className="text-sm text-muted">{t('health.none')}</p>;
  const bits = history.map(({ videoBitsPerSecond }) => videoBitsPerSecond);
  const line = t('health.history', {
    low: megabits(Math.min(...bits, health.videoBitsPerSecond), i18n.language),
    high: megabits(Math.max(...bits, health.videoBitsPerSecond), i18n.language),
  });
  return (
    <section aria-label={t('health.title')} className="flex flex-col gap-4">
      <HealthFigures health={health} />
      <div>
        <Sparkline values={bits} room={HISTORY} label={line} />
        <p className="tabular pt-1 text-xs text-muted" aria-hidden>{line}</p>
      </div>
      <AdviceList advice={health.advice} />
    </section>
  );
}
