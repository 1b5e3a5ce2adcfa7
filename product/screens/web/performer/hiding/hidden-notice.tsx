import { useAction, useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Card } from '#platform/ui/surfaces/card.tsx';
import { ReadError } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { getHidden, showMe } from '#product/compliance/client.ts';
import { showHidden } from '#product/compliance/web/live.ts';
import { EyeOff } from 'lucide-react';

/** Says that nobody sees this performer, with a way to undo it; nothing while they are shown. */
export function HiddenNotice() {
  const { t } = useTranslation('screens');
  const read = useRead(getHidden, {});
  const { run, busy, problem } = useAction(showMe, showHidden);
  if (read.data?.hidden !== true) return <ReadError read={read} />;
  return (
    <Card className="flex flex-col gap-3 p-4">
      <h2 className="flex items-center gap-2 text-lg font-bold">
        <EyeOff size={20} aria-hidden />
        {t('hiding.done')}
      </h2>
      <p>{t('hiding.text')}</p>
      <FormError problem={problem} />
      <div>
        <Button busy={busy} onClick={() => void run({})}>{t('hiding.show')}</Button>
      </div>
    </Card>
  );
}
