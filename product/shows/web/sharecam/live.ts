import type { OutputOf } from '#platform/contract/call.ts';
import { changeCached, queryKeyOf, useCache, useRead, type Applied } from '#platform/ui/calls/calls.ts';
import { liveState, useLiveState, useLiveStore } from '#platform/ui/calls/live-state.ts';
import { useMe } from '#product/accounts/web/me.ts';
import type { RoomDataView } from '#product/rooms/contract.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import type { QueryClient, UseQueryResult } from '@tanstack/react-query';
import { useCallback } from 'react';
import {
  checkSharecam,
  getSharecams,
  showsPart,
  type acceptSharecam,
  type requestSharecam,
} from '../../client.ts';
import type { RunningSharecamView, SharecamsView } from '../../contract/sharecam.ts';
import {
  barOfSharecam,
  type SharecamBar,
  type SharecamEnd,
  type SharecamMode,
} from '../../rules/sharecam.ts';

type SharecamCheck = OutputOf<typeof checkSharecam>;

/** The room whose dialog to share one's camera is open; null for none. */
const ASKING = liveState<string | null>('shows.sharecamAsking', null);
/** How the last request or camera in a room ended. */
const OVER = liveState<Readonly<Record<string, SharecamEnd | 'expired'>>>('shows.sharecamOver', {});

/** Whether a room's dialog is open, and a way to open or close it. */
export function useAsking(room: string): readonly [boolean, (isAsking: boolean) => void] {
  const store = useLiveStore();
  const isAsking = useLiveState(ASKING, (item) => item === room);
  const set = useCallback((next: boolean) => store.change(ASKING, () => (next ? room : null)), [room, store]);
  return [isAsking, set];
}

/** How the last camera in a room ended, and a setter; null clears it. */
export function useOver(
  room: string,
): readonly [SharecamEnd | 'expired' | null, (over: SharecamEnd | 'expired' | null) => void] {
  const store = useLiveStore();
  const over = useLiveState(OVER, (all) => all[room] ?? null);
  const set = useCallback((next: SharecamEnd | 'expired' | null) =>
    store.change(OVER, (all) => {
      const { [room]: _before, ...others } = all;
      return next === null ? others : { ...others, [room]: next };
    }), [room, store]);
  return [over, set];
}

/** Why the camera cannot be shared in each mode, by the room's status and its performer's settings. */
export function useBars(room: RoomDataView): Readonly<Record<SharecamMode, SharecamBar | null>> {
  const { userSetting: { sharecam: offer } } = readPart(room, showsPart);
  const conditions = {
    offer,
    chatStatus: room.chat.status,
    isOwnPrivateRunning: room.chat.mode === 'private',
  };
  return {
    public: barOfSharecam('public', conditions),
    private: barOfSharecam('private', conditions),
  };
}

/** What sharing costs this viewer in a room, and their pending request or running camera. */
export function useSharecamCheck(room: RoomDataView): UseQueryResult<SharecamCheck, Error> {
  const isMember = useMe() !== null;
  const { userSetting: { sharecam } } = readPart(room, showsPart);
  const isOffered = sharecam.isAllowedInPrivate || sharecam.isAllowedInPublic;
  return useRead(checkSharecam, { username: room.user.username }, {
    enabled: isMember && !room.auth.isStreamer && isOffered,
  });
}

/** Reads again what sharing costs and what is running. */
export function useSharecamAgain(username: string): () => void {
  const cache = useCache();
  return useCallback(() => {
    void cache.invalidateQueries({ queryKey: queryKeyOf(checkSharecam, { username }) });
  }, [cache, username]);
}

/** Reads the requests and running cameras again. */
export function useListAgain(): () => void {
  const cache = useCache();
  return useCallback(() => {
    void cache.invalidateQueries({ queryKey: queryKeyOf(getSharecams) });
  }, [cache]);
}

export const changeSharecam = (
  cache: QueryClient,
  username: string,
  change: (known: SharecamCheck) => SharecamCheck,
): void => changeCached(cache, checkSharecam, { username }, change);
const changeList = (cache: QueryClient, change: (known: SharecamsView) => SharecamsView): void =>
  changeCached(cache, getSharecams, {}, change);

export const showAsked: Applied<typeof requestSharecam> = (cache, request) =>
  changeSharecam(cache, request.broadcaster, (known) => ({ ...known, request }));
export const showList = (cache: QueryClient, list: SharecamsView): void => changeList(cache, () => list);
export const showTick = (cache: QueryClient, tick: RunningSharecamView): void =>
  changeList(cache, (known) => ({
    ...known,
    running: known.running.map((item) => (item.username === tick.username ? tick : item)),
  }));
export const showRunning: Applied<typeof acceptSharecam> = (cache, running) =>
  changeList(cache, ({ requests, running: before }) => ({
    requests: requests.filter(({ username }) => username !== running.username),
    running: [...before.filter(({ username }) => username !== running.username), running],
  }));
export const showWithoutCamera = (cache: QueryClient, username: string): void =>
  changeList(cache, ({ requests, running }) => ({
    requests: requests.filter((request) => request.username !== username),
    running: running.filter((item) => item.username !== username),
  }));
