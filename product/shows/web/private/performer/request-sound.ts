import { DEFAULT_SETTINGS } from '#product/accounts/rules/settings.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { notesOf, usePlay } from '#product/rooms/web/chat/settings/sounds.ts';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { PrivateRequestView } from '../../../contract/private-show.ts';

/** Remembers in this browser that new requests make no sound. */
const SILENT_KEY = 'candela.requestSound';
const OFF = 'off';

/** Storage may be unavailable; then the sound is on at each visit. */
function readStored(): boolean {
  try {
    return globalThis.localStorage.getItem(SILENT_KEY) !== OFF;
  } catch {
    return true;
  }
}

function writeStored(isOn: boolean): void {
  try {
    if (isOn) globalThis.localStorage.removeItem(SILENT_KEY);
    else globalThis.localStorage.setItem(SILENT_KEY, OFF);
  } catch {
    // The choice still applies to this visit.
  }
}

/** Rings for each new request, at the account's volume, unless the sound is turned off. */
export function useRequestSound(requests: readonly PrivateRequestView[]): {
  readonly isOn: boolean;
  readonly turn: (isOn: boolean) => void;
} {
  // Null until it is read, which happens after hydration.
  const [isOn, setOn] = useState<boolean | null>(null);
  const play = usePlay();
  const volume = useMe()?.settings.volume_tip ?? DEFAULT_SETTINGS.volume_tip;
  const known = useRef<ReadonlySet<string>>(new Set());
  useEffect(() => setOn(readStored()), []);
  useEffect(() => {
    if (isOn === null) return;
    const waiting = requests.map(({ username, requested_at: at }) => `${username} ${at}`);
    const isNew = waiting.some((text) => !known.current.has(text));
    known.current = new Set(waiting);
    if (isNew && isOn) play(notesOf('bell'), volume);
  }, [isOn, play, requests, volume]);
  const turn = useCallback((next: boolean) => {
    writeStored(next);
    setOn(next);
    if (next) play(notesOf('bell'), volume);
  }, [play, volume]);
  return { isOn: isOn !== false, turn };
}

/** Rings for each new name, unless requests make no sound in this browser. */
export function useRingOnce(names: readonly string[]): void {
  const play = usePlay();
  const volume = useMe()?.settings.volume_tip ?? DEFAULT_SETTINGS.volume_tip;
  const known = useRef<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const isNew = names.some((text) => !known.current.has(text));
    known.current = new Set(names);
    if (isNew && readStored()) play(notesOf('bell'), volume);
  }, [names, play, volume]);
}
