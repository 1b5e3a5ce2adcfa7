import { useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { ReadError, Section } from '#platform/ui/surfaces/section.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { getSiteConfig } from '#product/site/client.ts';
import { useEffect, useState } from 'react';
import { getSpins } from '../../client.ts';
import { PromoCodeForm } from '../promos/promo-code-form.tsx';
import type { MoneyStep } from '../steps.ts';

interface PromosSectionProps {
  readonly go: (step: MoneyStep) => void;
  /** The promotion in the browser's address; the rendered document does not depend on it. */
  readonly promo: string | null;
}

/** Promo codes and wheels, where the operator has any. */
export function PromosSection({ go, promo }: PromosSectionProps) {
  const { t } = useTranslation('billing');
  const me = useMe();
  const site = useRead(getSiteConfig, {}, { enabled: false });
  const wheel = useRead(getSpins, {});
  const takesCodes = site.data?.arePromoProductsEnabled.freeTokensProduct ?? false;
  const [named, setNamed] = useState<string | null>(null);
  useEffect(() => setNamed(promo), [promo]);
  const vaultSpins = me?.user.vault_wheel?.spins ?? 0;
  const isUnknown = wheel.data === undefined && wheel.error !== null;
  if (!takesCodes && !wheel.data?.enabled && !isUnknown) return null;
  return (
    <Section anchor="promotions" title={t('web.promo.section')}>
      <div className="flex flex-col gap-4">
        {takesCodes ? <PromoCodeForm key={named} promo={named} /> : null}
        <ReadError read={wheel} />
        {wheel.data?.enabled
          ? (
            <div className="flex flex-wrap gap-3">
              <Button onClick={() => go({ kind: 'wheel', vault: false })}>
                {t('web.wheel.open', { count: wheel.data.spins })}
              </Button>
              {vaultSpins > 0
                ? (
                  <Button onClick={() => go({ kind: 'wheel', vault: true })}>
                    {t('web.wheel.openVault', { count: vaultSpins })}
                  </Button>
                )
                : null}
            </div>
          )
          : null}
      </div>
    </Section>
  );
}
