import type { Problem } from '#platform/contract/client.ts';
import { ConfirmDialog } from '#platform/ui/surfaces/questions.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useServerClock } from '#platform/ui/time/server-clock.ts';
import { TokensAndValue } from '#product/ledger/web/values.tsx';
import type { MembershipView, TierView } from '../../contract.ts';
import { PAID_MS } from '../../rules/membership.ts';

interface JoinDialogProps {
  readonly name: string;
  /** With its current cost for this viewer. */
  readonly tier: TierView & { readonly charge: number };
  readonly membership: MembershipView | null;
  readonly busy: boolean;
  readonly problem: Problem | null;
  readonly onAccept: () => void;
  readonly onReject: () => void;
}

/** Asks once before a month of a fan club is charged: the price, when it renews, and how it ends. */
export function JoinDialog(props: JoinDialogProps) {
  const { name, tier: { level, price, charge }, membership, busy, problem, onAccept, onReject } = props;
  const { t, i18n } = useTranslation('fanclubs');
  const clock = useServerClock();
  // In the grace the new month starts where the paid one ended, at a price the member has agreed to.
  const isInGrace = membership?.state === 'grace';
  const from = isInGrace ? Date.parse(membership.paid_until) : clock.now();
  const title = membership === null || membership.state === 'ended' ? 'joining.title' : 'joining.upTitle';
  return (
    <ConfirmDialog
      title={t(title, { name, level: t(`level.${level}`) })}
      busy={busy}
      accept={t('joining.pay', { count: charge, amount: formatCount(charge, i18n.language) })}
      reject={t('joining.later')}
      onAccept={onAccept}
      onReject={onReject}
    >
      <div className="flex flex-col gap-3">
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2">
          <dt className="text-muted">{t('joining.now')}</dt>
          <dd className="text-right font-bold">
            <TokensAndValue tokens={charge} />
          </dd>
          <dt className="text-muted">{t('joining.renewal')}</dt>
          <dd className="text-right">
            <TokensAndValue tokens={isInGrace ? charge : price} />
          </dd>
          <dt className="text-muted">{t('joining.next')}</dt>
          <dd className="text-right">
            <Moment at={new Date(from + PAID_MS).toISOString()} show="day" />
          </dd>
        </dl>
        <p className="text-sm text-muted">{t('joining.cancel')}</p>
        <FormError problem={problem} />
      </div>
    </ConfirmDialog>
  );
}
