import { Checkbox } from '#platform/ui/controls/fields.tsx';
import type { Form } from '#platform/ui/forms/form.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { DocumentLink } from '#product/legal/web/document-links.tsx';

/** Accepts the terms, which can be read without leaving the form. */
export function TermsField(field: ReturnType<Form['field']>) {
  const { t } = useTranslation('accounts');
  return (
    <>
      <Checkbox {...field} required label={t('register.terms')} />
      <div className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
        <DocumentLink name="terms" text={t('register.readTerms')} />
        <DocumentLink name="privacy" text={t('register.readPrivacy')} />
      </div>
    </>
  );
}
