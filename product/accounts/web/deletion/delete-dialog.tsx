import type { OutputOf } from '#platform/contract/call.ts';
import { problemOf, useRead } from '#platform/ui/calls/calls.ts';
import { useLiveStore } from '#platform/ui/calls/live-state.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { ErrorState, FormError, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { ReactNode } from 'react';
import { getDeletion, requestDeletion } from '../../client.ts';
import { LOG_OUT } from '../logout.ts';
import { LogInAgain, PROOF_FIELD_OF, ProofFields, proofIn } from '../settings/life/proof.tsx';
import { rememberLeaving } from './leaving-day.ts';

type Preview = OutputOf<typeof getDeletion>;
const FIELD_OF = { ...PROOF_FIELD_OF, name_not_typed: 'username' } as const;

/** Explains a deletion in numbers, and asks for proof and confirmation. */
export default function DeleteDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('accounts');
  const { data, error, refetch } = useRead(getDeletion, {});
  return (
    <Dialog title={t('deletion.ask')} onClose={onClose}>
      {data
        ? <Content preview={data} onClose={onClose} />
        : error
        ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />
        : (
          <div aria-busy>
            <Skeleton className="h-64" />
          </div>
        )}
    </Dialog>
  );
}

interface ContentProps {
  readonly preview: Preview;
  readonly onClose: () => void;
}

function Content({ preview, onClose }: ContentProps) {
  const { t } = useTranslation('accounts');
  if (preview.obstacle === 'last_admin') return <p>{t('deletion.lastAdmin')}</p>;
  if (preview.obstacle === 'debt_open') {
    return (
      <div className="flex flex-col gap-4">
        <p>{t('deletion.debt')}</p>
        <div>
          <ButtonLink to="/tokens" tone="primary">{t('deletion.debtPay')}</ButtonLink>
        </div>
      </div>
    );
  }
  return (
    <div className="flex flex-col gap-4">
      <ul className="flex list-disc flex-col gap-2 pl-5">
        {consequencesOf(preview, t).map(([key, text]) => <li key={key}>{text}</li>)}
      </ul>
      {preview.confirmation === 'log_in'
        ? <LogInAgain />
        : <DeleteForm preview={preview} onClose={onClose} />}
    </div>
  );
}

type Translate = ReturnType<typeof useTranslation<'accounts'>>['t'];

function consequencesOf(
  { deletion_at: at, tokens, earned, membership }: Preview,
  t: Translate,
): readonly (readonly [string, ReactNode])[] {
  return [
    ['hidden', t('deletion.hidden')],
    [
      'until',
      (
        <>
          {t('deletion.until')}{' '}
          <strong>
            <Moment at={at} show="day" />
          </strong>. {t('deletion.undo')}
        </>
      ),
    ],
    ...(tokens > 0 ? [['tokens', t('deletion.tokens', { count: tokens })] as const] : []),
    ...(earned > 0 ? [['earned', t('deletion.earned', { count: earned })] as const] : []),
    ...(membership ? [['membership', t('deletion.membership', { name: membership.name })] as const] : []),
    ['stays', t('deletion.stays')],
  ];
}

function DeleteForm({ preview: { username, confirmation }, onClose }: ContentProps) {
  const { t } = useTranslation('accounts');
  const store = useLiveStore();
  const form = useForm(requestDeletion, {
    shape: async () => (await import('../../contract/life/deletion.ts')).requestDeletion,
    read: (fields) => {
      // The session's end must not reload the page: the answer says where to go.
      store.change(LOG_OUT, () => 'asked');
      return { username: textOf(fields, 'username').trim(), ...proofIn(fields) };
    },
    fieldOf: FIELD_OF,
    onRefused: (problem) => {
      store.change(LOG_OUT, () => 'none');
      return problem;
    },
    // A new document, because nothing on this page belongs to the guest now.
    onDone: ({ deletion_at: at }) => {
      rememberLeaving(at);
      location.assign('/account/leaving');
    },
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <TextField
        {...form.field('username')}
        label={t('deletion.typeName', { username })}
        required
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={25}
      />
      <ProofFields form={form} confirmation={confirmation} />
      <FormError problem={form.problem} />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>{t('deletion.keepIt')}</Button>
        <Button type="submit" tone="danger" busy={form.busy}>{t('deletion.submit')}</Button>
      </div>
    </form>
  );
}
