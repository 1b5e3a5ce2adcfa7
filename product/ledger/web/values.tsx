import { formatMoney } from '#platform/text/money.ts';
import { TokenAmount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { shownCents } from '../rules/shown.ts';

/** What tokens are worth where prices are shown, as the language writes it: `$2.50`. */
export function ShownValue({ tokens }: { tokens: number }) {
  const { i18n } = useTranslation();
  const value = formatMoney({ minor: shownCents(tokens), currency: 'USD' }, i18n.language);
  return <span className="tabular whitespace-nowrap">{value}</span>;
}

/** A change of a balance: the sign has the same meaning as the color. */
export function Change({ tokens }: { tokens: number }) {
  return (
    <span
      className={`inline-flex items-center font-bold whitespace-nowrap
      ${tokens > 0 ? 'text-success-text' : ''}`}
    >
      {tokens > 0 ? '+' : '−'}
      <TokenAmount tokens={Math.abs(tokens)} />
    </span>
  );
}

/** Amount and value together: `250 ⬡ · $25.00`. */
export function TokensAndValue({ tokens }: { tokens: number }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-x-1">
      <TokenAmount tokens={tokens} />
      <span className="text-muted">
        · <ShownValue tokens={tokens} />
      </span>
    </span>
  );
}

/** `2026-01` as "January 2026". */
export function monthText(month: string, locale: string): string {
  const format = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' });
  return format.format(new Date(`${month}-01T00:00:00Z`));
}
