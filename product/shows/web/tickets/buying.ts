import { liveState, useLiveStore } from '#platform/ui/calls/live-state.ts';
import { useLoginPrompt } from '#product/accounts/web/login-prompt.tsx';
import { useMe } from '#product/accounts/web/me.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { showsPart } from '../../client.ts';
import type { LimitedShowView } from '../../contract/ticket-show.ts';
import { ownPrice } from './live.ts';

/** The id of the show for which this page asks to buy a ticket; null for none. */
export const BUYING = liveState<number | null>('shows.buyingTicket', null);

export interface Offered {
  readonly room: PagePartProps['room'];
  readonly show: LimitedShowView;
}

/** The ticket show for which this viewer can still buy a ticket; null for none. */
export function offeredIn(room: PagePartProps['room']): LimitedShowView | null {
  const { limitedShow: show } = readPart(room, showsPart);
  return room.auth.isStreamer || show?.purchased_ticket ? null : show;
}

/** This viewer's ticket price, and the question before buying: guests log in first. */
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
