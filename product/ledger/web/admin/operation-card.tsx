import { keyOf } from '#platform/text/message-keys.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Table, type Column } from '#platform/ui/controls/lists/table.tsx';
import { Card, Pill } from '#platform/ui/surfaces/card.tsx';
import { formatCount, TokenAmount } from '#platform/ui/text/amounts.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { useKindText } from '../history/kinds.ts';
import { Change } from '../values.tsx';
import type { Found } from '../views.ts';
import { ReverseDialog } from './reverse-dialog.tsx';

interface CardProps {
  readonly operation: Found;
  readonly paymentsPath: string;
  /** Expanded from the start. */
  readonly open: boolean;
}

/** One operation: a summary, and all its rows. */
export function OperationCard({ operation, paymentsPath, open }: CardProps) {
  const { t } = useTranslation('ledger');
  const kindText = useKindText();
  const [reversing, setReversing] = useState(false);
  const { kind, at, reversed_by: reversedBy, is_reversed: isReversed, reverses, memo } = operation;
  const isReversible = !isReversed && reverses === null && operation.hold === null;
  const order = typeof memo['order'] === 'string' ? memo['order'] : null;
  return (
    <Card className="p-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h3 className="font-bold">{kindText(kind)}</h3>
        <span className="text-sm text-muted">
          <Moment at={at} show="utc" />
        </span>
        {reversedBy.length === 0
          ? null
          : <Pill tone="warning">{t(isReversed ? 'web.admin.reversed' : 'web.admin.partlyReversed')}</Pill>}
        <span className="tabular grow text-right text-xs break-all text-muted max-sm:basis-full
          max-sm:text-left">
          {operation.operation}
        </span>
      </div>
      <p className="flex flex-wrap gap-x-4 gap-y-1 pt-2 text-sm">
        {operation.legs.filter(({ person }) => person !== null).map((leg) => (
          <span key={`${leg.person?.id} ${leg.account}`} className="inline-flex items-center gap-1">
            <PersonLink leg={leg} />
            <span className="text-muted">{t(keyOf('ledger', 'web.admin.books', leg.account))}</span>
            <Change tokens={leg.tokens} />
          </span>
        ))}
      </p>
      <details open={open} className="-mb-2">
        <summary className="inline-flex min-h-11 items-center text-sm text-link hover:underline">
          {t('web.admin.details')}
        </summary>
        <Details operation={operation} />
        <div className="flex flex-wrap items-center gap-3 pt-4 pb-2">
          {isReversible
            ? <Button tone="danger" onClick={() => setReversing(true)}>{t('web.admin.reverse')}</Button>
            : null}
          {order === null
            ? null
            : (
              <Link
                className="inline-flex min-h-11 items-center text-sm text-link hover:underline"
                to={`${paymentsPath}?order=${encodeURIComponent(order)}`}
              >
                {t('web.admin.payment')}
              </Link>
            )}
          {reversedBy.map((id) => <OperationLink key={id} text="web.admin.reversedBy" id={id} />)}
          <OperationLink text="web.admin.reverses" id={reverses} />
        </div>
      </details>
      {reversing ? <ReverseDialog operation={operation} onClose={() => setReversing(false)} /> : null}
    </Card>
  );
}

type Leg = Found['legs'][number];

function PersonLink({ leg: { person } }: { leg: Leg }) {
  if (person === null) return null;
  return (
    <Link
      className="text-link hover:underline"
      to={`/admin/ledger?username=${encodeURIComponent(person.username)}`}
    >
      @{person.username}
    </Link>
  );
}

function OperationLink({ text, id }: {
  text: 'web.admin.reversedBy' | 'web.admin.reverses';
  id: string | null;
}) {
  const { t } = useTranslation('ledger');
  if (id === null) return null;
  return (
    <Link
      className="inline-flex min-h-11 items-center text-sm break-all text-link hover:underline"
      to={`/admin/ledger?operation=${id}`}
    >
      {t(text, { id })}
    </Link>
  );
}

function Details({ operation }: { operation: Found }) {
  const { t, i18n } = useTranslation('ledger');
  const count = (value: number): string => formatCount(value, i18n.language);
  const cents = (value: number): string =>
    new Intl.NumberFormat(i18n.language, {
      minimumFractionDigits: 2,
      maximumFractionDigits: 2,
    }).format(value / 100);
  const legs: readonly Column<Leg>[] = [
    {
      key: 'account',
      text: t('web.admin.account'),
      cell: (leg) => (
        <>
          {leg.person
            ? (
              <>
                <PersonLink leg={leg} />
                {' '}
              </>
            )
            : null}
          {t(keyOf('ledger', 'web.admin.books', leg.account))}
        </>
      ),
    },
    {
      key: 'tokens',
      text: t('web.history.tokens'),
      numeric: true,
      cell: (leg) => <Change tokens={leg.tokens} />,
    },
    {
      key: 'balance',
      text: t('web.history.balance'),
      numeric: true,
      cell: (leg) => (leg.balance === null ? '' : <TokenAmount tokens={leg.balance} />),
    },
  ];
  const lots: readonly Column<Found['lots'][number]>[] = [
    { key: 'id', text: t('web.admin.lot'), cell: ({ id }) => id },
    {
      key: 'from',
      text: t('web.admin.origin'),
      cell: ({ promotional }) => t(promotional ? 'web.admin.given' : 'web.admin.bought'),
    },
    { key: 'backing', text: t('web.admin.backing'), numeric: true, cell: (lot) => cents(lot.backing_cents) },
    {
      key: 'marketing',
      text: t('web.admin.marketing'),
      numeric: true,
      cell: (lot) => cents(lot.marketing_cents),
    },
    { key: 'tokens', text: t('web.history.tokens'), numeric: true, cell: ({ tokens }) => count(tokens) },
    { key: 'left', text: t('web.admin.left'), numeric: true, cell: (lot) => count(lot.tokens_left) },
  ];
  const { hold, memo, facts, draws } = operation;
  return (
    <div className="flex flex-col gap-4">
      <Table
        caption={t('web.admin.legs')}
        columns={legs}
        rows={operation.legs}
        keyOf={({ person, account }) => `${person?.id ?? ''} ${account}`}
      />
      <Part title={t('web.admin.money')} rows={operation.money}>
        {({ account, minor, currency }) => `${account}: ${minor > 0 ? '+' : ''}${count(minor)} ${currency}`}
      </Part>
      {operation.lots.length === 0
        ? null
        : <Table caption={t('web.admin.lots')} columns={lots} rows={operation.lots} keyOf={({ id }) => id} />}
      <Part title={t('web.admin.draws')} rows={draws}>
        {({ lot, tokens }) => t('web.admin.draw', { lot, count: tokens, tokens: count(tokens) })}
      </Part>
      {hold === null ? null : (
        <p className="text-sm">
          {t('web.admin.hold', {
            count: hold.tokens,
            tokens: count(hold.tokens),
            left: count(hold.tokens_left),
          })} <Moment at={hold.closed_at ?? hold.expires_at} show="utc" />
        </p>
      )}
      <Part title={t('web.admin.facts')} rows={facts}>
        {({ name, key, payload }) => (
          <>
            {name} ({key}) <Json value={payload} />
          </>
        )}
      </Part>
      <div className="text-sm">
        <h4 className="font-medium text-muted">{t('web.admin.memo')}</h4>
        <Json value={memo} />
      </div>
    </div>
  );
}

/** A list of an operation's rows; nothing if there are none. */
function Part<Row>({ title, rows, children }: {
  title: string;
  rows: readonly Row[];
  children: (row: Row) => ReactNode;
}) {
  if (rows.length === 0) return null;
  return (
    <div className="text-sm">
      <h4 className="font-medium text-muted">{title}</h4>
      <ul className="tabular">{rows.map((row, at) => <li key={at}>{children(row)}</li>)}</ul>
    </div>
  );
}

function Json({ value }: { value: unknown }) {
  const text = JSON.stringify(value, null, 1);
  return <code className="block text-xs break-all whitespace-pre-wrap">{text}</code>;
}
