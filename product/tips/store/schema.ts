import type { Generated } from 'kysely';
import type { Tx } from '#platform/data/data.ts';
import type { EffectKind, EffectState } from '../rules.ts';
import type { SplitMode, SplitReason } from '../rules/split.ts';

export interface TipRow {
  operator_id: Generated<number>; id: Generated<number>; tip_id: string; sender_id: number;
  receiver_id: number; tokens: number; comment: string; type: string; source_id: string | null; vr: boolean;
  app_data: unknown; title: string | null; is_anonymous: boolean; at: Date;
}
interface MenuItemRow {
  operator_id: Generated<number>; id: Generated<number>; performer_id: number; title: string; price: number;
  place: number; ended_at: Date | null;
}
interface GoalRow {
  operator_id: Generated<number>; id: Generated<number>; performer_id: number; title: string; target: number;
  progress: Generated<number>; made_at: Date; reached_at: Date | null; ended_at: Date | null;
}
export interface EffectRow {
  operator_id: Generated<number>; id: Generated<number>; performer_id: number; source: string;
  kind: EffectKind; state: EffectState; title: string; tokens: number; comment: string;
  show_chat: Generated<string | null>;
  sender_name: string | null; tries: Generated<number>; done_at: Date | null; at: Date;
}
interface TipsTables {
  'tips.recent': {
    operator_id: Generated<number>; tip_id: string; sender_id: number; receiver_id: number; tokens: number;
    at: Date; is_anonymous: boolean;
  };
  'tips.tippers': {
    operator_id: Generated<number>; sender_id: number; receiver_id: number; first_at: Date;
  };
  'tips.tips': TipRow;
  'tips.menu_items': MenuItemRow;
  'tips.goals': GoalRow;
  'tips.splits': {
    operator_id: Generated<number>; performer_id: number; split_id: string; proposer_id: number | null;
    total: number; people: number; mode: SplitMode; reason: SplitReason | null; started_at: Date;
    ends_at: Date;
  };
  'tips.splitters': {
    operator_id: Generated<number>; performer_id: number; person_id: number; place: number; tokens: number;
  };
  'tips.effects': EffectRow;
  'tips.overlays': { operator_id: Generated<number>; performer_id: number; digest: string; made_at: Date };
  'tips.rules': { operator_id: Generated<number>; daily_limit: number | null; changed_at: Date };
  'tips.allowed': {
    operator_id: Generated<number>; tip_id: string; sender_id: number; day: string; tokens: number;
  };
}

export const tables = (tx: Tx): ReturnType<typeof tx.sql<TipsTables>> => tx.sql<TipsTables>();
