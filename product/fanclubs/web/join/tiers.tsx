import { Button } from '#platform/ui/controls/button.tsx';
import { Pill } from '#platform/ui/surfaces/card.tsx';
import { TokenAmount, TokenGlyph } from '#platform/ui/text/amounts.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { FanclubLevel } from '#product/accounts/rules/current-user.ts';
import { ShownValue } from '#product/ledger/web/values.tsx';
import { Award, Check, Heart, Medal } from 'lucide-react';
import type { TierView } from '../../contract.ts';
import { DISCOUNT_PERCENT } from '../../rules/benefits.ts';

/** The same icons as before a name in the chat. */
const LEVEL_ICONS = { supporter: Heart, insider: Medal, legend: Award } as const;

interface TiersProps {
  readonly tiers: readonly TierView[];
  /** The viewer's level; null for none. */
  readonly own: FanclubLevel | null;
  /** The level being paid for. */
  readonly busy: FanclubLevel | null;
  readonly onJoin: (tier: TierView) => void;
}

/** The levels of a club side by side: price, benefits, and the button to join. */
export function Tiers({ tiers, ...rest }: TiersProps) {
  const { t } = useTranslation('fanclubs');
  return (
    <ul aria-label={t('tiers.title')} className="grid gap-3 @xl:grid-cols-3 @2xl:gap-4">
      {tiers.map((tier) => <Tier key={tier.level} tier={tier} {...rest} />)}
    </ul>
  );
}

function Tier({ tier, own, busy, onJoin }: Omit<TiersProps, 'tiers'> & { tier: TierView }) {
  const { t } = useTranslation('fanclubs');
  const { level, price, charge } = tier;
  const Icon = LEVEL_ICONS[level];
  const isOwn = own === level;
  return (
    <li
      className={`flex min-w-0 flex-col gap-3 rounded-card border bg-surface p-4
      ${isOwn ? 'border-pink' : 'border-line'}`}
    >
      <h3 className="flex flex-wrap items-center gap-2 text-base font-bold">
        <Icon size={20} aria-hidden className="text-accent" />
        {t(`level.${level}`)}
        {isOwn ? <Pill tone="online">{t('tiers.yours')}</Pill> : null}
      </h3>
      <p className="flex flex-wrap items-baseline gap-x-2">
        <TokenAmount tokens={price} className="text-xl font-bold" />
        <span className="text-sm text-muted">
          {t('tiers.month')} · <ShownValue tokens={price} />
        </span>
      </p>
      <Benefits tier={tier} />
      {charge === null ? null : (
        <div className="mt-auto flex flex-col gap-2 pt-1">
          {charge === price ? null : (
            <p className="text-sm text-muted">
              {t('tiers.now')} <TokenAmount tokens={charge} /> · <ShownValue tokens={charge} />
            </p>
          )}
          <Button
            wide
            tone={own === null && level === 'insider' ? 'primary' : 'secondary'}
            busy={busy === level}
            disabled={busy !== null}
            icon={<TokenGlyph />}
            onClick={() => onJoin(tier)}
          >
            {t(own === null || isOwn ? 'tiers.join' : 'tiers.upgrade', { level: t(`level.${level}`) })}
          </Button>
        </div>
      )}
    </li>
  );
}

function Benefits({ tier }: { tier: TierView }) {
  const { level, perks } = tier;
  const { t } = useTranslation('fanclubs');
  // Discounts on media will be listed once there are media: nobody pays for a promise.
  const percent = DISCOUNT_PERCENT[level];
  const lines = [
    t('benefit.badge'),
    ...(percent === 0 ? [] : [t('benefit.shows', { percent })]),
    ...(tier.free_spy ? [t('benefit.spy')] : []),
    ...perks,
  ];
  return (
    <ul
      aria-label={t('benefit.title', { level: t(`level.${level}`) })}
      className="flex flex-col gap-2 text-sm"
    >
      {lines.map((line, at) => (
        <li key={at} className="flex gap-2">
          <Check size={16} aria-hidden className="mt-0.5 shrink-0 text-success-text" />
          <span className="min-w-0 break-words">
            <Typed>{line}</Typed>
          </span>
        </li>
      ))}
    </ul>
  );
}
