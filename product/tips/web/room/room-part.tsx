import { lazy } from 'react';
import type { RoomPagePart } from '../../../rooms/web/page-part.ts';
import { TipButton, TipHere } from './tip-here.tsx';

/** Most rooms of the first minute have no goal. */
const GoalBar = lazy(() => import('./goal-bar.tsx'));

export const tipsOnPage: RoomPagePart = {
  texts: ['tips'], Banner: GoalBar, Actions: TipHere, BesideInput: TipButton,
};
