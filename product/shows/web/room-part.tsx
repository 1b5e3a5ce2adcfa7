import { readPart } from '#product/rooms/rules/room-part.ts';
import type { RoomPagePart } from '#product/rooms/web/page-part.ts';
import { Lock, Ticket } from 'lucide-react';
import { lazy } from 'react';
import { showsPart } from '../client.ts';
import { showsReducer } from '../rules.ts';
import { RatingAbout, RatingButton } from './rating/rating-button.tsx';

/** Loaded after chat and video: few viewers request a show in the first second. */
const RoomEvents = lazy(() => import('./room/room-events.tsx'));
const RoomBanner = lazy(() => import('./room/room-banner.tsx'));
const RoomState = lazy(() => import('./room/room-state.tsx'));
const RoomOver = lazy(() => import('./room/room-over.tsx'));
const RoomActions = lazy(() => import('./room/room-actions.tsx'));
const TicketLine = lazy(async () => ({ default: (await import('./tickets/ticket-offer.tsx')).TicketLine }));

export const showsOnPage: RoomPagePart = {
  texts: ['shows'],
  reducer: showsReducer,
  covers: {
    private: { Icon: Lock, title: 'shows:cover.private.title', text: 'shows:cover.private.text' },
    limited: {
      Icon: Ticket,
      title: 'shows:cover.limited.title',
      text: 'shows:cover.limited.text',
      hasOffer: true,
    },
  },
  badges: { private: 'shows:badge.private', limited: 'shows:badge.limited' },
  Events: RoomEvents,
  Bar: RatingButton,
  Over: RoomOver,
  State: RoomState,
  Actions: RoomActions,
  Banner: RoomBanner,
  About: RatingAbout,
  ChatLine: { of: (room) => readPart(room, showsPart).limitedShow?.chat_line ?? null, Action: TicketLine },
};
