import { TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, type FormField } from '#platform/ui/forms/form.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { MAX_REASON_LENGTH, MIN_REASON_LENGTH } from '#product/site/rules.ts';

/** The reason of a change, for the audit log. */
export function ReasonField({ field }: { readonly field: FormField }) {
  const { t } = useTranslation('agreements');
  return (
    <TextField
      {...field}
      label={t('admin.reason')}
      hint={t('admin.reasonHint')}
      required
      minLength={MIN_REASON_LENGTH}
      maxLength={MAX_REASON_LENGTH}
      autoComplete="off"
    />
  );
}

export const reasonOf = (fields: FormData): string => textOf(fields, 'reason').trim();
