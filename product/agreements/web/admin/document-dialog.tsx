import type { OutputOf } from '#platform/contract/call.ts';
import { useCache, useCallAddress, useRead } from '#platform/ui/calls/calls.ts';
import { Button, FileLink } from '#platform/ui/controls/button.tsx';
import { useForm } from '#platform/ui/forms/form.ts';
import { Pill } from '#platform/ui/surfaces/card.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Download, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { downloadDocument, getDocument, withdrawDocument } from '../../client.ts';
import { STATUS_TONES } from '../document-lines.tsx';
import { rereadAll } from '../live.ts';
import { ReasonField, reasonOf } from './reason-field.tsx';

type Detail = OutputOf<typeof getDocument>;

/** Who signed a document and when, its proof and its history. */
export function DocumentDialog({ id, onClose }: { readonly id: number; readonly onClose: () => void }) {
  const { t } = useTranslation('agreements');
  const read = useRead(getDocument, { id });
  return (
    <Dialog size="large" title={t('admin.documentTitle', { id })} onClose={onClose}>
      <Loaded read={read} height="h-64">
        {(detail) => <Shown detail={detail} />}
      </Loaded>
    </Dialog>
  );
}

function Shown({ detail }: { readonly detail: Detail }) {
  const { t } = useTranslation('agreements');
  const addressOf = useCallAddress();
  const [isWithdrawing, setWithdrawing] = useState(false);
  const id = Number(detail.id);
  return (
    <div className="flex flex-col gap-6">
      {detail.is_intact
        ? null
        : (
          <p role="alert" className="flex gap-3 rounded-control border border-danger bg-raised px-4 py-3">
            <TriangleAlert size={20} aria-hidden className="shrink-0 text-danger-text" />
            {t('admin.damaged')}
          </p>
        )}
      <Facts detail={detail} />
      <History events={detail.events} />
      {detail.status === 'signed'
        ? (
          <div>
            <FileLink href={addressOf(downloadDocument, { id })} icon={<Download size={20} aria-hidden />}>
              {t('document.download')}
            </FileLink>
          </div>
        )
        : null}
      {detail.status === 'open'
        ? isWithdrawing
          ? <WithdrawForm id={id} onCancel={() => setWithdrawing(false)} />
          : (
            <div>
              <Button tone="danger" onClick={() => setWithdrawing(true)}>{t('admin.withdraw')}</Button>
            </div>
          )
        : null}
    </div>
  );
}

function Facts({ detail }: { readonly detail: Detail }) {
  const { t } = useTranslation('agreements');
  const { kind, title, version, status, username, signature, signed_at: signedAt, proof } = detail;
  return (
    <dl className="grid gap-x-6 gap-y-2 text-sm sm:grid-cols-[auto_1fr] [&_dd]:wrap-anywhere
        [&_dt]:text-muted">
      <dt>{t('admin.person')}</dt>
      <dd>@{username}</dd>
      <dt>{t('admin.templateTitle')}</dt>
      <dd>
        <Typed>{title}</Typed> · {t('document.version', { kind: t(`kinds.${kind}`), version })}
        {detail.is_current ? null : <span className="block text-muted">{t('admin.old')}</span>}
      </dd>
      <dt>{t('admin.status')}</dt>
      <dd>
        <Pill tone={STATUS_TONES[status]}>{t(`status.${status}`)}</Pill> {status === 'open'
          ? (
            <span className="text-muted">
              {t('document.signBy')} <Moment at={detail.expires_at} show="zone" />
            </span>
          )
          : null}
      </dd>
      {signature !== null && signedAt !== null
        ? (
          <>
            <dt>{t('admin.signature')}</dt>
            <dd>
              <Typed>{signature}</Typed> · <Moment at={signedAt} show="second" />
            </dd>
          </>
        )
        : null}
      <dt>{t('document.hash')}</dt>
      <dd className="font-mono text-xs leading-5">{detail.text_sha256}</dd>
      {proof
        ? (
          <>
            <dt>{t('admin.region')}</dt>
            <dd>{proof.region}</dd>
            <dt>{t('admin.seal')}</dt>
            <dd className="font-mono text-xs leading-5">{proof.seal}</dd>
          </>
        )
        : null}
    </dl>
  );
}

function History({ events }: Pick<Detail, 'events'>) {
  const { t } = useTranslation('agreements');
  return (
    <section aria-labelledby="document-events">
      <h3 id="document-events" className="mb-2 font-bold">{t('admin.events')}</h3>
      <ol className="flex flex-col gap-2 text-sm">
        {events.map(({ event, at, by, reason }) => (
          <li key={event}>
            <span className="font-medium">{t(`admin.event.${event}`)}</span>{' '}
            {by === null ? t('admin.bySite') : t('admin.byPerson', { name: `@${by}` })}
            {' · '}
            <Moment at={at} show="second" />
            {reason === null ? null : (
              <span className="block text-muted wrap-anywhere">
                <Typed>{reason}</Typed>
              </span>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

function WithdrawForm({ id, onCancel }: { readonly id: number; readonly onCancel: () => void }) {
  const { t } = useTranslation('agreements');
  const cache = useCache();
  const toast = useToast();
  const form = useForm(withdrawDocument, {
    shape: async () => (await import('../../contract/admin.ts')).withdrawDocument,
    read: (fields) => ({ id, reason: reasonOf(fields) }),
    onDone: async () => {
      await rereadAll(cache);
      toast(t('admin.withdrawn'), 'success');
    },
  });
  return (
    <form
      {...form.props}
      aria-label={t('admin.withdrawTitle')}
      className="flex flex-col gap-4 rounded-card border border-line p-4"
    >
      <p className="text-sm">
        <span className="block font-bold">{t('admin.withdrawTitle')}</span>
        {t('admin.withdrawText')}
      </p>
      <ReasonField field={form.field('reason')} />
      <FormError problem={form.problem} />
      <div className="flex flex-wrap justify-end gap-3">
        <Button onClick={onCancel}>{t('admin.cancel')}</Button>
        <Button type="submit" tone="danger" busy={form.busy}>{t('admin.withdraw')}</Button>
      </div>
    </form>
  );
}
