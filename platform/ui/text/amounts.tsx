import { useServerClock } from '../time/server-clock.ts';
import { useTranslation } from './use-translation.ts';

/** The glyph of a token: a hexagon around a hexagon. It goes with every amount. */
export function TokenGlyph({ className = 'size-[1.1em]' }: { className?: string }) {
  return (
    <svg viewBox="0 0 20 20" aria-hidden className={`token inline-block shrink-0 text-accent ${className}`}>
      <path
        fill="currentColor"
        fillRule="evenodd"
        d="M10 1 17.8 5.5v9L10 19l-7.8-4.5v-9zm0 3.2L5 7.1v5.8l5 2.9 5-2.9V7.1z
          M10 7l2.6 1.5v3L10 13l-2.6-1.5v-3z"
      />
    </svg>
  );
}

/** `1,250 ⬡`, read out as "1,250 tokens". */
export function TokenAmount({ tokens, className = '' }: { tokens: number; className?: string }) {
  const { t, i18n } = useTranslation('ui');
  const text = formatCount(tokens, i18n.language);
  return (
    <span className={`tabular inline-flex items-center gap-1 whitespace-nowrap ${className}`}>
      <span aria-hidden>{text}</span>
      <TokenGlyph />
      <span className="sr-only">{t(tokens === 1 ? 'oneToken' : 'tokens', { amount: text })}</span>
    </span>
  );
}

/** A whole number in the page's language. Engines cache the format of this call. */
export const formatCount = (value: number, locale: string): string => value.toLocaleString(locale);

const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const satisfies readonly (readonly [Intl.RelativeTimeFormatUnit, number])[];

/** "3 minutes ago" in the largest unit that fits; below a minute "now". */
export function relativeTime(at: Date, now: Date, locale: string): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1000);
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) >= size) return format.format(Math.trunc(seconds / size), unit);
  }
  return format.format(0, 'second');
}

/** A relative time, with the exact time on hover. */
export function RelativeTime({ at }: { at: string }) {
  const { i18n } = useTranslation();
  const clock = useServerClock();
  const moment = new Date(at);
  const exact = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeStyle: 'short' })
    .format(moment);
  // Server and browser know different zones, and time passes: the browser's text wins without a warning.
  return (
    <time dateTime={at} title={exact} suppressHydrationWarning className="whitespace-nowrap">
      {relativeTime(moment, new Date(clock.now()), i18n.language)}
    </time>
  );
}
