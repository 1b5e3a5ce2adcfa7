import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { TokenAmount } from '#platform/ui/text/amounts.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { getLimits } from '#product/ledger/client.ts';
import type { ReactNode } from 'react';
import { getDailyLimit } from '../../client.ts';
import { useFresh } from '../live.ts';
import { Price } from '../money.tsx';
import type { MoneyStep, StepProps } from '../steps.ts';

type Of = Extract<MoneyStep, { kind: 'daily_low_limit' }>['of'];

/** The daily low limit modal: a limit does not cover the purchase; what is left, and when it resets. */
export function DailyLimitDialog({ of, onClose }: StepProps & { readonly of: Of }) {
  const { t } = useTranslation('billing');
  return (
    <Dialog
      title={t(`web.daily.${of}.title`)}
      onClose={onClose}
      actions={
        <>
          <ButtonLink to="/account/tokens#limits" onClick={onClose}>{t('web.daily.settings')}</ButtonLink>
          <Button tone="primary" onClick={onClose}>{t('web.close')}</Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <p>{t(`web.daily.${of}.text`)}</p>
        {of === 'purchases' ? <Purchases /> : <Spending />}
      </div>
    </Dialog>
  );
}

function Purchases() {
  const read = useFresh(getDailyLimit, {});
  return (
    <Loaded read={read} height="h-28">
      {({ limit, spent, remaining, resets_at: resets }) => (
        <Used
          of="purchases"
          share={spent.minor / Math.max(1, limit.minor)}
          limit={<Price amount={limit} />}
          spent={<Price amount={spent} />}
          remaining={<Price amount={remaining} />}
          resets={resets}
        />
      )}
    </Loaded>
  );
}

/** The person's budgets, the most used one first. */
function Spending() {
  const { t } = useTranslation('billing');
  const read = useFresh(getLimits, {});
  return (
    <Loaded read={read} height="h-28">
      {({ budgets }) =>
        budgets.flatMap(({ period, tokens, spent, resets_at: resets }) => (tokens === null
          ? []
          : [
            (
              <section
                key={period}
                aria-label={t(`web.daily.period.${period}`)}
                className="flex flex-col gap-2"
              >
                <h3 className="text-sm font-bold">{t(`web.daily.period.${period}`)}</h3>
                <Used
                  of="spending"
                  share={spent / Math.max(1, tokens)}
                  limit={<TokenAmount tokens={tokens} />}
                  spent={<TokenAmount tokens={spent} />}
                  remaining={<TokenAmount tokens={Math.max(0, tokens - spent)} />}
                  resets={resets}
                />
              </section>
            ),
          ])
        )}
    </Loaded>
  );
}

/** The used part of a limit. */
function Used({ of, share, limit, spent, remaining, resets }: {
  readonly of: Of;
  readonly share: number;
  readonly limit: ReactNode;
  readonly spent: ReactNode;
  readonly remaining: ReactNode;
  readonly resets: string;
}) {
  const { t } = useTranslation('billing');
  const percent = Math.round(Math.min(1, share) * 100);
  const spentText = t(`web.daily.${of}.spent`);
  return (
    <>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 rounded-control bg-raised px-4 py-3 text-sm
        [&_dd]:text-right [&_dt]:text-muted">
        <dt>{spentText}</dt>
        <dd>{spent}</dd>
        <dt>{t('web.daily.limit')}</dt>
        <dd>{limit}</dd>
        <dt>{t('web.daily.remaining')}</dt>
        <dd className="font-bold">{remaining}</dd>
        <dt>{t(`web.daily.${of}.resets`)}</dt>
        <dd>
          <Moment at={resets} />
        </dd>
      </dl>
      <div
        role="meter"
        aria-label={spentText}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={`${percent}%`}
        className="h-2 overflow-hidden rounded-full bg-raised"
      >
        <div
          className={`h-full rounded-full ${percent === 100 ? 'bg-warning' : 'bg-pink'}`}
          style={{ width: `${percent}%` }}
        />
      </div>
    </>
  );
}
