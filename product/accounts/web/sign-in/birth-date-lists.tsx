import { Select, type Option } from '#platform/ui/controls/fields.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useServerClock } from '#platform/ui/time/server-clock.ts';
import { daysIn, yearsOf, type ChosenDate } from './birth-dates.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
const plain = (values: readonly number[]): readonly Option[] =>
  values.map((value) => ({ value: String(value), text: String(value) }));

/** Day, month and year of a birth date as three lists; nothing is chosen at first. */
export function BirthDateLists({ chosen, required = false, fieldName, onChoose }: {
  readonly chosen: ChosenDate;
  readonly required?: boolean;
  /** Marks the first list as the field that has the focus when the date is wrong. */
  readonly fieldName?: string;
  readonly onChoose: (change: Partial<ChosenDate>) => void;
}) {
  const { t, i18n } = useTranslation('accounts');
  const clock = useServerClock();
  const monthName = new Intl.DateTimeFormat(i18n.language, { month: 'long', timeZone: 'UTC' });
  const months = numbers(12).map((month) => ({
    value: String(month),
    text: monthName.format(new Date(Date.UTC(2000, month - 1, 1))),
  }));
  const part = (key: keyof ChosenDate, options: readonly Option[], complete: string) => (
    <Select
      label={t(`birthDate.${key}`)}
      labelHidden
      placeholder={t(`birthDate.${key}`)}
      options={options}
      required={required}
      value={chosen[key] === null ? '' : String(chosen[key])}
      autoComplete={complete}
      data-field={key === 'day' ? fieldName : undefined}
      onChange={({ target }) => onChoose({ [key]: target.value === '' ? null : Number(target.value) })}
    />
  );
  return (
    <div className="grid grid-cols-[1fr_1.4fr_1fr] gap-2">
      {part('day', plain(numbers(daysIn(chosen.year, chosen.month))), 'bday-day')}
      {part('month', months, 'bday-month')}
      {part('year', plain(yearsOf(new Date(clock.now()).getFullYear())), 'bday-year')}
    </div>
  );
}
