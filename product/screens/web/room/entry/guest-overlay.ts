import { useMe } from '#product/accounts/web/me.ts';
import { consent } from '#product/consent/web/consent.ts';
import type { RoomDataView } from '#product/rooms/contract.ts';
import { overlayDelayMs, streamStatus } from '#product/rooms/rules.ts';
import { conditionsOf } from '#product/rooms/rules/room-data.ts';
import { useEffect, useState } from 'react';
import { useLocation } from 'react-router';

const KEY = 'candela.guest-overlay';
/** Performers whose overlay a browser remembers; the one seen longest ago is forgotten first. */
const MAX_REMEMBERED = 200;

/** The stored usernames; anything but a list of names counts as none. */
export function readSeen(stored: string | null): readonly string[] {
  try {
    const names: unknown = JSON.parse(stored ?? '[]');
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
}

/** The list with this name as its newest. */
export const withSeen = (seen: readonly string[], username: string): readonly string[] =>
  [...seen.filter((name) => name !== username), username].slice(-MAX_REMEMBERED);

function storedSeen(): readonly string[] {
  try {
    return readSeen(globalThis.localStorage.getItem(KEY));
  } catch {
    return [];
  }
}

function storeSeen(username: string): void {
  if (!consent.allows('preferences')) return;
  try {
    globalThis.localStorage.setItem(KEY, JSON.stringify(withSeen(storedSeen(), username)));
  } catch {
    // Storage is not available: the overlay waits its usual time again.
  }
}

/**
 * The room as this guest sees it: after a while an overlay asks to sign up or log in, over the video alone
 * (spec 1 §4). It never shows to members.
 */
export function useGuestOverlay(room: RoomDataView): RoomDataView {
  const isGuest = useMe() === null;
  const { search } = useLocation();
  const { username } = room.user;
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    if (!isGuest) return undefined;
    const vidstop = new URLSearchParams(search).get('vidstop');
    const show = () => {
      setDue(true);
      storeSeen(username);
    };
    const timer = setTimeout(show, overlayDelayMs(vidstop, storedSeen().includes(username)));
    return () => clearTimeout(timer);
  }, [isGuest, search, username]);
  return isGuest && isDue ? withOverlay(room) : room;
}

/** The room with the overlay over its video, if there is a video to cover. */
function withOverlay(room: RoomDataView): RoomDataView {
  const covered = { ...room, isShowGuestOverlay: true };
  return { ...covered, streamStatus: streamStatus(conditionsOf(covered)) };
}
