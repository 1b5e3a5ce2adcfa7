import { Checkbox } from '#platform/ui/controls/fields.tsx';
import { ConfirmDialog } from '#platform/ui/surfaces/questions.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { useState } from 'react';
import { Clock, Cost, Figure } from '../private/amounts.tsx';
import type { SpyPrice } from './live.ts';

interface SpyDialogProps extends SpyPrice {
  readonly name: string;
  readonly previewSeconds: number;
  readonly busy: boolean;
  /** Receives whether to ask again at this price. */
  readonly onAccept: (isAskedAgain: boolean) => void;
  readonly onReject: () => void;
}

/** Asks once before the meter starts: the price of a minute, and what ends it. */
export default function SpyDialog(props: SpyDialogProps) {
  const { name, price, tip, previewSeconds, busy, onAccept, onReject } = props;
  const { t } = useTranslation('shows');
  const [skips, setSkips] = useState(false);
  const tokens = useMe()?.tokens ?? 0;
  return (
    <ConfirmDialog
      title={t('spying.ask.title', { name })}
      busy={busy}
      accept={price === 0 ? t('spying.doFree') : t('spying.do', { count: price })}
      reject={t('spying.ask.later')}
      onAccept={() => onAccept(!skips)}
      onReject={onReject}
    >
      <div className="flex flex-col gap-3">
        <dl className="flex flex-wrap gap-x-6 gap-y-2">
          <Figure name={t('private.price')}>
            {price === 0 ? t('spying.free') : <Cost tokens={price} perMinute />}
          </Figure>
          {tip > 0
            ? (
              <Figure name={t('spying.tip')}>
                <Cost tokens={tip} />
              </Figure>
            )
            : null}
          {previewSeconds > 0
            ? (
              <Figure name={t('spying.preview')}>
                <Clock seconds={previewSeconds} />
              </Figure>
            )
            : null}
          <Figure name={t('private.balance')}>
            <Cost tokens={tokens} />
          </Figure>
        </dl>
        {price === 0 ? null : <p className="text-sm text-muted">{t('spying.ask.runs')}</p>}
        <Checkbox
          label={t('spying.ask.skip')}
          checked={skips}
          onChange={({ target }) => setSkips(target.checked)}
        />
      </div>
    </ConfirmDialog>
  );
}
