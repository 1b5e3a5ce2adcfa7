import type { OutputOf } from '#platform/contract/call.ts';
import { useCache } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { LOCALE_NAMES } from '#product/site/rules.ts';
import { discardDraft, publishTemplate, type listTemplates } from '../../client.ts';
import { MAX_SIGN_DAYS, SIGN_DAYS, type DocumentKind } from '../../rules.ts';
import { rereadAll } from '../live.ts';
import { ReasonField, reasonOf } from './reason-field.tsx';

interface DraftProps {
  readonly kind: DocumentKind;
  readonly draft: NonNullable<OutputOf<typeof listTemplates>['templates'][number]['draft']>;
  readonly onClose: () => void;
}

/** Publishes a draft, and issues it to everybody who must have it. */
export function PublishDialog({ kind, draft: { version, languages }, onClose }: DraftProps) {
  const { t } = useTranslation('agreements');
  const cache = useCache();
  const toast = useToast();
  const form = useForm(publishTemplate, {
    shape: async () => (await import('../../contract/admin.ts')).publishTemplate,
    read: (fields) => ({
      kind,
      version,
      issue_to_all: fields.has('issue_to_all'),
      sign_days: Number(textOf(fields, 'sign_days')),
      reason: reasonOf(fields),
    }),
    onDone: async () => {
      await rereadAll(cache);
      toast(t('admin.published', { version }), 'success');
      onClose();
    },
  });
  const names = languages.map((language) => LOCALE_NAMES[language]).join(', ');
  return (
    <Dialog
      title={t('admin.publishTitle', { version })}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('admin.cancel')}</Button>
          <Button type="submit" form="publish-template" tone="primary" busy={form.busy}>
            {t('admin.action.publish')}
          </Button>
        </>
      }
    >
      <form id="publish-template" {...form.props} className="flex flex-col gap-4">
        <p>{t('admin.publishText')}</p>
        <p className="text-sm text-muted">{t('admin.publishLanguages', { languages: names })}</p>
        <Checkbox {...form.field('issue_to_all')} label={t('admin.issueToAll')} />
        <SignDaysField field={form.field('sign_days')} />
        <ReasonField field={form.field('reason')} />
        <FormError problem={form.problem} />
      </form>
    </Dialog>
  );
}

/** How long people have to sign. */
export function SignDaysField(
  { field }: { readonly field: ReturnType<ReturnType<typeof useForm>['field']> },
) {
  const { t } = useTranslation('agreements');
  return (
    <TextField
      {...field}
      label={t('admin.signDays')}
      type="number"
      required
      min={1}
      max={MAX_SIGN_DAYS}
      defaultValue={SIGN_DAYS}
    />
  );
}

/** Deletes a draft. */
export function DiscardDialog({ kind, draft: { version }, onClose }: DraftProps) {
  const { t } = useTranslation('agreements');
  const cache = useCache();
  const toast = useToast();
  const form = useForm(discardDraft, {
    shape: async () => (await import('../../contract/admin.ts')).discardDraft,
    read: (fields) => ({ kind, version, reason: reasonOf(fields) }),
    onDone: async () => {
      await rereadAll(cache);
      toast(t('admin.discarded'), 'success');
      onClose();
    },
  });
  return (
    <Dialog
      title={t('admin.discardTitle')}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('admin.cancel')}</Button>
          <Button type="submit" form="discard-draft" tone="danger" busy={form.busy}>
            {t('admin.action.discard')}
          </Button>
        </>
      }
    >
      <form id="discard-draft" {...form.props} className="flex flex-col gap-4">
        <p>{t('admin.discardText')}</p>
        <ReasonField field={form.field('reason')} />
        <FormError problem={form.problem} />
      </form>
    </Dialog>
  );
}
