import type { OutputOf } from '#platform/contract/call.ts';
import { changeCached, queryKeyOf, useCache, useRead } from '#platform/ui/calls/calls.ts';
import { liveState, useLiveState, useLiveStore } from '#platform/ui/calls/live-state.ts';
import { useEvent, useJoined } from '#platform/ui/calls/live.ts';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import type { RoomDataView } from '#product/rooms/contract.ts';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import type { UseQueryResult } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import {
  checkSpying,
  getSpyAudience,
  getSpyReceipts,
  privateSettingChanged,
  privateStarted,
  spyAudience,
  spyEnded,
  spyStarted,
  spyTick,
} from '../../client.ts';
import type { SpyReceiptView } from '../../contract/spying.ts';
import { LOW_BALANCE_SECONDS } from '../../rules/spending.ts';
import { useMinutes } from '../private/amounts.tsx';

export type SpyCheck = OutputOf<typeof checkSpying>;

/** Receipts of this viewer's spying; keyed by the room's username. */
const OUTCOMES = liveState<Readonly<Record<string, SpyReceiptView>>>('shows.spied', {});

export function useSpyOutcome(
  room: string,
): readonly [SpyReceiptView | null, (receipt: SpyReceiptView | null) => void] {
  const store = useLiveStore();
  const outcome = useLiveState(OUTCOMES, (all) => all[room] ?? null);
  const set = useCallback((next: SpyReceiptView | null) =>
    store.change(OUTCOMES, (all) => {
      const { [room]: _before, ...others } = all;
      return next === null ? others : { ...others, [room]: next };
    }), [room, store]);
  return [outcome, set];
}

/** Price of spying: tokens a minute, and tokens to start. */
export interface SpyPrice {
  readonly price: number;
  readonly tip: number;
}

/**
 * The highest price about which the viewer does not want to be asked again, for the lifetime of this page.
 */
const AGREED = liveState<SpyPrice | null>('shows.spyAgreed', null);

/** Whether spying at a price asks first: not if it is free, or costs no more than the agreed price. */
export function useSpyQuestion({ price, tip }: SpyPrice): {
  readonly asks: boolean;
  readonly agree: () => void;
} {
  const store = useLiveStore();
  const agreed = useLiveState(AGREED, (all) => all);
  const isFree = price === 0 && tip === 0;
  const isAgreed = agreed !== null && price <= agreed.price && tip <= agreed.tip;
  const agree = useCallback(() => store.change(AGREED, () => ({ price, tip })), [price, store, tip]);
  return { asks: !isFree && !isAgreed, agree };
}

/** What spying on a room's performer costs this viewer, and its totals so far. */
export function useSpyCheck(room: RoomDataView): UseQueryResult<SpyCheck, Error> {
  const isMember = useMe() !== null;
  return useRead(checkSpying, { username: room.user.username }, {
    enabled: isMember && !room.auth.isStreamer && room.chat.status === 'private',
  });
}

export function useSpyCheckAgain(username: string): () => void {
  const cache = useCache();
  return useCallback(() => {
    void cache.invalidateQueries({ queryKey: queryKeyOf(checkSpying, { username }) });
  }, [cache, username]);
}

/** Applies spying events to the page's state for a viewer. */
export function useSpyEvents({ room, link: { connection }, onMoneyPrompt }: PagePartProps): void {
  const { t } = useTranslation('shows');
  const toast = useToast();
  const cache = useCache();
  const minutes = useMinutes();
  const tokens = useMe()?.tokens ?? null;
  const { username } = room.user;
  const [, setOutcome] = useSpyOutcome(username);
  const again = useSpyCheckAgain(username);
  /** The warning that the tokens are running out, once given. */
  const warning = useRef<AbortController | null>(null);
  const conditions = `${room.chat.status} ${room.chat.mode} ${tokens}`;
  const known = useRef(conditions);
  useEffect(() => {
    if (known.current !== conditions) again();
    known.current = conditions;
  }, [again, conditions]);
  useJoined(connection, again);
  useEvent(connection, privateSettingChanged, again);
  useEvent(connection, spyStarted, () => {
    warning.current = null;
    setOutcome(null);
    again();
  });
  useEvent(connection, spyTick, (running) => {
    changeCached(cache, checkSpying, { username }, (check) => ({ ...check, running }));
    const left = running.seconds_left;
    const isPreviewing = running.preview_seconds > 0;
    if (left === null || isPreviewing) return;
    // Tokens were bought in the meantime.
    if (left > LOW_BALANCE_SECONDS) warning.current?.abort();
    if (left > LOW_BALANCE_SECONDS || warning.current) return;
    warning.current = new AbortController();
    toast(t('spying.low', { time: minutes(left) }), 'news', {
      stays: true,
      until: warning.current.signal,
      action: { text: t('private.buy'), onClick: () => onMoneyPrompt('low_tokens') },
    });
  });
  useEvent(connection, spyEnded, ({ receipt }) => {
    warning.current?.abort();
    setOutcome(receipt);
    changeCached(cache, checkSpying, { username }, (check) => ({ ...check, running: null }));
    void cache.invalidateQueries({ queryKey: queryKeyOf(getSpyReceipts) });
    again();
  });
}

/** Applies events about the spies on the performer's own show. */
export function useAudienceEvents({ link: { connection } }: Pick<PagePartProps, 'link'>): void {
  const cache = useCache();
  const again = useCallback(() => {
    void cache.invalidateQueries({ queryKey: queryKeyOf(getSpyAudience) });
  }, [cache]);
  useJoined(connection, again);
  useEvent(connection, privateStarted, again);
  useEvent(connection, spyAudience, (audience) => changeCached(cache, getSpyAudience, {}, () => audience));
}
