import type { OutputOf } from '#platform/contract/call.ts';
import { useRead } from '#platform/ui/calls/calls.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox, TextField } from '#platform/ui/controls/fields.tsx';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Table, type Column } from '#platform/ui/controls/lists/table.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Loaded, Section } from '#platform/ui/surfaces/section.tsx';
import { EmptyState, FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { RelativeTime, TokenAmount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { MAX_RATE, MIN_RATE } from '#product/performers/rules.ts';
import { PersonButton } from '#product/rooms/web/person-card.tsx';
import { getShowSettings, getSpyReceipts, saveShowSettings } from '../../client.ts';
import type { SpyReceiptView } from '../../contract/spying.ts';
import { MAX_STARTUP_TIP_TOKENS } from '../../rules/spying.ts';
import { Clock, Cost } from '../private/amounts.tsx';
import { showOffer } from './live.ts';
import { SaidLink } from './said-link.tsx';

type SpyOffer = OutputOf<typeof getShowSettings>['spy'];

/** A performer's offer of spying. */
export function SpyOfferSection() {
  const { t } = useTranslation('shows');
  const read = useRead(getShowSettings, {});
  return (
    <Section anchor="spying" title={t('spying.settings.title')} lead={t('spying.settings.lead')}>
      <Loaded read={read} height="h-48">{({ spy }) => <SpyForm offer={spy} />}</Loaded>
    </Section>
  );
}

function SpyForm({ offer }: { offer: SpyOffer }) {
  const { t } = useTranslation('shows');
  const toast = useToast();
  const form = useForm(saveShowSettings, {
    shape: async () => (await import('../../contract/settings.ts')).saveShowSettings,
    read: (fields) => ({
      spy: {
        isEnabled: fields.has('isEnabled'),
        pricePerMinuteInToken: Number(textOf(fields, 'pricePerMinuteInToken')),
        startupTipInToken: Number(textOf(fields, 'startupTipInToken')),
      },
    }),
    applied: showOffer,
    onDone: () => toast(t('offer.saved'), 'success'),
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <Checkbox
        {...form.field('isEnabled')}
        defaultChecked={offer.isEnabled}
        label={
          <>
            {t('spying.settings.isEnabled')}
            <span className="block text-xs text-muted">{t('spying.settings.hint')}</span>
          </>
        }
      />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField
          {...form.field('pricePerMinuteInToken')}
          type="number"
          inputMode="numeric"
          required
          step={1}
          min={MIN_RATE}
          max={MAX_RATE}
          label={t('spying.settings.price')}
          defaultValue={offer.pricePerMinuteInToken}
        />
        <TextField
          {...form.field('startupTipInToken')}
          type="number"
          inputMode="numeric"
          required
          step={1}
          min={0}
          max={MAX_STARTUP_TIP_TOKENS}
          label={t('spying.settings.tip')}
          hint={t('spying.settings.tipHint')}
          defaultValue={offer.startupTipInToken}
        />
      </div>
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" busy={form.busy}>{t('spying.settings.save')}</Button>
      </div>
    </form>
  );
}

/** Receipts of spying, newest first. A performer sees no names. */
export function SpyReceipts() {
  const { t } = useTranslation('shows');
  const read = useReadPages(getSpyReceipts, {});
  return (
    <Section anchor="spied" title={t('spying.receipts')} lead={t('account.receiptsLead')}>
      <Loaded read={read} height="h-32">
        {({ pages }) => {
          const receipts = pages.flatMap((page) => page.receipts);
          if (receipts.length === 0) return <EmptyState text={t('spying.none')} />;
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

function ReceiptTable({ receipts }: { receipts: readonly SpyReceiptView[] }) {
  const { t } = useTranslation('shows');
  const columns: readonly Column<SpyReceiptView>[] = [
    { key: 'when', text: t('account.when'), cell: ({ ended_at: at }) => <RelativeTime at={at} /> },
    {
      key: 'with',
      text: t('account.with'),
      cell: ({
        username,
        broadcaster,
        reason_ended: reason,
        seconds,
        private_id: show,
        ended_at: endedAt,
      }) => (username === null ? t('spying.somebody') : (
        <>
          <PersonButton username={broadcaster} />
          <span className="block text-xs break-words text-muted">{t(`spying.reason.${reason}`)}</span>
          {seconds > 0 ? <SaidLink kind="private" show={show} endedAt={endedAt} /> : null}
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
      cell: ({ cost_per_minute: price }) => (price === 0
        ? t('spying.free')
        : <Cost tokens={price} perMinute />),
    },
    {
      key: 'tokens',
      text: t('account.tokens'),
      numeric: true,
      cell: ({ tokens }) => <TokenAmount tokens={tokens} />,
    },
    {
      key: 'tip',
      text: t('spying.tip'),
      numeric: true,
      wide: true,
      cell: ({ startup_tip: tokens }) => <TokenAmount tokens={tokens} />,
    },
    {
      key: 'preview',
      text: t('spying.preview'),
      numeric: true,
      wide: true,
      cell: ({ preview_seconds: seconds }) => <Clock seconds={seconds} />,
    },
  ];
  return (
    <Table
      blocks
      caption={t('spying.receipts')}
      columns={columns}
      rows={receipts}
      keyOf={({ id }) => id}
    />
  );
}
