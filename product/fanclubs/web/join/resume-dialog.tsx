import type { Problem } from '#platform/contract/client/client.ts';
import { ConfirmDialog } from '#platform/ui/surfaces/dialogs/questions.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { TokensAndValue } from '#product/ledger/web/values.tsx';
import type { MembershipView } from '../../contract.ts';

interface ResumeDialogProps {
  readonly name: string;
  readonly membership: MembershipView;
  readonly busy: boolean;
  readonly problem: Problem | null;
  readonly onAccept: () => void;
  readonly onReject: () => void;
}

/** Asks once before a membership renews again: when it is charged next, how much, and how it ends. */
export function ResumeDialog(props: ResumeDialogProps) {
  const { name, membership, busy, problem, onAccept, onReject } = props;
  const { t } = useTranslation('fanclubs');
  const { level, price, state, paid_until: until } = membership;
  return (
    <ConfirmDialog title={t('own.resumeTitle', { name, level: t(`level.${level}`) })} busy={busy}
      accept={t('own.resume', { level: t(`level.${level}`) })} reject={t('joining.later')}
      onAccept={onAccept} onReject={onReject}>
      <div className="flex flex-col gap-3">
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2">
          <dt className="text-muted">{t('own.resumeOn')}</dt>
          <dd className="text-right">
            {state === 'grace' ? t('own.resumeSoon') : <Moment at={until} show="day" />}
          </dd>
          <dt className="text-muted">{t('own.resumePrice')}</dt>
          <dd className="text-right font-bold"><TokensAndValue tokens={price} /></dd>
        </dl>
        <p className="text-sm text-muted">{t('joining.cancel')}</p>
        <FormError problem={problem} />
      </div>
    </ConfirmDialog>
  );
}
