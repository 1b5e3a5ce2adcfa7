import type { QueryClient, UseQueryResult } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { OutputOf } from '#platform/contract/call.ts';
import type { PayloadOf } from '#platform/contract/event.ts';
import {
  changeCached, queryKeyOf, useCache, useCall, useRead, type Applied,
} from '#platform/ui/calls/calls.ts';
import {
  liveState, useLiveState, useLiveStore, type LiveStore,
} from '#platform/ui/calls/live-state.ts';
import { useEvent, useJoined } from '#platform/ui/calls/live.ts';
import type { RoomConnection } from '#platform/contract/sockets/socket-client.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { getRoom } from '#product/rooms/client.ts';
import type { RoomDataView } from '#product/rooms/contract.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import {
  checkPrivate, getPrivateRequests, getReceipts, privatePing, privateRecordingChanged, showsPart,
  type acceptPrivate, type privateTick, type requestPrivate,
} from '../../client.ts';
import type { PrivateRequestView } from '../../contract/private-show.ts';
import type { ReceiptView, RunningPrivateView } from '../../contract/private-running.ts';
import { isLaterState, PING_MISSED_MS } from '../../rules/private.ts';

export type PrivateCheck = OutputOf<typeof checkPrivate>;
export type Queue = OutputOf<typeof getPrivateRequests>;

/** What became of the last request or show in a room, for whoever was in it. */
export type Outcome =
  | { readonly kind: 'declined' | 'expired' }
  /** `why` is empty where the server gave no reason. */
  | { readonly kind: 'failed'; readonly why: string }
  /** `receipt` is null until it is read. */
  | { readonly kind: 'ended'; readonly reason: string; readonly receipt: ReceiptView | null };

/** By the room's username. */
const OUTCOMES = liveState<Readonly<Record<string, Outcome>>>('shows.outcomes', {});
/** By the room's username: of which show this page has warned that the tokens run out, and what closes it. */
const WARNED = liveState<Readonly<Record<string, { readonly of: string; readonly end: AbortController }>>>(
  'shows.warned', {},
);
/** By the room's username: the request or show whose end this page has not seen. */
const OWN_SHOWS = liveState<Readonly<Record<string, string>>>('shows.own', {});

/** Rooms in whose show the page of the other one has said nothing for a while. */
const SILENT = liveState<readonly string[]>('shows.silent', []);

/** Whether the page of the other one in the show of a room is silent. */
export const useIsOtherSilent = (room: string): boolean =>
  useLiveState(SILENT, (rooms) => rooms.includes(room));

/** Follows the keep-alives of the other one while `isIn`. */
export function useOtherPings(connection: RoomConnection | null, room: string, isIn: boolean): void {
  const store = useLiveStore();
  const [pings, setPings] = useState(0);
  useEvent(connection, privatePing, () => setPings((count) => count + 1));
  useEffect(() => {
    if (!isIn) return undefined;
    const set = (isSilent: boolean) => store.change(SILENT, (rooms) => {
      const others = rooms.filter((one) => one !== room);
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

/** What became of the last request or show here, and a way to replace it; null clears it. */
export function useOutcome(room: string): readonly [Outcome | null, (outcome: Outcome | null) => void] {
  const store = useLiveStore();
  const outcome = useLiveState(OUTCOMES, (all) => all[room] ?? null);
  const set = useCallback((next: Outcome | null) => store.change(OUTCOMES, (all) =>
    (next === null ? without(all, room) : { ...all, [room]: next })), [room, store]);
  return [outcome, set];
}

/** The warning of a room, by the time of its show's request, that the tokens run out. */
export function useWarning(room: string): {
  /** Warns of a show that was not warned of; what `warn` shows closes when `until` is aborted. */
  readonly give: (show: string, warn: (until: AbortSignal) => void) => void;
  /** Closes the warning; the show stays warned of. */
  readonly close: () => void;
  /** Closes the warning, and the next one is the first again. */
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

/** What a private show with the performer of a room costs this viewer, what waits, and what runs. */
export function usePrivateCheck(room: RoomDataView): UseQueryResult<PrivateCheck, Error> {
  const isMember = useMe() !== null;
  const { userSetting: { private: offer } } = readPart(room, showsPart);
  const concerns = offer.isEnabled || room.chat.mode === 'private';
  return useRead(checkPrivate, { username: room.user.username }, {
    enabled: isMember && !room.auth.isStreamer && concerns,
  });
}

/** What the request of this viewer that waits takes to start, in tokens; undefined where it is not known. */
export function neededToStart(cache: QueryClient, username: string): number | undefined {
  const check = cache.getQueryData<PrivateCheck>(queryKeyOf(checkPrivate, { username }));
  if (!check) return undefined;
  return (check.request?.exclusive ? check.exclusive_tokens_to_start : null) ?? check.tokens_to_start;
}

/** Asks again what a private show costs and what runs. */
export function useCheckAgain(username: string): () => void {
  const cache = useCache();
  return useCallback(() => {
    void cache.invalidateQueries({ queryKey: queryKeyOf(checkPrivate, { username }) });
  }, [cache, username]);
}

/** Asks again who waits for a private show and what runs. */
export function useQueueAgain(): () => void {
  const cache = useCache();
  return useCallback(() => {
    void cache.invalidateQueries({ queryKey: queryKeyOf(getPrivateRequests) });
  }, [cache]);
}

/** The running show after a second of it; null where none was known. */
export function afterTick(
  running: RunningPrivateView | null, tick: PayloadOf<typeof privateTick>,
): RunningPrivateView | null {
  return running && { ...running, ...tick, phase: 'running' };
}

// What events and calls say is shown at once.
export const changeCheck = (
  cache: QueryClient, username: string, change: (known: PrivateCheck) => PrivateCheck,
): void => changeCached(cache, checkPrivate, { username }, change);
export const changeQueue = (cache: QueryClient, change: (known: Queue) => Queue): void =>
  changeCached(cache, getPrivateRequests, {}, change);
export const showRequest: Applied<typeof requestPrivate> = (cache, request) =>
  changeCheck(cache, request.broadcaster, (known) => ({ ...known, request }));
export const showAccepted: Applied<typeof acceptPrivate> = (cache, running) =>
  changeQueue(cache, (known) => ({ ...known, requests: [], running }));
export const showWithout = (cache: QueryClient, { username }: Pick<PrivateRequestView, 'username'>): void =>
  changeQueue(cache, (known) => ({
    ...known, requests: known.requests.filter((request) => request.username !== username),
  }));

type Ended = Extract<Outcome, { readonly kind: 'ended' }>;
/** Adds a receipt to the end that it is of, unless the page shows another one or knows more by now. */
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

/** Reads the receipt of the show that just ended; there is none of one that never began. */
export function useReadReceipt(room: string): (ended: Ended) => void {
  const store = useLiveStore();
  const receipts = useReceipts();
  return useCallback((ended) => {
    void receipts().then((read) =>
      addReceipt(store, room, ended, read.find(({ broadcaster }) => broadcaster === room) ?? null));
  }, [receipts, room, store]);
}

/** Applies what becomes of the recording of a show to all that the page says of it. */
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
    // The receipt that is on its way may be older than this.
    void receipts().then((read) =>
      addReceipt(store, room, ended, read.find((one) => one.requested_at === of) ?? null));
  });
}

/** Reads the newest receipts; none when that fails. */
function useReceipts(): () => Promise<readonly ReceiptView[]> {
  const call = useCall();
  const cache = useCache();
  return useCallback(async () => {
    await cache.invalidateQueries({ queryKey: queryKeyOf(getReceipts) });
    // Best effort: the page of receipts has it too.
    return (await call(getReceipts, {}).catch(() => null))?.receipts ?? [];
  }, [cache, call]);
}

/**
 * Passes the receipt of a show that ended while no event reached this page, when the page joins again.
 * @param show the request or show of this page in the room, by the time of its request; null for none
 * @returns what says that the end of it was seen
 */
export function useMissedEnd(
  connection: RoomConnection | null, room: string, show: string | null,
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
      const receipt = read.find((one) => one.broadcaster === room && one.requested_at === own);
      // Its event may have come meanwhile.
      if (!receipt || store.read(OWN_SHOWS)[room] !== own) return;
      // The room still has the show of which no end came.
      void cache.invalidateQueries({ queryKey: queryKeyOf(getRoom, { username: room }) });
      latest.current(receipt);
    });
  });
  return useCallback(() => store.change(OWN_SHOWS, (all) => without(all, room)), [room, store]);
}
