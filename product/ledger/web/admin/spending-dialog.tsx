import { useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Select, TextArea } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState, type ReactNode } from 'react';
import { getSpendingState, setSpendingState } from '../../client.ts';
import { useStale } from '../live-past.ts';
import { TokensAndValue } from '../values.tsx';
import type { SpendingState } from '../views.ts';

/** Shows what restricts a person's spending, and closes or opens it with a reason for the audit log. */
export function SpendingButton({ username }: { username: string }) {
  const { t } = useTranslation('ledger');
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button onClick={() => setAsking(true)}>{t('web.standing.title', { name: username })}</Button>
      {asking ? <SpendingDialog username={username} onClose={() => setAsking(false)} /> : null}
    </>
  );
}

function SpendingDialog({ username, onClose }: { username: string; onClose: () => void }) {
  const { t } = useTranslation('ledger');
  const toast = useToast();
  const stale = useStale(getSpendingState);
  const read = useRead(getSpendingState, { username });
  const form = useForm(setSpendingState, {
    shape: async () => (await import('../../contract/limits.ts')).setSpendingState,
    read: (fields) => ({
      username,
      blocked: textOf(fields, 'blocked') === 'closed',
      reason: textOf(fields, 'reason').trim(),
    }),
    onDone: async ({ blocked }) => {
      await stale();
      toast(t(blocked ? 'web.standing.isClosed' : 'web.standing.isOpen', { name: username }), 'success');
      onClose();
    },
  });
  const id = 'set-standing';
  return (
    <Dialog
      title={t('web.standing.title', { name: username })}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('web.cancel')}</Button>
          <Button type="submit" form={id} tone="danger" busy={form.busy} disabled={!read.data}>
            {t('web.standing.set')}
          </Button>
        </>
      }
    >
      <Loaded read={read} height="h-72">
        {(spending) => (
          <form id={id} {...form.props} className="flex flex-col gap-4">
            <Current spending={spending} />
            <Select
              {...form.field('blocked')}
              label={t('web.standing.change')}
              defaultValue={spending.blocked ? 'open' : 'closed'}
              hint={t('web.standing.hint')}
              options={[
                { value: 'closed', text: t('web.standing.close') },
                { value: 'open', text: t('web.standing.reopen') },
              ]}
            />
            <TextArea
              {...form.field('reason')}
              label={t('web.admin.reason')}
              hint={t('web.admin.reasonHint')}
              required
              minLength={3}
              maxLength={500}
            />
            <FormError problem={form.problem} />
          </form>
        )}
      </Loaded>
    </Dialog>
  );
}

/** What closes spending now, since when and why; with balance, credit limit and debt. */
function Current({ spending }: { spending: SpendingState }) {
  const { t } = useTranslation('ledger');
  const { blocked, tokens, credit_tokens: credit, debt_tokens: debt } = spending;
  const { cooling_off_until: cooling, self_excluded_until: excluded } = spending;
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2 rounded-control bg-raised p-3 text-sm">
      <Line term={t('web.standing.spending')}>
        {blocked === null ? t(cooling ?? excluded ? 'web.standing.paused' : 'web.standing.open') : (
          <>
            <span className="font-bold text-danger-text">{t(`web.standing.by.${blocked.cause}`)}</span>{' '}
            <Moment at={blocked.at} show="utc" />
            <span className="block break-words text-muted">
              <Typed>{blocked.reason}</Typed>
            </span>
          </>
        )}
      </Line>
      {cooling === null
        ? null
        : (
          <Line term={t('web.standing.break')}>
            <Moment at={cooling} show="utc" />
          </Line>
        )}
      {excluded === null
        ? null
        : (
          <Line term={t('web.standing.exclusion')}>
            <Moment at={excluded} show="utc" />
          </Line>
        )}
      <Line term={t('web.standing.balance')}>
        <TokensAndValue tokens={tokens} />
      </Line>
      <Line term={t('web.standing.credit')}>
        <TokensAndValue tokens={credit} />
      </Line>
      <Line term={t('web.standing.debt')}>
        <TokensAndValue tokens={debt} />
      </Line>
    </dl>
  );
}

function Line({ term, children }: { term: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{term}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  );
}
