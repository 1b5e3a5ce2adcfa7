import { Button } from '#platform/ui/controls/button.tsx';
import { ConfirmDialog } from '#platform/ui/surfaces/questions.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useSecondsUntil } from '#platform/ui/time/countdown.ts';
import { TokensAndValue } from '#product/ledger/web/values.tsx';
import { useState } from 'react';
import { joinSplit } from '../../client.ts';
import type { TipSplitView } from '../../contract/splits.ts';
import type { TipTarget } from '../tip-panel.tsx';
import { useSplitting } from './splitting.ts';

interface JoinProps {
  readonly split: TipSplitView;
  /** Tokens of the next person to join. */
  readonly price: number;
  readonly target: TipTarget;
}

/** Joins an open split, and asks once before: the last person to join makes everybody pay. */
export function JoinSplit({ split, price, target }: JoinProps) {
  const { t, i18n } = useTranslation('tips');
  // If the share changes, the question is asked again.
  const [asked, setAsked] = useState<number | null>(null);
  const seconds = useSecondsUntil(split.ends_at === null ? 0 : Date.parse(split.ends_at));
  if (seconds === 0 || split.id === null) return null;
  const { id } = split;
  return (
    <>
      <Button onClick={() => (target.guest ? target.onLogin() : setAsked(price))}>
        {t('split.join', { share: formatCount(price, i18n.language) })}
      </Button>
      {asked === price
        ? (
          <Question
            id={id}
            total={split.total}
            price={price}
            target={target}
            onClose={() => setAsked(null)}
          />
        )
        : null}
    </>
  );
}

function Question({ id, total, price, target, onClose }: {
  readonly id: string;
  readonly total: number;
  readonly price: number;
  readonly target: TipTarget;
  readonly onClose: () => void;
}) {
  const { t, i18n } = useTranslation('tips');
  const { busy, problem, run } = useSplitting(target);
  const join = async (): Promise<void> => {
    if (await run(joinSplit, { username: target.username, id, price }, price) === null) onClose();
  };
  return (
    <ConfirmDialog
      title={t('split.ask.title')}
      busy={busy}
      accept={t('split.join', { share: formatCount(price, i18n.language) })}
      reject={t('split.ask.later')}
      onAccept={() => void join()}
      onReject={onClose}
    >
      <div className="flex flex-col gap-3">
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2">
          <dt className="text-muted">{t('split.ask.share')}</dt>
          <dd className="text-right font-bold">
            <TokensAndValue tokens={price} />
          </dd>
          <dt className="text-muted">{t('split.ask.total')}</dt>
          <dd className="text-right">
            <TokensAndValue tokens={total} />
          </dd>
        </dl>
        <p className="text-sm text-muted">{t('split.ask.lead')}</p>
        <FormError problem={problem} />
      </div>
    </ConfirmDialog>
  );
}
