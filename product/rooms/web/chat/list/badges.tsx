import { Award, Crown, Gem, Heart, Medal, ShieldCheck, Sparkles, Star } from 'lucide-react';
import type { ChatMessageView } from '../../../contract.ts';
import { isMessage, type ChatLineView } from './lines.ts';

/** Badges in the order they are shown before a name. */
const BADGES = {
  performer: { icon: Gem, look: 'text-accent' },
  moderator: { icon: ShieldCheck, look: 'text-link' },
  topTipper: { icon: Crown, look: 'text-warning-text' },
  superVip: { icon: Sparkles, look: 'text-warning-text' },
  vip: { icon: Star, look: 'text-success-text' },
  supporter: { icon: Heart, look: 'text-accent' },
  insider: { icon: Medal, look: 'text-accent' },
  legend: { icon: Award, look: 'text-accent' },
} as const;
export type BadgeKind = keyof typeof BADGES;

/** @param isTop no other sender in the list has tipped more recently */
export function badgesOf(message: ChatMessageView, isTop: boolean): readonly BadgeKind[] {
  const kinds: readonly (readonly [BadgeKind, boolean])[] = [
    ['performer', message.is_model],
    ['moderator', message.is_moderator],
    ['topTipper', isTop],
    ['superVip', message.is_super_vip],
    ['vip', message.is_vip && !message.is_super_vip],
  ];
  const level = message.fanclub_level ?? null;
  return [...kinds.flatMap(([kind, has]) => (has ? [kind] : [])), ...(level === null ? [] : [level])];
}

/** The sender with the most recent tips; on a tie the earlier message wins, and without tips nobody does. */
export function topTipperOf(lines: readonly ChatLineView[]): string | null {
  let top: ChatMessageView | null = null;
  for (const line of lines) {
    if (isMessage(line) && line.recent_tips > (top?.recent_tips ?? 0)) top = line;
  }
  return top?.username ?? null;
}

/** An icon before a name; its label is read out and shown on hover. */
export function Badge({ kind, name }: { kind: BadgeKind; name: string }) {
  const { icon: Icon, look } = BADGES[kind];
  return (
    <span title={name} className={`mr-[0.25em] inline-flex items-center align-[-0.125em] ${look}`}>
      <Icon width="1.05em" height="1.05em" aria-hidden />
      <span className="sr-only">{name}</span>
    </span>
  );
}
