import { describedBy, FieldNotes } from '#platform/ui/controls/fields.tsx';
import type { FormField } from '#platform/ui/forms/form.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useEffect, useId, useRef, useState } from 'react';
import { BirthDateLists } from './birth-date-lists.tsx';
import { isoDate, withParts, type ChosenDate } from './birth-dates.ts';

const NOTHING: ChosenDate = { year: null, month: null, day: null };

/** Year, month and day as three lists; the form gets a value only when all three are chosen. */
export function BirthDateField({ name, error, onChange }: FormField) {
  const { t } = useTranslation('accounts');
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
  const changed = useRef(onChange);
  useEffect(() => {
    changed.current = onChange;
  });
  useEffect(() => {
    if (date !== '') changed.current({ target: sent.current, type: 'change' });
  }, [date]);
  return (
    <fieldset
      ref={lists}
      name={name}
      className="flex flex-col gap-1"
      {...describedBy(id, { hint: t('birthDate.hint'), error })}
    >
      <legend className="mb-1 text-sm font-medium">{t('birthDate.label')}</legend>
      <BirthDateLists
        chosen={chosen}
        required
        onChoose={(change) => setChosen(withParts(chosen, change))}
      />
      <input type="hidden" name={name} value={date} ref={sent} />
      <FieldNotes id={id} hint={t('birthDate.hint')} error={error} />
    </fieldset>
  );
}
