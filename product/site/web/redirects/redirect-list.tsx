import type { OutputOf } from '#platform/contract/call.ts';
import { problemOf, queryKeyOf, useCache } from '#platform/ui/calls/calls.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { TextField } from '#platform/ui/controls/fields.tsx';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Table, type Column } from '#platform/ui/controls/lists/table.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Pill, type PillTone } from '#platform/ui/surfaces/card.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { EmptyState, ErrorState, FormError, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { listRedirectKeys, withdrawRedirectKey } from '../../client.ts';
import { MAX_REASON_LENGTH, MIN_REASON_LENGTH } from '../../rules.ts';
import type { RedirectState } from '../../rules/redirects.ts';

type Key = OutputOf<typeof listRedirectKeys>['keys'][number];
const TONES: Readonly<Record<RedirectState, PillTone>> = {
  active: 'online',
  withdrawn: 'quiet',
  expired: 'quiet',
  used_up: 'quiet',
  host_removed: 'warning',
};

/** All redirect keys, newest first. */
export function RedirectList() {
  const { t } = useTranslation('site');
  const read = useReadPages(listRedirectKeys, {});
  const [withdrawing, setWithdrawing] = useState<number | null>(null);
  const { data, error, refetch } = read;
  const keys = data?.pages.flatMap((page) => page.keys);
  return (
    <>
      {error && !keys
        ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />
        : !keys
        ? (
          <div aria-busy>
            <Skeleton className="h-64" />
          </div>
        )
        : keys.length === 0
        ? <EmptyState text={t('redirects.empty')} />
        : <Keys keys={keys} onWithdraw={({ id }) => setWithdrawing(id)} />}
      <MorePages read={read} />
      {withdrawing === null ? null : <Withdrawal id={withdrawing} onClose={() => setWithdrawing(null)} />}
    </>
  );
}

function Keys({ keys, onWithdraw }: {
  readonly keys: readonly Key[];
  readonly onWithdraw: (key: Key) => void;
}) {
  const { t, i18n } = useTranslation('site');
  const count = (value: number): string => formatCount(value, i18n.language);
  const columns: readonly Column<Key>[] = [
    {
      key: 'target',
      text: t('redirects.target'),
      cell: ({ target, note }) => (
        <>
          <span className="font-medium wrap-anywhere">{target}</span>
          {note === '' ? null : (
            <span className="block text-muted wrap-anywhere">
              <Typed>{note}</Typed>
            </span>
          )}
        </>
      ),
    },
    {
      key: 'state',
      text: t('redirects.state'),
      cell: ({ state }) => <Pill tone={TONES[state]}>{t(`redirects.states.${state}`)}</Pill>,
    },
    {
      key: 'uses',
      text: t('redirects.uses'),
      numeric: true,
      cell: (
        { uses, max_uses: most },
      ) => (most === null ? count(uses) : t('redirects.usedOf', { uses: count(uses), most: count(most) })),
    },
    { key: 'expires', text: t('redirects.expires'), cell: ({ expires_at: at }) => <Moment at={at} /> },
    {
      key: 'actions',
      text: t('redirects.actions'),
      cell: (
        key,
      ) => (key.state === 'withdrawn'
        ? null
        : (
          <Button aria-label={t('redirects.withdrawOf', { id: key.id })} onClick={() => onWithdraw(key)}>
            {t('redirects.withdraw')}
          </Button>
        )),
    },
  ];
  return <Table blocks caption={t('redirects.list')} columns={columns} rows={keys} keyOf={({ id }) => id} />;
}

function Withdrawal({ id, onClose }: { readonly id: number; readonly onClose: () => void }) {
  const { t } = useTranslation('site');
  const cache = useCache();
  const toast = useToast();
  const form = useForm(withdrawRedirectKey, {
    shape: async () => (await import('../../contract/redirects.ts')).withdrawRedirectKey,
    read: (fields) => ({ id, reason: textOf(fields, 'reason').trim() }),
    onDone: async () => {
      await cache.invalidateQueries({ queryKey: queryKeyOf(listRedirectKeys) });
      toast(t('redirects.withdrawn'), 'success');
      onClose();
    },
  });
  return (
    <Dialog
      title={t('redirects.withdrawTitle')}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('redirects.cancel')}</Button>
          <Button type="submit" form="withdraw-redirect" tone="danger" busy={form.busy}>
            {t('redirects.withdraw')}
          </Button>
        </>
      }
    >
      <form id="withdraw-redirect" {...form.props} className="flex flex-col gap-4">
        <p>{t('redirects.withdrawText')}</p>
        <TextField
          {...form.field('reason')}
          label={t('redirects.reason')}
          hint={t('redirects.reasonHint')}
          required
          minLength={MIN_REASON_LENGTH}
          maxLength={MAX_REASON_LENGTH}
          autoComplete="off"
        />
        <FormError problem={form.problem} />
      </form>
    </Dialog>
  );
}
