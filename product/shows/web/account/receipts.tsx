import { useReadPages } from '#platform/ui/calls/pages.ts';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Table, type Column } from '#platform/ui/controls/lists/table.tsx';
import { Loaded, Section } from '#platform/ui/surfaces/section.tsx';
import { EmptyState } from '#platform/ui/surfaces/states.tsx';
import { RelativeTime, TokenAmount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { PersonButton } from '#product/rooms/web/person-card.tsx';
import { getReceipts } from '../../client.ts';
import type { ReceiptView } from '../../contract/private-running.ts';
import { Clock, Cost } from '../private/amounts.tsx';
import { useWhy } from '../private/over.tsx';
import { RecordingOf } from '../recordings/recording-of.tsx';
import { SaidLink } from './said-link.tsx';

/** Receipts of private shows, newest first, with the numbers needed to check each sum. */
export function Receipts() {
  const { t } = useTranslation('shows');
  const read = useReadPages(getReceipts, {});
  return (
    <Section anchor="receipts" title={t('account.receipts')} lead={t('account.receiptsLead')}>
      <Loaded read={read} height="h-48">
        {({ pages }) => {
          const receipts = pages.flatMap((page) => page.receipts);
          if (receipts.length === 0) return <EmptyState text={t('account.none')} />;
          return (
            <>
              <ReceiptTable receipts={receipts} />
              <MorePages read={read} />
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

function ReceiptTable({ receipts }: { receipts: readonly ReceiptView[] }) {
  const { t } = useTranslation('shows');
  const me = useMe()?.user.username;
  const why = useWhy();
  const isPerformer = ({ broadcaster }: ReceiptView): boolean => broadcaster === me;
  const free = ({ free_seconds: seconds }: ReceiptView) =>
    [
      seconds.performer > 0 ? t('account.freePerformer', { count: seconds.performer }) : '',
      seconds.viewer > 0 ? t('account.freeViewer', { count: seconds.viewer }) : '',
    ].filter((text) => text !== '').join(', ');
  const columns: readonly Column<ReceiptView>[] = [
    { key: 'when', text: t('account.when'), cell: ({ ended_at: at }) => <RelativeTime at={at} /> },
    {
      key: 'with',
      text: t('account.with'),
      cell: (receipt) => (
        <>
          <PersonButton username={isPerformer(receipt) ? receipt.username : receipt.broadcaster} />
          <span className="block text-xs break-words text-muted">
            {why(receipt.reason_ended, isPerformer(receipt))}
          </span>
          <RecordingOf receipt={receipt} isPerformer={isPerformer(receipt)} />
          <SaidLink kind="private" show={receipt.id} endedAt={receipt.ended_at} />
        </>
      ),
    },
    {
      key: 'time',
      text: t('private.time'),
      numeric: true,
      cell: ({ seconds }) => <Clock seconds={seconds} />,
    },
    {
      key: 'price',
      text: t('private.price'),
      numeric: true,
      cell: ({ cost_per_minute: price }) => <Cost tokens={price} perMinute />,
    },
    {
      key: 'tokens',
      text: t('account.tokens'),
      numeric: true,
      cell: ({ tokens }) => <TokenAmount tokens={tokens} />,
    },
    {
      key: 'preTip',
      text: t('private.preTip'),
      numeric: true,
      wide: true,
      cell: ({ pre_tip: tokens }) => <TokenAmount tokens={tokens} />,
    },
    { key: 'free', text: t('private.free'), wide: true, cell: free },
    {
      key: 'released',
      text: t('private.released'),
      numeric: true,
      wide: true,
      cell: ({ released }) => <TokenAmount tokens={released} />,
    },
    {
      key: 'refund',
      text: t('private.refund'),
      numeric: true,
      wide: true,
      cell: ({ fanclub_refund: refund }) => <TokenAmount tokens={refund} />,
    },
  ];
  return (
    <Table
      blocks
      caption={t('account.receipts')}
      columns={columns}
      rows={receipts}
      keyOf={({ id }) => id}
    />
  );
}
