import type { EffectKind, EffectState } from '../rules.ts';
import type { SplitMode, SplitReason } from '../rules/split.ts';

/** Columns whose types are narrower than those of the database: tables.ts reads them. */
export interface Columns {
  'tips.effects.kind': EffectKind;
  'tips.effects.state': EffectState;
  'tips.splits.mode': SplitMode;
  'tips.splits.reason': SplitReason;
}
