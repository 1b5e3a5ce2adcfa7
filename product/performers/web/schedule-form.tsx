import { isTimeZone } from '#platform/time/zones.ts';
import { Button, IconButton } from '#platform/ui/controls/button.tsx';
import { FieldNotes, Select, TextField, type Option } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm, type Form } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useServerClock } from '#platform/ui/time/server-clock.ts';
import { Plus, X } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { saveListingProfile, timeZoneUnknown } from '../client.ts';
import type { ListingProfileView } from '../contract.ts';
import {
  MAX_SCHEDULED_TIMES,
  MIN_SCHEDULED_MINUTES,
  nextTimes,
  type NextTime,
  type ScheduledTime,
} from '../rules.ts';
import { showProfile } from './live.ts';
import { clockOf, minuteOf, minutesBetween, weekdays } from './week.ts';

/** A time as typed; `from` and `to` are `20:00`, or empty. */
interface Draft {
  readonly key: number;
  readonly day: number;
  readonly from: string;
  readonly to: string;
}

/** Default values of a new time. */
const USUAL = { from: '20:00', to: '23:00' } as const;
const DAYS_A_WEEK = 7;

const draftsOf = (schedule: readonly ScheduledTime[]): readonly Draft[] =>
  schedule.map(({ day, fromMinute, minutes }, key) => ({
    key,
    day,
    from: clockOf(fromMinute),
    to: clockOf(fromMinute + minutes),
  }));

/** Null while a time is incomplete, or shorter than allowed. */
function timeOf({ day, from, to }: Draft): ScheduledTime | null {
  const minutes = minutesBetween(from, to);
  const fromMinute = minuteOf(from);
  return fromMinute === null || minutes === null || minutes < MIN_SCHEDULED_MINUTES
    ? null
    : { day, fromMinute, minutes };
}

// Named after the key, so that a line retains its fields when another is removed.
const FIELDS = ['day', 'from', 'to'] as const;
const fieldOf = (name: (typeof FIELDS)[number], key: number): string => `${name}${key}`;

/** The times of the week, and the form that saves them. */
function useSchedule(profile: ListingProfileView) {
  const { t } = useTranslation('performers');
  const toast = useToast();
  const [drafts, setDrafts] = useState(() => draftsOf(profile.schedule));
  const [zone, setZone] = useState(profile.time_zone ?? '');
  // Only the browser knows its time zone.
  useEffect(() => setZone((now) => now || new Intl.DateTimeFormat().resolvedOptions().timeZone), []);
  const typedIn = (fields: FormData): readonly Draft[] =>
    drafts.map(({ key }) => ({
      key,
      day: Number(textOf(fields, fieldOf('day', key))),
      from: textOf(fields, fieldOf('from', key)),
      to: textOf(fields, fieldOf('to', key)),
    }));
  const form = useForm(saveListingProfile, {
    shape: async () => (await import('../contract.ts')).saveListingProfile,
    read: (fields) => ({
      schedule: typedIn(fields).flatMap((draft) => timeOf(draft) ?? []),
      time_zone: textOf(fields, 'time_zone') || null,
    }),
    check: (_profile, fields) =>
      Object.fromEntries(
        typedIn(fields)
          .filter((draft) => timeOf(draft) === null)
          .map(({ key }) => [fieldOf('to', key), t('schedule.wrong', { minutes: MIN_SCHEDULED_MINUTES })]),
      ),
    fieldOf: { [timeZoneUnknown.code]: 'time_zone' },
    applied: showProfile,
    onDone: ({ schedule }) => {
      setDrafts(draftsOf(schedule));
      toast(t('saved'), 'success');
    },
  });
  return { form, drafts, setDrafts, zone, setZone };
}

/** When a performer plans to be live: weekly times in their own time zone. */
export function ScheduleForm({ profile }: { profile: ListingProfileView }) {
  const { t } = useTranslation('performers');
  const { form, drafts, setDrafts, zone, setZone } = useSchedule(profile);
  const zones = useZones(zone);
  // Keys of saved times count up from 0; those of new ones are negative.
  const made = useRef(0);
  const add = () => {
    made.current -= 1;
    const day = ((drafts.at(-1)?.day ?? -1) + 1) % DAYS_A_WEEK;
    setDrafts([...drafts, { key: made.current, day, ...USUAL }]);
  };
  const change = (key: number, some: Partial<Draft>) =>
    setDrafts((now) => now.map((draft) => (draft.key === key ? { ...draft, ...some } : draft)));
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <Select
        {...form.field('time_zone')}
        label={t('schedule.zone')}
        options={zones}
        value={zone}
        onChange={({ target }) => setZone(target.value)}
      />
      {drafts.length === 0
        ? <p className="text-sm text-muted">{t('schedule.empty')}</p>
        : (
          <ul className="flex flex-col gap-4">
            {drafts.map((draft, at) => (
              <li key={draft.key}>
                <TimeFields
                  form={form}
                  draft={draft}
                  number={at + 1}
                  onChange={(some) => change(draft.key, some)}
                  onRemove={() => setDrafts(drafts.filter((item) => item.key !== draft.key))}
                />
              </li>
            ))}
          </ul>
        )}
      <NextTimes schedule={drafts.flatMap((draft) => timeOf(draft) ?? [])} zone={zone} />
      <FormError problem={form.problem} />
      <div className="flex flex-wrap gap-3">
        <Button
          disabled={drafts.length >= MAX_SCHEDULED_TIMES}
          icon={<Plus size={18} aria-hidden />}
          onClick={add}
        >
          {t('schedule.add')}
        </Button>
        <Button type="submit" busy={form.busy}>{t('schedule.save')}</Button>
      </div>
    </form>
  );
}

interface TimeFieldsProps {
  readonly form: Form;
  readonly draft: Draft;
  readonly number: number;
  readonly onChange: (some: Partial<Draft>) => void;
  readonly onRemove: () => void;
}

/** Day, start and end of one time. */
function TimeFields({ form, draft, number, onChange, onRemove }: TimeFieldsProps) {
  const { t, i18n } = useTranslation('performers');
  const notes = useId();
  const { key, day, from, to } = draft;
  const field = (name: 'from' | 'to') => {
    const { error, onChange: watch, ...rest } = form.field(fieldOf(name, key));
    return (
      <div className="grow basis-28">
        <TextField
          {...rest}
          error={error}
          type="time"
          label={t(`schedule.${name}`)}
          value={draft[name]}
          required
          onChange={(typed) => {
            onChange({ [name]: typed.target.value });
            watch(typed);
          }}
        />
      </div>
    );
  };
  const time = timeOf(draft);
  const isOvernight = time !== null && to <= from && to !== clockOf(0);
  return (
    <fieldset className="rounded-control border border-line p-3">
      <legend className="px-1 text-sm text-muted">{t('schedule.time', { number })}</legend>
      <div className="flex flex-wrap items-end gap-3">
        <div className="grow basis-36">
          <Select
            {...form.field(fieldOf('day', key))}
            label={t('schedule.day')}
            value={day}
            options={weekdays(i18n.language).map((text, value) => ({ value: String(value), text }))}
            onChange={({ target }) => onChange({ day: Number(target.value) })}
          />
        </div>
        {field('from')}
        {field('to')}
        <IconButton label={t('schedule.remove', { number })} onClick={onRemove}>
          <X size={18} aria-hidden />
        </IconButton>
      </div>
      <FieldNotes id={notes} hint={isOvernight ? t('schedule.nextDay') : undefined} />
    </fieldset>
  );
}

/** All time zones the browser knows, once rendered in a browser; before that, the chosen one. */
function useZones(zone: string): readonly Option[] {
  const [zones, setZones] = useState<readonly string[]>([]);
  useEffect(() => setZones(Intl.supportedValuesOf('timeZone')), []);
  const all = zone === '' || zones.includes(zone) ? zones : [zone, ...zones];
  return all.map((value) => ({ value, text: value.replaceAll('_', ' ') }));
}

/** The times by the clock of this device; shown only in the browser, which has one. */
function NextTimes({ schedule, zone }: { schedule: readonly ScheduledTime[]; zone: string }) {
  const { t, i18n } = useTranslation('performers');
  const clock = useServerClock();
  const [now, setNow] = useState<number | null>(null);
  useEffect(() => setNow(clock.now()), [clock]);
  const next: readonly NextTime[] = now === null || !isTimeZone(zone) ? [] : nextTimes(schedule, zone, now);
  if (next.length === 0) return null;
  const format = new Intl.DateTimeFormat(i18n.language, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: 'numeric',
    minute: '2-digit',
  });
  return (
    <div>
      <h3 className="text-sm font-bold">{t('schedule.next')}</h3>
      <ul className="mt-1 text-sm text-muted tabular">
        {next.map(({ startsAt, endsAt }) => <li key={startsAt}>{format.formatRange(startsAt, endsAt)}</li>)}
      </ul>
    </div>
  );
}
