import type { Problem } from '#platform/contract/client.ts';
import { ConfirmDialog } from '#platform/ui/surfaces/questions.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { FanclubLevel } from '#product/accounts/rules/current-user.ts';
import { TokensAndValue } from '#product/ledger/web/values.tsx';
import type { MembershipView } from '../../contract.ts';

interface PlanDialogProps {
  readonly name: string;
  readonly membership: MembershipView;
  /** The paid level or a lower one, and the highest price of a month of it. */
  readonly plan: { readonly level: FanclubLevel; readonly price: number };
  readonly busy: boolean;
  readonly problem: Problem | null;
  readonly onAccept: () => void;
  readonly onReject: () => void;
}

/**
 * Asks once before a membership continues: when the next charge is, how much, and how the membership ends.
 */
export function PlanDialog(props: PlanDialogProps) {
  const { name, membership, plan: { level, price }, busy, problem, onAccept, onReject } = props;
  const { t } = useTranslation('fanclubs');
  const { state, paid_until: until } = membership;
  const isSame = level === membership.level;
  const named = { name, level: t(`level.${level}`) };
  return (
    <ConfirmDialog
      title={t(isSame ? 'own.resumeTitle' : 'own.lowerTitle', named)}
      busy={busy}
      accept={t(isSame ? 'own.resume' : 'own.goLower', named)}
      reject={t('joining.later')}
      onAccept={onAccept}
      onReject={onReject}
    >
      <div className="flex flex-col gap-3">
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2">
          <dt className="text-muted">{t('own.resumeOn')}</dt>
          <dd className="text-right">
            {state === 'grace' ? t('own.resumeSoon') : <Moment at={until} show="day" />}
          </dd>
          <dt className="text-muted">{t('own.resumePrice')}</dt>
          <dd className="text-right font-bold">
            <TokensAndValue tokens={price} />
          </dd>
        </dl>
        <p className="text-sm text-muted">{t('joining.cancel')}</p>
        <FormError problem={problem} />
      </div>
    </ConfirmDialog>
  );
}
