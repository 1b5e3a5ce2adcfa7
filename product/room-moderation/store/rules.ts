import type { Tx } from '#platform/data/data.ts';
import { DEFAULT_PRESET, type ChatAllowed, type ChatPreset, type LinkRule } from '../rules.ts';
import type { RoomModerationTables } from './tables.ts';

const tables = (tx: Tx): ReturnType<typeof tx.sql<RoomModerationTables>> => tx.sql<RoomModerationTables>();

/** A room's preset and the rules changed from it; null for an unchanged rule. */
export interface StoredRules {
  readonly preset: ChatPreset;
  readonly chat_allowed: ChatAllowed | null;
  readonly slow_mode_seconds: number | null;
  readonly join_cool_down_seconds: number | null;
  readonly links: LinkRule | null;
  readonly first_message_hold: boolean | null;
  readonly blocked_words: readonly string[];
  /** Days after which a moderator's rights end; null for the usual number. */
  readonly moderator_days: number | null;
}
/** The rules of a room that nobody has changed. */
export const UNCHANGED_RULES: StoredRules = {
  preset: DEFAULT_PRESET,
  chat_allowed: null,
  slow_mode_seconds: null,
  join_cool_down_seconds: null,
  links: null,
  first_message_hold: null,
  blocked_words: [],
  moderator_days: null,
};

export async function findRules(tx: Tx, performerId: number): Promise<StoredRules | null> {
  return (await tables(tx).selectFrom('room_moderation.rules')
    .select([
      'preset',
      'chat_allowed',
      'slow_mode_seconds',
      'join_cool_down_seconds',
      'links',
      'first_message_hold',
      'blocked_words',
      'moderator_days',
    ])
    .where('performer_id', '=', performerId).executeTakeFirst()) ?? null;
}

export async function saveRules(tx: Tx, performerId: number, rules: StoredRules): Promise<void> {
  const row = { ...rules, blocked_words: [...rules.blocked_words], changed_at: tx.now };
  await tables(tx).insertInto('room_moderation.rules').values({ performer_id: performerId, ...row })
    .onConflict((conflict) => conflict.columns(['operator_id', 'performer_id']).doUpdateSet(row)).execute();
}

export async function findSiteWords(tx: Tx): Promise<readonly string[]> {
  const row = await tables(tx).selectFrom('room_moderation.site_rules').select('blocked_words')
    .executeTakeFirst();
  return row?.blocked_words ?? [];
}

export async function saveSiteWords(tx: Tx, words: readonly string[]): Promise<void> {
  const row = { blocked_words: [...words], changed_at: tx.now };
  await tables(tx).insertInto('room_moderation.site_rules').values(row)
    .onConflict((conflict) => conflict.columns(['operator_id']).doUpdateSet(row)).execute();
}
