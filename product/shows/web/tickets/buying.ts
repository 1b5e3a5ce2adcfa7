import { liveState, useLiveStore } from '#platform/ui/calls/live-state.ts';
import { useLoginPrompt } from '#product/accounts/web/login-prompt.tsx';
import { useMe } from '#product/accounts/web/me.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { showsPart } from '../../client.ts';
import type { LimitedShowView } from '../../contract/ticket-show.ts';
import { ownPrice } from './live.ts';

/** The id of the show whose ticket this page asks about; null for none. */
export const BUYING = liveState<number | null>('shows.buyingTicket', null);

export interface Offered {
  readonly room: PagePartProps['room'];
  readonly show: LimitedShowView;
}

/** The ticket show that this viewer may still buy a ticket of; null for none. */
export function offeredIn(room: PagePartProps['room']): LimitedShowView | null {
  const { limitedShow: show } = readPart(room, showsPart);
  return room.auth.isStreamer || show?.purchased_ticket ? null : show;
}

/** What a ticket costs this viewer, and the question before it is bought: guests log in first. */
export function useBuying({ room, show }: Offered): { readonly price: number; readonly buy: () => void } {
  const me = useMe();
  const store = useLiveStore();
  const askLogin = useLoginPrompt();
  const buy = async () => {
    if (!me && !(await askLogin('ticket'))) return;
    store.change(BUYING, () => show.id);
  };
  return { price: ownPrice(room, show.ticket_price), buy: () => void buy() };
}
