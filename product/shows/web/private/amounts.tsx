import { TokenAmount } from '#platform/ui/text/amounts.tsx';
import { clockText } from '#platform/ui/text/measures.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { ShownValue } from '#product/ledger/web/values.tsx';
import type { ReactNode } from 'react';

/** Tokens, and their value in money. */
export function Cost({ tokens, perMinute = false }: { tokens: number; perMinute?: boolean }) {
  const { t } = useTranslation('shows');
  return (
    <span className="tabular inline-flex flex-wrap items-baseline gap-x-1">
      <TokenAmount tokens={tokens} />
      {perMinute ? <span>{t('private.perMinute')}</span> : null}
      <span className="text-sm font-normal text-muted">
        (<ShownValue tokens={tokens} />)
      </span>
    </span>
  );
}

/** Seconds in words: `3 min 20 s`, and `35 s`. */
export function useMinutes(): (seconds: number) => string {
  const { t } = useTranslation('shows');
  return (seconds) => (seconds < 60
    ? t('private.seconds', { seconds })
    : t('private.minutes', { minutes: Math.floor(seconds / 60), seconds: seconds % 60 }));
}

/** Seconds as a clock, read out in words. */
export function Clock({ seconds }: { seconds: number }) {
  const words = useMinutes();
  return (
    <span className="tabular">
      <span aria-hidden>{clockText(seconds)}</span>
      <span className="sr-only">{words(seconds)}</span>
    </span>
  );
}

/** One named number; a `wide` one is left out on phones in either orientation. */
export function Figure(
  { name, wide = false, children }: { name: string; wide?: boolean; children: ReactNode },
) {
  return (
    <div className={wide ? 'min-w-0 max-sm:hidden phone-landscape:hidden' : 'min-w-0'}>
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="font-bold">{children}</dd>
    </div>
  );
}
