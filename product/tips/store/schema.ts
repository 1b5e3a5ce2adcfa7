import type { Tx } from '#platform/data/data.ts';
import type { TipsTables } from './tables.ts';

export type TipRow = TipsTables['tips.tips'];
export type EffectRow = TipsTables['tips.effects'];

export const tables = (tx: Tx): ReturnType<typeof tx.sql<TipsTables>> => tx.sql<TipsTables>();
