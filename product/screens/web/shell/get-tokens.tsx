import { useAction } from '../../../../platform/ui/calls/calls.ts';
import { Button } from '../../../../platform/ui/controls/button.tsx';
import { Dialog } from '../../../../platform/ui/surfaces/dialog.tsx';
import { FormError } from '../../../../platform/ui/surfaces/states.tsx';
import { useToast } from '../../../../platform/ui/surfaces/toasts.tsx';
import { formatCount, TokenAmount } from '../../../../platform/ui/text/amounts.tsx';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import { useMe, useReloadMe } from '../../../accounts/web/me.ts';
import { takeDemoGrant } from '../../../ledger/contract.ts';
import { DEMO_GRANT_TOKENS } from '../../../ledger/rules.ts';
import { useSiteConfig } from '../site.ts';

/**
 * Where tokens come from: the development grant in demo mode; elsewhere nothing is sold yet, and it says so.
 */
export default function GetTokens({ onClose }: { onClose: () => void }) {
  const { t, i18n } = useTranslation('screens');
  const me = useMe();
  const isDemo = useSiteConfig()?.mode === 'demo';
  const grant = useAction(takeDemoGrant);
  const reloadMe = useReloadMe();
  const toast = useToast();
  const take = async () => {
    const done = await grant.run({}, { idempotencyKey: crypto.randomUUID() });
    if (!done) return;
    await reloadMe();
    toast(t('tokens.granted', { amount: formatCount(done.granted, i18n.language) }), 'success');
    onClose();
  };
  return (
    <Dialog title={t('tokens.get')} onClose={onClose}>
      <div className="flex flex-col gap-4">
        {me ? (
          <p className="flex items-center justify-between gap-4 rounded-control bg-raised px-4 py-3">
            {t('tokens.balance')} <TokenAmount tokens={me.tokens} className="text-lg font-bold" />
          </p>
        ) : null}
        <p className="text-muted">{t(isDemo ? 'tokens.demoText' : 'tokens.noneText')}</p>
        <FormError problem={grant.problem} />
        {isDemo ? (
          <Button tone="primary" wide busy={grant.busy} onClick={() => void take()}>
            {t('tokens.take')} <TokenAmount tokens={DEMO_GRANT_TOKENS} />
          </Button>
        ) : <Button wide onClick={onClose}>{t('tokens.close')}</Button>}
      </div>
    </Dialog>
  );
}
