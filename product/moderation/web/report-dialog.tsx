import { keyOf } from '#platform/text/message-keys.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Select, TextArea } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { detailsMissing, sendReport } from '../client.ts';
import { isUrgent, MAX_DETAILS_LENGTH, REPORT_REASONS, type ReportReason } from '../rules.ts';
import type { ReportTarget } from './target.ts';

const FIELD_OF = { [detailsMissing.code]: 'details' };

interface ReportDialogProps {
  readonly target: ReportTarget;
  readonly onClose: () => void;
}

/** Asks for the reason, sends the report, and confirms it. The input stays until it is sent. */
export default function ReportDialog({ target, onClose }: ReportDialogProps) {
  const { t } = useTranslation('moderation');
  const [isSent, setSent] = useState(false);
  const title = t(`report.do.${target.kind}`, { name: target.name });
  return (
    <Dialog title={isSent ? t('report.thanks') : title} onClose={onClose}>
      {isSent
        ? (
          <div className="flex flex-col gap-4">
            <p role="status">{t('report.sent')}</p>
            <div className="flex justify-end">
              <Button tone="primary" onClick={onClose}>{t('report.done')}</Button>
            </div>
          </div>
        )
        : <ReportForm target={target} onSent={() => setSent(true)} onClose={onClose} />}
    </Dialog>
  );
}

function ReportForm(
  { target, onSent, onClose }: ReportDialogProps & { readonly onSent: () => void },
) {
  const { t } = useTranslation('moderation');
  const { kind, username, id, within } = target;
  const [reason, setReason] = useState<ReportReason | ''>('');
  const form = useForm(sendReport, {
    shape: async () => (await import('../contract.ts')).sendReport,
    read: (fields) => ({
      kind,
      username,
      ...(id === undefined ? {} : { id }),
      ...(within === undefined ? {} : { within }),
      reason: textOf(fields, 'reason') as ReportReason,
      details: textOf(fields, 'details').trim(),
    }),
    fieldOf: FIELD_OF,
    onDone: onSent,
  });
  const field = form.field('reason');
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <p className="text-sm text-muted">{t('report.lead')}</p>
      <Select
        {...field}
        label={t('report.reason')}
        required
        placeholder={t('report.choose')}
        options={REPORT_REASONS.map((one) => ({ value: one, text: t(keyOf('moderation', 'reasons', one)) }))}
        onChange={(change) => {
          setReason(change.target.value as ReportReason | '');
          field.onChange(change);
        }}
      />
      {reason !== '' && isUrgent(reason)
        ? <p role="status" className="text-sm text-warning-text">{t('report.urgent')}</p>
        : null}
      <TextArea
        {...form.field('details')}
        label={t(
          reason === 'other'
            ? 'report.details'
            : 'report.detailsOptional',
        )}
        hint={t('report.detailsHint')}
        rows={4}
        required={reason === 'other'}
        maxLength={MAX_DETAILS_LENGTH}
      />
      <FormError problem={form.problem} />
      <div className="flex flex-wrap justify-end gap-3">
        <Button onClick={onClose}>{t('report.cancel')}</Button>
        <Button type="submit" tone="primary" busy={form.busy}>{t('report.send')}</Button>
      </div>
    </form>
  );
}
