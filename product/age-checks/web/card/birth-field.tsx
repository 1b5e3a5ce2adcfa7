import { describedBy, FieldNotes } from '#platform/ui/controls/fields.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { BirthDateLists } from '#product/accounts/web/sign-in/birth-date-lists.tsx';
import type { ChosenDate } from '#product/accounts/web/sign-in/birth-dates.ts';
import { useId } from 'react';

/** The birth date of the card form. */
export function BirthField({ chosen, error, onChoose }: {
  readonly chosen: ChosenDate;
  readonly error: string | undefined;
  readonly onChoose: (change: Partial<ChosenDate>) => void;
}) {
  const { t } = useTranslation('age-checks');
  const id = useId();
  return (
    <fieldset className="flex flex-col gap-1" {...describedBy(id, { error })}>
      <legend className="mb-1 text-sm font-medium">{t('web.card.label.birth_date')}</legend>
      <BirthDateLists chosen={chosen} fieldName="birth_date" onChoose={onChoose} />
      <FieldNotes id={id} error={error} />
    </fieldset>
  );
}
