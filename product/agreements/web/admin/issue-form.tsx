import { useCache } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Select, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { LOCALE_NAMES, LOCALES } from '#product/site/rules.ts';
import { useRef } from 'react';
import { issueDocument } from '../../client.ts';
import { KINDS } from '../../rules.ts';
import { rereadAll } from '../live.ts';
import { SignDaysField } from './draft-dialogs.tsx';

/** Issues one document to one person. */
export function IssueForm() {
  const { t } = useTranslation('agreements');
  const cache = useCache();
  const toast = useToast();
  const named = useRef('');
  const form = useForm(issueDocument, {
    shape: async () => (await import('../../contract/admin.ts')).issueDocument,
    read: (fields) => {
      named.current = textOf(fields, 'username').trim();
      const language = LOCALES.find((code) => code === textOf(fields, 'language'));
      return {
        username: named.current,
        kind: KINDS.find((kind) => kind === textOf(fields, 'kind')) ?? KINDS[0],
        sign_days: Number(textOf(fields, 'sign_days')),
        ...(language ? { language } : {}),
      };
    },
    fieldOf: { person_unknown: 'username', template_missing: 'kind' },
    onDone: async ({ is_new: isNew }) => {
      await rereadAll(cache);
      const name = named.current;
      toast(isNew ? t('admin.issued', { name }) : t('admin.hasIt', { name }), isNew ? 'success' : 'news');
    },
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
        <TextField
          {...form.field('username')}
          label={t('admin.username')}
          required
          maxLength={40}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
        <Select
          {...form.field('kind')}
          label={t('admin.kind')}
          options={KINDS.map((kind) => ({ value: kind, text: t(`kinds.${kind}`) }))}
        />
        <Select
          {...form.field('language')}
          label={t('admin.language')}
          placeholder={t('admin.ownLanguage')}
          options={LOCALES.map((code) => ({ value: code, text: LOCALE_NAMES[code] }))}
        />
        <SignDaysField field={form.field('sign_days')} />
      </div>
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" tone="primary" busy={form.busy}>{t('admin.issueAction')}</Button>
      </div>
    </form>
  );
}
