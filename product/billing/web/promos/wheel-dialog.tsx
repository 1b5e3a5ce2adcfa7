import { problemOf, useAction, useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Table } from '#platform/ui/controls/lists/table.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { EmptyState, ErrorState, FormError, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { TokenAmount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { useState } from 'react';
import { getSpins, spin } from '../../client.ts';
import { useReloadMoney } from '../live.ts';
import type { StepProps } from '../steps.ts';

/**
 * The promo wheel and the vault's free wheel: drawn on the server, with all odds shown. No animation suggests
 * a near miss.
 */
export function WheelDialog({ vault, onClose }: StepProps & { readonly vault: boolean }) {
  const { t } = useTranslation('billing');
  const wheel = useRead(getSpins, {});
  const content = () => {
    if (wheel.error && !wheel.data) {
      return <ErrorState problem={problemOf(wheel.error)} onRetry={() => void wheel.refetch()} />;
    }
    if (!wheel.data) return <Skeleton className="h-64" />;
    if (!wheel.data.enabled) return <EmptyState text={t('web.wheel.off')} />;
    return <Wheel vault={vault} spins={wheel.data.spins} prizes={wheel.data.prizes} />;
  };
  return (
    <Dialog title={t(vault ? 'web.wheel.vaultTitle' : 'web.wheel.title')} onClose={onClose}>
      {content()}
    </Dialog>
  );
}

interface WheelProps {
  readonly vault: boolean;
  readonly spins: number;
  readonly prizes: readonly { readonly tokens: number; readonly odds: number }[];
}

function Wheel({ vault, spins, prizes }: WheelProps) {
  const { t, i18n } = useTranslation('billing');
  const me = useMe();
  const action = useAction(spin);
  const reload = useReloadMoney();
  const [key, setKey] = useState(() => crypto.randomUUID());
  const [prize, setPrize] = useState<number | null>(null);
  const left = vault ? me?.user.vault_wheel?.spins ?? 0 : spins;
  const odds = new Intl.NumberFormat(i18n.language, { style: 'percent', maximumFractionDigits: 2 });
  const press = async () => {
    const answer = await action.run({ vault }, { idempotencyKey: key });
    if (!answer) return;
    setPrize(answer.prize);
    setKey(crypto.randomUUID());
    await reload();
  };
  return (
    <div className="flex flex-col gap-4">
      <p role="status" className="min-h-11 rounded-control bg-raised px-4 py-3 text-center text-lg font-bold">
        {prize === null
          ? t('web.wheel.left', { count: left })
          : (
            <>
              {t('web.wheel.won')} <TokenAmount tokens={prize} />
            </>
          )}
      </p>
      <FormError problem={action.problem} />
      <Button tone="primary" wide busy={action.busy} disabled={left === 0} onClick={() => void press()}>
        {t('web.wheel.spin')}
      </Button>
      <Table
        caption={t('web.wheel.odds')}
        rows={prizes}
        keyOf={(row) => row.tokens}
        columns={[
          { key: 'prize', text: t('web.wheel.prize'), cell: (row) => <TokenAmount tokens={row.tokens} /> },
          {
            key: 'odds',
            text: t('web.wheel.odds'),
            numeric: true,
            cell: (row) => odds.format(row.odds),
          },
        ]}
      />
      <p className="text-xs text-muted">{t('web.wheel.note')}</p>
    </div>
  );
}
