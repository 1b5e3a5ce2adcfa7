import { useReadPages } from '#platform/ui/calls/pages.ts';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Table, type Column } from '#platform/ui/controls/lists/table.tsx';
import { Loaded, Section } from '#platform/ui/surfaces/section.tsx';
import { EmptyState } from '#platform/ui/surfaces/states.tsx';
import { RelativeTime, TokenAmount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { PersonButton } from '#product/rooms/web/person-card.tsx';
import { getSharecamReceipts } from '../../client.ts';
import type { SharecamReceiptView } from '../../contract/sharecam.ts';
import { Clock, Cost } from '../private/amounts.tsx';

/** Receipts of paid cameras, newest first. */
export function CameraReceipts() {
  const { t } = useTranslation('shows');
  const read = useReadPages(getSharecamReceipts, {});
  return (
    <Section anchor="cameras" title={t('sharecam.receipts')} lead={t('account.receiptsLead')}>
      <Loaded read={read} height="h-32">
        {({ pages }) => {
          const receipts = pages.flatMap((page) => page.receipts);
          if (receipts.length === 0) return <EmptyState text={t('sharecam.none')} />;
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

function ReceiptTable({ receipts }: { receipts: readonly SharecamReceiptView[] }) {
  const { t } = useTranslation('shows');
  const me = useMe()?.user.username;
  const columns: readonly Column<SharecamReceiptView>[] = [
    { key: 'when', text: t('account.when'), cell: ({ ended_at: at }) => <RelativeTime at={at} /> },
    {
      key: 'with',
      text: t('account.with'),
      // Only the camera's viewer is shown why it ended.
      cell: (
        { username, broadcaster, reason_ended: reason },
      ) => (broadcaster === me ? <PersonButton username={username} /> : (
        <>
          <PersonButton username={broadcaster} />
          <span className="block text-xs break-words text-muted">
            {t(`sharecam.over.${reason}`, { name: broadcaster })}
          </span>
        </>
      )),
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
      key: 'free',
      text: t('private.free'),
      numeric: true,
      wide: true,
      cell: ({ free_seconds: { performer, viewer } }) => <Clock seconds={performer + viewer} />,
    },
    {
      key: 'released',
      text: t('private.released'),
      numeric: true,
      wide: true,
      cell: ({ released }) => <TokenAmount tokens={released} />,
    },
  ];
  return (
    <Table
      blocks
      caption={t('sharecam.receipts')}
      columns={columns}
      rows={receipts}
      keyOf={({ id }) => id}
    />
  );
}
