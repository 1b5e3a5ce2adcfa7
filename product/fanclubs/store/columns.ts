import type { Json } from '#platform/data/columns.ts';
import type { FanclubLevel } from '#product/accounts/rules/current-user.ts';
import type { ClubPerks } from '../rules.ts';
import type { PostAudience } from '../rules/posts.ts';

/** What a payment was for. */
export type DuesKind = 'join' | 'upgrade' | 'renewal';

/** Columns whose types are narrower than those of the database: tables.ts reads them. */
export interface Columns {
  'fanclubs.clubs.perks': Json<ClubPerks>;
  'fanclubs.dues.kind': DuesKind;
  'fanclubs.dues.level': FanclubLevel;
  'fanclubs.memberships.level': FanclubLevel;
  'fanclubs.memberships.next_level': FanclubLevel;
  'fanclubs.posts.audience': PostAudience;
}
