import { TextField } from '#platform/ui/controls/fields.tsx';
import type { FormField } from '#platform/ui/forms/form.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { MAX_NAME_LENGTH } from '../../rules/requests.ts';

/** The name of whoever fills in a public form. */
export function NameField({ field }: { readonly field: FormField }) {
  const { t } = useTranslation('moderation');
  return (
    <TextField
      {...field}
      label={t('public.name')}
      required
      autoComplete="name"
      maxLength={MAX_NAME_LENGTH}
    />
  );
}

/** Their typed signature, which the law asks for. */
export function SignatureField({ field }: { readonly field: FormField }) {
  const { t } = useTranslation('moderation');
  return (
    <TextField
      {...field}
      label={t('public.signature')}
      hint={t('public.signatureHint')}
      required
      maxLength={MAX_NAME_LENGTH}
    />
  );
}
