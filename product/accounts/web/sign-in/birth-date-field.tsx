import { describedBy, FieldNotes, Select, type Option } from '#platform/ui/controls/fields.tsx';
import type { FormField } from '#platform/ui/forms/form.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useServerClock } from '#platform/ui/time/server-clock.ts';
import { useEffect, useId, useRef, useState } from 'react';
import { daysIn, isoDate, withParts, yearsOf, type ChosenDate } from './birth-dates.ts';

const NOTHING: ChosenDate = { year: null, month: null, day: null };
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

/** Year, month and day as three lists; the form gets a value only when all three are chosen. */
export function BirthDateField({ name, error, onChange }: FormField) {
  const { t, i18n } = useTranslation('accounts');
  const id = useId();
  const [chosen, setChosen] = useState(NOTHING);
  const lists = useRef<HTMLFieldSetElement>(null);
  const sent = useRef<HTMLInputElement>(null);
  // Reads values that were chosen before hydration.
  useEffect(() => {
    const [day, month, year] = [...lists.current?.querySelectorAll('select') ?? []].map((
      { value },
    ) => (value === '' ? null : Number(value)));
    setChosen({ year: year ?? null, month: month ?? null, day: day ?? null });
  }, []);
  const date = isoDate(chosen);
  const clock = useServerClock();
  const changed = useRef(onChange);
  useEffect(() => {
    changed.current = onChange;
  });
  useEffect(() => {
    if (date !== '') changed.current({ target: sent.current, type: 'change' });
  }, [date]);
  const monthName = new Intl.DateTimeFormat(i18n.language, { month: 'long', timeZone: 'UTC' });
  const part = (key: keyof ChosenDate, options: readonly Option[], complete: string) => (
    <Select
      label={t(`birthDate.${key}`)}
      labelHidden
      placeholder={t(`birthDate.${key}`)}
      options={options}
      required
      value={chosen[key] === null ? '' : String(chosen[key])}
      autoComplete={complete}
      onChange={({ target }) =>
        setChosen(withParts(chosen, { [key]: target.value === '' ? null : Number(target.value) }))}
    />
  );
  const plain = (values: readonly number[]) =>
    values.map((value) => ({ value: String(value), text: String(value) }));
  const months = numbers(12).map((month) => ({
    value: String(month),
    text: monthName.format(new Date(Date.UTC(2000, month - 1, 1))),
  }));
  return (
    <fieldset
      ref={lists}
      name={name}
      className="flex flex-col gap-1"
      {...describedBy(id, { hint: t('birthDate.hint'), error })}
    >
      <legend className="mb-1 text-sm font-medium">{t('birthDate.label')}</legend>
      <div className="grid grid-cols-[1fr_1.4fr_1fr] gap-2">
        {part('day', plain(numbers(daysIn(chosen.year, chosen.month))), 'bday-day')}
        {part('month', months, 'bday-month')}
        {part('year', plain(yearsOf(new Date(clock.now()).getFullYear())), 'bday-year')}
      </div>
      <input type="hidden" name={name} value={date} ref={sent} />
      <FieldNotes id={id} hint={t('birthDate.hint')} error={error} />
    </fieldset>
  );
}
