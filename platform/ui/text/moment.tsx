import { useTranslation } from './use-translation.ts';

const DAY = { dateStyle: 'long' } as const;
const TIME = { dateStyle: 'medium', timeStyle: 'short' } as const;
/** With the time zone, because stored or printed times are read in other places. */
const ZONE = {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
} as const;
/** With seconds, for events that follow each other. */
const SECOND = { ...ZONE, second: '2-digit' } as const;
/** In UTC, because counts by UTC day must not look like local time. */
const UTC = { ...ZONE, timeZone: 'UTC' } as const;
const FORMATS = { time: TIME, day: DAY, zone: ZONE, second: SECOND, utc: UTC } as const;

/**
 * A moment as the language writes it: date and time, only the day, or both with their zone (here, to the
 * second, or in UTC).
 * @param at ISO 8601
 */
export function Moment({ at, show = 'time' }: { at: string; show?: keyof typeof FORMATS }) {
  const { i18n } = useTranslation();
  const options = FORMATS[show];
  // Server and browser know different time zones: the browser's text wins without a warning.
  return (
    <time dateTime={at} suppressHydrationWarning className="whitespace-nowrap">
      {new Intl.DateTimeFormat(i18n.language, options).format(new Date(at))}
    </time>
  );
}
