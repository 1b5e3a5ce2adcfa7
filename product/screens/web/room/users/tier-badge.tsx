import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Gem, Heart, Hexagon, ShieldCheck, type LucideIcon } from 'lucide-react';
import type { UserTier } from './order.ts';

/** The same icons as in the chat; ordinary members have none. */
const BADGES: Readonly<Record<Exclude<UserTier, 'member'>, readonly [icon: LucideIcon, look: string]>> = {
  performer: [Gem, 'text-accent'],
  moderator: [ShieldCheck, 'text-link'],
  fan: [Heart, 'text-success-text'],
  tokens: [Hexagon, 'text-muted'],
};

/** A person's tier in the room, as a small icon with a name. */
export function TierBadge({ tier }: { tier: UserTier }) {
  const { t } = useTranslation('screens');
  if (tier === 'member') return null;
  const [Icon, look] = BADGES[tier];
  const name = t(`room.users.tier.${tier}`);
  return (
    <span title={name} className={`shrink-0 ${look}`}>
      <Icon size={16} aria-hidden />
      <span className="sr-only">{name}</span>
    </span>
  );
}
