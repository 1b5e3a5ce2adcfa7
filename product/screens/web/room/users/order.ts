import type { ChatUserSort } from '#product/accounts/rules/settings.ts';
import type { ChatUserView } from '#product/rooms/contract.ts';

/** What somebody is in the room, in the order of the list. */
export const TIERS = ['performer', 'moderator', 'fan', 'tokens', 'member'] as const;
export type UserTier = (typeof TIERS)[number];

type Ranked = Pick<
  ChatUserView,
  | 'is_model'
  | 'is_moderator'
  | 'is_vip'
  | 'is_super_vip'
  | 'has_tokens'
  | 'recentTips'
  | 'display_name'
  | 'username'
>;

export function tierOf(user: Ranked): UserTier {
  if (user.is_model) return 'performer';
  if (user.is_moderator) return 'moderator';
  if (user.is_vip || user.is_super_vip) return 'fan';
  return user.has_tokens ? 'tokens' : 'member';
}

/** By tier, then by recent tips in this room, then by name; or by name alone. */
export function inOrder<U extends Ranked>(
  users: readonly U[],
  locale: string,
  sort: ChatUserSort = 'tokens',
): U[] {
  const names = new Intl.Collator(locale, { sensitivity: 'base' });
  if (sort === 'username') {
    return users.toSorted((user, other) => names.compare(user.display_name, other.display_name));
  }
  return users.toSorted((user, other) =>
    TIERS.indexOf(tierOf(user)) - TIERS.indexOf(tierOf(other))
    || other.recentTips - user.recentTips
    || names.compare(user.display_name, other.display_name)
  );
}

/** People whose names contain the text, regardless of case and accents. */
export function found<U extends Ranked>(users: readonly U[], text: string, locale: string): readonly U[] {
  const wanted = plain(text.trim(), locale);
  if (wanted === '') return users;
  return users.filter(({ username, display_name: name }) =>
    plain(username, locale).includes(wanted) || plain(name, locale).includes(wanted)
  );
}

/** Lower case without accents: `Zoë` is found by `zoe`. */
const plain = (text: string, locale: string): string =>
  text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLocaleLowerCase(locale);
