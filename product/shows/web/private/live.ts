import type { OutputOf } from '#platform/contract/call.ts';
import type { PayloadOf } from '#platform/contract/event.ts';
import type { RoomConnection } from '#platform/contract/sockets/socket-client.ts';
import {
  changeCached,
  queryKeyOf,
  useCache,
  useCall,
  useRead,
  type Applied,
} from '#platform/ui/calls/calls.ts';
import { liveState, useLiveState, useLiveStore, type LiveStore } from '#platform/ui/calls/live-state.ts';
import { useEvent, useJoined } from '#platform/ui/calls/live.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { getRoom } from '#product/rooms/client.ts';
import type { RoomDataView } from '#product/rooms/contract.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import type { QueryClient, UseQueryResult } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import {
  checkPrivate,
  getPrivateRequests,
  getReceipts,
  privatePing,
  privateRecordingChanged,
  showsPart,
  type acceptPrivate,
  type privateTick,
  type requestPrivate,
} from '../../client.ts';
import type { ReceiptView, RunningPrivateView } from '../../contract/private-running.ts';
import type { PrivateRequestView } from '../../contract/private-show.ts';
import { isLaterState, PING_MISSED_MS } from '../../rules/private.ts';

export type PrivateCheck = OutputOf<typeof checkPrivate>;
export type Queue = OutputOf<typeof getPrivateRequests>;

/** How the last request or show in a room ended, for the people in it. */
export type Outcome =
  | { readonly kind: 'declined' | 'expired' }
  /** `why` is empty if the server gave no reason. */
  | { readonly kind: 'failed'; readonly why: string }
  /** `receipt` is null until it is read. */
  | { readonly kind: 'ended'; readonly reason: string; readonly receipt: ReceiptView | null };

/** Keyed by the room's username. */
const OUTCOMES = liveState<Readonly<Record<string, Outcome>>>('shows.outcomes', {});
/**
 * Keyed by the room's username: the show for which this page gave the low-tokens warning, and what closes it.
 */
const WARNED = liveState<Readonly<Record<string, { readonly of: string; readonly end: AbortController }>>>(
  'shows.warned',
  {},
);
/** Keyed by the room's username: the request or show whose end this page has not seen. */
const OWN_SHOWS = liveState<Readonly<Record<string, string>>>('shows.own', {});

/** Rooms in whose show the other person's page has sent nothing for a while. */
const SILENT = liveState<readonly string[]>('shows.silent', []);

/** Whether the other person's page in a room's show is silent. */
export const useIsOtherSilent = (room: string): boolean =>
  useLiveState(SILENT, (rooms) => rooms.includes(room));

/** Follows the other person's keep-alives while `isIn`. */
export function useOtherPings(connection: RoomConnection | null, room: string, isIn: boolean): void {
  const store = useLiveStore();
  const [pings, setPings] = useState(0);
  useEvent(connection, privatePing, () => setPings((count) => count + 1));
  useEffect(() => {
    if (!isIn) return undefined;
    const set = (isSilent: boolean) =>
      store.change(SILENT, (rooms) => {
        const others = rooms.filter((text) => text !== room);
        return isSilent ? [...others, room] : others;
      });
    const timer = setTimeout(() => set(true), PING_MISSED_MS);
    return () => {
      clearTimeout(timer);
      set(false);
    };
  }, [isIn, pings, room, store]);
}

function without<T>(all: Readonly<Record<string, T>>, room: string): Readonly<Record<string, T>> {
  const { [room]: left, ...others } = all;
  return left === undefined ? all : others;
}

/** How the last request or show here ended, and a setter; null clears it. */
export function useOutcome(room: string): readonly [Outcome | null, (outcome: Outcome | null) => void] {
  const store = useLiveStore();
  const outcome = useLiveState(OUTCOMES, (all) => all[room] ?? null);
  const set = useCallback(
    (next: Outcome | null) =>
      store.change(OUTCOMES, (all) => (next === null ? without(all, room) : { ...all, [room]: next })),
    [room, store],
  );
  return [outcome, set];
}

/** A room's warning that the tokens are running out, by the time of the show's request. */
export function useWarning(room: string): {
  /** Shows the warning once per show; what `warn` shows closes when `until` is aborted. */
  readonly give: (show: string, warn: (until: AbortSignal) => void) => void;
  /** Closes the warning; the show still counts as warned. */
  readonly close: () => void;
  /** Closes the warning, and allows another one for the same show. */
  readonly forget: () => void;
} {
  const store = useLiveStore();
  return useMemo(() => {
    const close = () => store.read(WARNED)[room]?.end.abort();
    const forget = () => {
      close();
      store.change(WARNED, (all) => without(all, room));
    };
    const give = (show: string, warn: (until: AbortSignal) => void) => {
      if (store.read(WARNED)[room]?.of === show) return;
      forget();
      const end = new AbortController();
      store.change(WARNED, (all) => ({ ...all, [room]: { of: show, end } }));
      warn(end.signal);
    };
    return { give, close, forget };
  }, [room, store]);
}

/** What a private show with the room's performer costs this viewer, their pending request, and their show. */
export function usePrivateCheck(room: RoomDataView): UseQueryResult<PrivateCheck, Error> {
  const isMember = useMe() !== null;
  const { userSetting: { private: offer } } = readPart(room, showsPart);
  const concerns = offer.isEnabled || room.chat.mode === 'private';
  return useRead(checkPrivate, { username: room.user.username }, {
    enabled: isMember && !room.auth.isStreamer && concerns,
  });
}

/** Tokens that starting this viewer's pending request takes; undefined if unknown. */
export function neededToStart(cache: QueryClient, username: string): number | undefined {
  const check = cache.getQueryData<PrivateCheck>(queryKeyOf(checkPrivate, { username }));
  if (!check) return undefined;
  return (check.request?.exclusive ? check.exclusive_tokens_to_start : null) ?? check.tokens_to_start;
}

/** Reads again what a private show costs and what is running. */
export function useCheckAgain(username: string): () => void {
  const cache = useCache();
  return useCallback(() => {
    void cache.invalidateQueries({ queryKey: queryKeyOf(checkPrivate, { username }) });
  }, [cache, username]);
}

/** Reads the queue of private shows and the running show again. */
export function useQueueAgain(): () => void {
  const cache = useCache();
  return useCallback(() => {
    void cache.invalidateQueries({ queryKey: queryKeyOf(getPrivateRequests) });
  }, [cache]);
}

/** The running show after one of its seconds; null if none was known. */
export function afterTick(
  running: RunningPrivateView | null,
  tick: PayloadOf<typeof privateTick>,
): RunningPrivateView | null {
  return running && { ...running, ...tick, phase: 'running' };
}

// Changes by events and calls are shown at once.
export const changeCheck = (
  cache: QueryClient,
  username: string,
  change: (known: PrivateCheck) => PrivateCheck,
): void => changeCached(cache, checkPrivate, { username }, change);
export const changeQueue = (cache: QueryClient, change: (known: Queue) => Queue): void =>
  changeCached(cache, getPrivateRequests, {}, change);
export const showRequest: Applied<typeof requestPrivate> = (cache, request) =>
  changeCheck(cache, request.broadcaster, (known) => ({ ...known, request }));
export const showAccepted: Applied<typeof acceptPrivate> = (cache, running) =>
  changeQueue(cache, (known) => ({ ...known, requests: [], running }));
export const showWithout = (cache: QueryClient, { username }: Pick<PrivateRequestView, 'username'>): void =>
  changeQueue(cache, (known) => ({
    ...known,
    requests: known.requests.filter((request) => request.username !== username),
  }));

type Ended = Extract<Outcome, { readonly kind: 'ended' }>;
/** Adds a receipt to the ended show it belongs to, unless the page shows another or knows a later state. */
function addReceipt(store: LiveStore, room: string, asked: Ended, receipt: ReceiptView | null): void {
  if (receipt === null) return;
  store.change(OUTCOMES, (all) => {
    const { [room]: now } = all;
    if (now?.kind !== 'ended') return all;
    const { receipt: known } = now;
    if (known === null) return now === asked ? { ...all, [room]: { ...now, receipt } } : all;
    const isNews = known.requested_at === receipt.requested_at
      && isLaterState(known.recording_state, receipt.recording_state);
    return isNews ? { ...all, [room]: { ...now, receipt } } : all;
  });
}

/** Reads the receipt of the show that just ended; a show that never began has none. */
export function useReadReceipt(room: string): (ended: Ended) => void {
  const store = useLiveStore();
  const receipts = useReceipts();
  return useCallback((ended) => {
    void receipts().then((read) =>
      addReceipt(store, room, ended, read.find(({ broadcaster }) => broadcaster === room) ?? null)
    );
  }, [receipts, room, store]);
}

/** Applies changes of a show's recording wherever the page shows it. */
export function useRecordingEvents(connection: RoomConnection | null, room: string): void {
  const cache = useCache();
  const store = useLiveStore();
  const receipts = useReceipts();
  useEvent(connection, privateRecordingChanged, ({ requested_at: of, recording_state: state }) => {
    const after = <T extends Pick<ReceiptView, 'requested_at' | 'recording_state'>>(
      show: T | null,
    ): T | null => (show?.requested_at === of ? { ...show, recording_state: state } : show);
    changeCheck(cache, room, (known) => ({ ...known, running: after(known.running) }));
    changeQueue(cache, (known) => ({ ...known, running: after(known.running) }));
    const { [room]: ended } = store.read(OUTCOMES);
    if (ended?.kind !== 'ended') return;
    if (ended.receipt !== null) {
      addReceipt(store, room, ended, after(ended.receipt));
      return;
    }
    // The receipt being loaded may be older than this event.
    void receipts().then((read) =>
      addReceipt(store, room, ended, read.find((item) => item.requested_at === of) ?? null)
    );
  });
}

/** Reads the newest receipts; none if that fails. */
function useReceipts(): () => Promise<readonly ReceiptView[]> {
  const call = useCall();
  const cache = useCache();
  return useCallback(async () => {
    await cache.invalidateQueries({ queryKey: queryKeyOf(getReceipts) });
    // Best effort: the page of receipts shows them too.
    return (await call(getReceipts, {}).catch(() => null))?.receipts ?? [];
  }, [cache, call]);
}

/**
 * When the page joins again, passes on the receipt of a show whose end no event reported to this page.
 * @param show this page's request or show in the room, by the time of its request; null for none
 * @returns marks the end as seen
 */
export function useMissedEnd(
  connection: RoomConnection | null,
  room: string,
  show: string | null,
  ended: (receipt: ReceiptView) => void,
): () => void {
  const store = useLiveStore();
  const cache = useCache();
  const receipts = useReceipts();
  const latest = useRef(ended);
  latest.current = ended;
  useEffect(() => {
    if (show !== null) store.change(OWN_SHOWS, (all) => ({ ...all, [room]: show }));
  }, [room, show, store]);
  useJoined(connection, () => {
    const own = store.read(OWN_SHOWS)[room];
    if (own === undefined) return;
    void receipts().then((read) => {
      const receipt = read.find((item) => item.broadcaster === room && item.requested_at === own);
      // The event may have arrived in the meantime.
      if (!receipt || store.read(OWN_SHOWS)[room] !== own) return;
      // The room data still contain the show, because no event reported its end.
      void cache.invalidateQueries({ queryKey: queryKeyOf(getRoom, { username: room }) });
      latest.current(receipt);
    });
  });
  return useCallback(() => store.change(OWN_SHOWS, (all) => without(all, room)), [room, store]);
}
