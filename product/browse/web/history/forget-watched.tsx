import { useAction } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { clearForYouLearned, clearViewHistory } from '../../client.ts';
import { showForYou, showNoHistory } from './live.ts';

/** For a person who withdraws consent: what was stored before is deleted only if they say so. */
export function ForgetWatched() {
  const { t } = useTranslation('browse');
  const history = useAction(clearViewHistory, showNoHistory);
  const learned = useAction(clearForYouLearned, showForYou);
  const [isDone, setDone] = useState(false);
  const forget = async () => {
    if (await history.run({}) && await learned.run({})) setDone(true);
  };
  if (isDone) return <p role="status" className="mt-3 text-sm">{t('history.forgotten')}</p>;
  return (
    <div className="mt-3 flex flex-col items-start gap-3">
      <p className="text-sm">{t('history.forgetText')}</p>
      <FormError problem={history.problem ?? learned.problem} />
      <Button tone="danger" busy={history.busy || learned.busy} onClick={() => void forget()}>
        {t('history.forget')}
      </Button>
    </div>
  );
}
