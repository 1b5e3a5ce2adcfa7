import { useAction } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { askBillerAgain } from '../../../client.ts';
import { useReloadMoney } from '../../live.ts';

/** Asks the biller about an order, and shows the outcome. */
export function AskAgain({ id }: { id: string }) {
  const { t } = useTranslation('billing');
  const ask = useAction(askBillerAgain);
  const reload = useReloadMoney();
  return (
    <>
      <Button busy={ask.busy} onClick={() => void ask.run({ id }).then((done) => done && reload())}>
        {t('web.admin.ask')}
      </Button>
      <FormError problem={ask.problem} />
    </>
  );
}
