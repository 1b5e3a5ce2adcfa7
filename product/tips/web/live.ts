import type { OutputOf } from '#platform/contract/call.ts';
import type { PayloadOf } from '#platform/contract/event.ts';
import type { Connection } from '#platform/contract/sockets/socket-client.ts';
import { changeCached, queryKeyOf, useCache, useRead, type Applied } from '#platform/ui/calls/calls.ts';
import { useEvent, useJoined } from '#platform/ui/calls/live.ts';
import { changeCachedPages } from '#platform/ui/calls/pages.ts';
import type { QueryClient, UseQueryResult } from '@tanstack/react-query';
import { useRef } from 'react';
import {
  effectChanged,
  getTipRoom,
  getTipRules,
  getTipTools,
  goalChanged,
  listEffects,
  menuChanged,
  splitChanged,
  tipReceived,
  type makeOverlay,
  type revokeOverlay,
  type saveTipMenu,
  type saveTipRules,
} from '../client.ts';
import type { EffectView } from '../contract/effects.ts';
import type { GoalView } from '../contract/goals.ts';
import type { TipSplitView } from '../contract/splits.ts';

type TipRoom = OutputOf<typeof getTipRoom>;
export type TipTools = OutputOf<typeof getTipTools>;
export type EffectsPage = OutputOf<typeof listEffects>;

/** Menu, goal and split of a room. */
export const useTipRoom = (username: string): UseQueryResult<TipRoom, Error> =>
  useRead(getTipRoom, { username });

/** Events of a room that need more than a changed cache. */
interface TipRoomHandlers {
  /** Goals that have just been reached. */
  readonly reached: (goals: readonly GoalView[]) => void;
  /** A split that ended because its performer left the public room. */
  readonly overtaken: (split: TipSplitView) => void;
}

/** Applies events to menu, goal and split of a room. */
export function useTipRoomEvents(
  connection: Connection | null,
  username: string,
  { reached: onReached, overtaken }: TipRoomHandlers,
): void {
  const cache = useCache();
  useEvent(connection, goalChanged, ({ goal, reached }) => {
    changeCached(cache, getTipRoom, { username }, (room) => ({ ...room, goal }));
    if (reached.length > 0) onReached(reached);
  });
  useEvent(connection, menuChanged, ({ items: menu }) => {
    changeCached(cache, getTipRoom, { username }, (room) => ({ ...room, menu }));
  });
  useEvent(connection, splitChanged, (split) => {
    changeCached(cache, getTipRoom, { username }, (room) => ({ ...room, split }));
    if (split.reason === 'private' || split.reason === 'offline') overtaken(split);
  });
  // Makes up for events missed while the connection was lost.
  useJoined(connection, () => {
    void cache.invalidateQueries({ queryKey: queryKeyOf(getTipRoom, { username }) });
  });
}

/** The tools after the running goal changed; reached goals are removed. */
export function withGoal(tools: TipTools, { goal, reached }: PayloadOf<typeof goalChanged>): TipTools {
  const gone = new Set(reached.map(({ id }) => id));
  const goals = tools.goals.filter(({ id }) => !gone.has(id))
    .map((item) => (item.id === goal?.id ? { ...item, ...goal, state: 'running' as const } : item));
  return { ...tools, goals };
}

/** The pages of effects after one of them changed or was added. */
export function withEffect(pages: readonly EffectsPage[], effect: EffectView): readonly EffectsPage[] {
  const known = pages.find(({ effects }) => effects.some(({ id }) => id === effect.id));
  // An unknown effect belongs to the first page with a lower id, else to the last page of all; if that is not
  // loaded, the effect is below what is shown.
  const place = known ?? pages.find(({ effects, next }) =>
    next === null
    || effects.some(({ id }) => id < effect.id)
  );
  return pages.map((page) => {
    if (page !== place) return page;
    const others = page.effects.filter(({ id }) => id !== effect.id);
    return { ...page, effects: [effect, ...others].toSorted((a, b) => b.id - a.id) };
  });
}

/** Tips a page remembers as counted: more than can arrive between the two deliveries of one tip. */
const MAX_COUNTED = 200;

/** Applies events to a performer's tools. */
export function useTipToolsEvents(lobby: Connection | null, username: string): void {
  const cache = useCache();
  const counted = useRef<readonly string[]>([]);
  useEvent(lobby, tipReceived, ({ tip_id: id, tokens, receiver_name }) => {
    if (receiver_name !== username || counted.current.includes(id)) return;
    counted.current = [...counted.current, id].slice(-MAX_COUNTED);
    changeCached(cache, getTipTools, {}, (tools) => ({
      ...tools,
      today: { tokens: tools.today.tokens + tokens, tips: tools.today.tips + 1 },
    }));
  });
  useEvent(lobby, goalChanged, (change) => {
    changeCached(cache, getTipTools, {}, (tools) => withGoal(tools, change));
  });
  useEvent(lobby, effectChanged, ({ effect }) => {
    changeCachedPages(cache, listEffects, {}, (pages) => withEffect(pages, effect));
  });
  useJoined(lobby, () => {
    void cache.invalidateQueries({ queryKey: queryKeyOf(getTipTools) });
    void cache.invalidateQueries({ queryKey: queryKeyOf(listEffects) });
  });
}

const changeTools = (cache: QueryClient, some: Partial<TipTools>): void =>
  changeCached(cache, getTipTools, {}, (tools) => ({ ...tools, ...some }));

// The output of the tools' calls is shown at once.
export const showGoals = (cache: QueryClient, { goals }: Pick<TipTools, 'goals'>): void =>
  changeTools(cache, { goals });
export const showMenu: Applied<typeof saveTipMenu> = (cache, { items }) =>
  changeTools(cache, { menu: items });
export const showOverlay: Applied<typeof makeOverlay> = (cache, { made_at: at }) =>
  changeTools(cache, { overlay_made_at: at });
export const showNoOverlay: Applied<typeof revokeOverlay> = (cache) =>
  changeTools(cache, { overlay_made_at: null });
export const showEffect = (cache: QueryClient, effect: EffectView): void =>
  changeCachedPages(cache, listEffects, {}, (pages) => withEffect(pages, effect));
export const showRules: Applied<typeof saveTipRules> = (cache, saved) =>
  changeCached(cache, getTipRules, {}, () => saved);
