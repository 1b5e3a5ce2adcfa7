import { useTranslation } from './use-translation.ts';

const DAY = { dateStyle: 'long' } as const;
const TIME = { dateStyle: 'medium', timeStyle: 'short' } as const;
/** Says that it is UTC: what is counted by UTC days must not look like local time. */
const UTC = {
  day: 'numeric', month: 'short', year: 'numeric', hour: 'numeric', minute: '2-digit', timeZone: 'UTC',
  timeZoneName: 'short',
} as const;

/**
 * A moment as the language writes it: date and time, only the day, or both in UTC.
 * @param at ISO 8601
 */
export function Moment({ at, show = 'time' }: { at: string; show?: 'time' | 'day' | 'utc' }) {
  const { i18n } = useTranslation();
  const options = { time: TIME, day: DAY, utc: UTC }[show];
  // Server and browser know different time zones: the browser's text wins without a warning.
  return (
    <time dateTime={at} suppressHydrationWarning className="whitespace-nowrap">
      {new Intl.DateTimeFormat(i18n.language, options).format(new Date(at))}
    </time>
  );
}
