import { useAction } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { formatCount, TokenAmount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useReloadMe } from '#product/accounts/web/me.ts';
import { takeDemoGrant } from '#product/ledger/client.ts';
import { DEMO_GRANT_TOKENS } from '#product/ledger/rules.ts';
import { useSiteConfig } from '../document/site.ts';

/** On a demo site: free tokens, a few times a day, beside the test purchases. */
export function DemoGrant({ onDone }: { onDone: () => void }) {
  const { t, i18n } = useTranslation('screens');
  const isDemo = useSiteConfig()?.mode === 'demo';
  const grant = useAction(takeDemoGrant);
  const reloadMe = useReloadMe();
  const toast = useToast();
  if (!isDemo) return null;
  const take = async () => {
    const done = await grant.run({}, { idempotencyKey: crypto.randomUUID() });
    if (!done) return;
    await reloadMe();
    toast(t('tokens.granted', { amount: formatCount(done.granted, i18n.language) }), 'success');
    onDone();
  };
  return (
    <div className="flex flex-col gap-2 border-t border-line pt-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="grow basis-56 text-xs text-muted">{t('tokens.demoText')}</p>
        <Button busy={grant.busy} onClick={() => void take()}>
          {t('tokens.take')} <TokenAmount tokens={DEMO_GRANT_TOKENS} />
        </Button>
      </div>
      <FormError problem={grant.problem} />
    </div>
  );
}
