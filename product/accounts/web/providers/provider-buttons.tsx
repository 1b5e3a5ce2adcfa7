import type { InputOf } from '#platform/contract/call.ts';
import { useAction, useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { getSiteConfig } from '#product/site/client.ts';
import { startProvider } from '../../client.ts';
import { MAX_NEXT_LENGTH, PROVIDERS, type ProviderName } from '../../rules/providers.ts';

/** The providers that log people in at this site. */
function useAvailable(): readonly ProviderName[] {
  const { data } = useRead(getSiteConfig, {}, { enabled: false });
  return PROVIDERS.filter((name) => data?.oauthAvailable[name]);
}

/** Leaves for a provider; the browser comes back to `/free-register/connect`. */
export function useProvider() {
  const start = useAction(startProvider);
  const go = async (input: InputOf<typeof startProvider>) => {
    const { next = null, ...rest } = input;
    const path = next !== null && next.length <= MAX_NEXT_LENGTH ? { next } : {};
    const started = await start.run({ ...rest, ...path });
    if (started) location.assign(started.url);
  };
  return { go, busy: start.busy, problem: start.problem };
}

/** A button for each provider that is configured; nothing without one. */
export function ProviderButtons({ next }: { readonly next: string | null }) {
  const { t } = useTranslation('accounts');
  const { go, busy, problem } = useProvider();
  const available = useAvailable();
  if (available.length === 0) return null;
  return (
    <div className="flex flex-col gap-3">
      {available.map((provider) => (
        <Button
          key={provider}
          wide
          busy={busy}
          onClick={() => void go({ provider, purpose: 'log_in', ...(next === null ? {} : { next }) })}
        >
          {t('providers.continue', { provider: t(`providers.${provider}`) })}
        </Button>
      ))}
      <FormError problem={problem} />
    </div>
  );
}

/** The divider between a form and the other ways to log in. */
export function OrLine() {
  const { t } = useTranslation('accounts');
  return (
    <p className="flex items-center gap-3 text-sm text-muted before:h-px before:flex-1 before:bg-line
      after:h-px after:flex-1 after:bg-line">
      {t('login.or')}
    </p>
  );
}

/** The buttons, after a divider. */
export function ProvidersAfterForm({ next }: { readonly next: string | null }) {
  if (useAvailable().length === 0) return null;
  return (
    <>
      <OrLine />
      <ProviderButtons next={next} />
    </>
  );
}
