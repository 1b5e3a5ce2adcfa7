import type { RoomPagePart } from '#product/rooms/web/page-part.ts';
import { lazy } from 'react';
import { TipHere } from './tip-here.tsx';

/** Loaded with the first tip. */
const TipsSeen = lazy(() => import('./tips-seen.tsx'));
/** Few tips are split. */
const SplitState = lazy(() => import('./split-state.tsx'));
/** Most rooms have no goal in the first minute. */
const GoalBar = lazy(() => import('./goal-bar.tsx'));

export const tipsOnPage: RoomPagePart = {
  texts: ['tips'],
  Over: TipsSeen,
  State: SplitState,
  Actions: TipHere,
  Banner: GoalBar,
};
