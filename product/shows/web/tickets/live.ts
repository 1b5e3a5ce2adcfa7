import type { OutputOf } from '#platform/contract/call.ts';
import type { PayloadOf } from '#platform/contract/event.ts';
import type { RoomConnection } from '#platform/contract/sockets/socket-client.ts';
import { changeCached, queryKeyOf, useCache, useCall, type Applied } from '#platform/ui/calls/calls.ts';
import { liveState, useLiveState, useLiveStore } from '#platform/ui/calls/live-state.ts';
import { useJoined } from '#platform/ui/calls/live.ts';
import { fanclubsPart } from '#product/fanclubs/client.ts';
import { discounted } from '#product/fanclubs/rules/benefits.ts';
import { getRoom } from '#product/rooms/client.ts';
import { readPart, withFields } from '#product/rooms/rules/room-part.ts';
import type { QueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import {
  getOwnTicketShows,
  getTickets,
  showsPart,
  type buyTicket,
  type buyTicketRecording,
  type ticketSettled,
} from '../../client.ts';
import type { OwnTicketShowView } from '../../contract/ticket-show.ts';

/** What happened to a viewer's ticket, from the event of its settlement. */
export type TicketOutcome = PayloadOf<typeof ticketSettled>;
/** Keyed by the room's username. */
const OUTCOMES = liveState<Readonly<Record<string, TicketOutcome>>>('shows.ticketOutcomes', {});

/** What happened to this viewer's last ticket in a room, and a setter; null clears it. */
export function useTicketOutcome(
  room: string,
): readonly [TicketOutcome | null, (outcome: TicketOutcome | null) => void] {
  const store = useLiveStore();
  const outcome = useLiveState(OUTCOMES, (all) => all[room] ?? null);
  const set = useCallback((next: TicketOutcome | null) =>
    store.change(OUTCOMES, (all) => {
      const { [room]: _before, ...others } = all;
      return next === null ? others : { ...others, [room]: next };
    }), [room, store]);
  return [outcome, set];
}

/** Keyed by the room's username: the show of a ticket whose settlement this page has not seen. */
const OWN_TICKETS = liveState<Readonly<Record<string, number>>>('shows.ownTickets', {});

/**
 * When the page joins again, passes on the settlement of a ticket that no event reported to this page.
 * @param show the id of the room's show for which this viewer has a ticket; null for none
 * @returns marks the settlement as seen
 */
export function useMissedSettlement(
  connection: RoomConnection | null,
  room: string,
  show: number | null,
  settled: (outcome: TicketOutcome) => void,
): () => void {
  const store = useLiveStore();
  const cache = useCache();
  const call = useCall();
  const latest = useRef(settled);
  latest.current = settled;
  useEffect(() => {
    if (show !== null) store.change(OWN_TICKETS, (all) => ({ ...all, [room]: show }));
  }, [room, show, store]);
  useJoined(connection, () => {
    const own = store.read(OWN_TICKETS)[room];
    if (own === undefined) return;
    // Best effort: the page of receipts shows it too.
    call(getTickets, {}).then(({ tickets }) => {
      const ticket = tickets.find(({ show_id: id }) => id === own);
      if (!ticket || ticket.state === 'held' || ticket.reason_ended === null) return;
      // The event may have arrived in the meantime.
      if (store.read(OWN_TICKETS)[room] !== own) return;
      // The room data still contain the show, because no event reported its end.
      void cache.invalidateQueries({ queryKey: queryKeyOf(getRoom, { username: room }) });
      const { recording } = ticket;
      latest.current({
        ...ticket,
        id: own,
        state: ticket.state,
        reason_ended: ticket.reason_ended,
        recording: recording && recording.state !== 'held' ? { ...recording, state: recording.state } : null,
      });
    }).catch(() => undefined);
  });
  return useCallback(() =>
    store.change(OWN_TICKETS, (all) => {
      const { [room]: _seen, ...others } = all;
      return others;
    }), [room, store]);
}

/** This viewer's price of a ticket or a recording: the same that the server takes. */
export const ownPrice = (room: object, price: number): number =>
  discounted(price, readPart(room, fanclubsPart).auth.fanclub.membershipLevel);

/** Shows the room after a ticket was bought here; an event updates the viewer's other pages. */
export const showTicket: Applied<typeof buyTicket> = (cache, { ticket }) => {
  changeCached(cache, getRoom, { username: ticket.broadcaster }, (room) => {
    const { limitedShow } = readPart(room, showsPart);
    return limitedShow ? withFields(room, { limitedShow: { ...limitedShow, purchased_ticket: true } }) : room;
  });
  void cache.invalidateQueries({ queryKey: queryKeyOf(getTickets) });
};

/** Shows the room after its recording was bought here; an event updates the viewer's other pages. */
export const showRecording: Applied<typeof buyTicketRecording> = (cache, { ticket }) => {
  changeCached(cache, getRoom, { username: ticket.broadcaster }, (room) => {
    const { limitedShow } = readPart(room, showsPart);
    return limitedShow
      ? withFields(room, { limitedShow: { ...limitedShow, purchased_recording: true } })
      : room;
  });
  void cache.invalidateQueries({ queryKey: queryKeyOf(getTickets) });
};

/** Reads the viewer's own tickets again. */
export function useTicketsAgain(): () => void {
  const cache = useCache();
  return useCallback(() => {
    void cache.invalidateQueries({ queryKey: queryKeyOf(getTickets) });
  }, [cache]);
}

/** Reads the performer's own ticket shows again. */
export function useOwnShowsAgain(): () => void {
  const cache = useCache();
  return useCallback(() => {
    void cache.invalidateQueries({ queryKey: queryKeyOf(getOwnTicketShows) });
  }, [cache]);
}

export type OwnShows = OutputOf<typeof getOwnTicketShows>;
const changeOwn = (cache: QueryClient, change: (known: OwnShows) => OwnShows): void =>
  changeCached(cache, getOwnTicketShows, {}, change);
/** Shows the performer's open show after a call. */
export const showOpen = (cache: QueryClient, open: OwnTicketShowView): void =>
  changeOwn(cache, (known) => ({ ...known, open: open.reason_ended === null ? open : null }));
export const showNone = (cache: QueryClient): void => changeOwn(cache, (known) => ({ ...known, open: null }));
