import type { Connection } from '#platform/contract/sockets/socket-client.ts';
import { useEvent } from '#platform/ui/calls/live.ts';
import { DEFAULT_SETTINGS } from '#product/accounts/rules/settings.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { useSaveSettings } from '#product/accounts/web/settings/save-settings.ts';
import { useCallback, useEffect, useMemo } from 'react';
import { chatMessage, showMessage, soundPlayed } from '../../../client.ts';
import type { ChatMessageView } from '../../../contract.ts';
import { FrameBatch } from '../frame-batch.ts';
import { isIgnored, type Reader } from '../ignored.tsx';
import type { ChatSettings } from './settings.ts';
import { notesOf, tipNotes, usePlay } from './sounds.ts';

/** The tip whose sound is the sample for a new volume. */
const SAMPLE_TOKENS = 100;

/**
 * Plays the sounds of a chat. Of tips that arrive together, as after reconnecting, only the largest; none of
 * people whom the reader ignores. A member's volume is stored in the account, a guest's on the device.
 */
export function useChatSounds(
  connection: Connection | null,
  reader: Reader,
  settings: ChatSettings,
  change: (some: Partial<ChatSettings>) => void,
): { readonly volume: number; readonly setVolume: (volume: number) => void } {
  const me = useMe();
  const save = useSaveSettings();
  const play = usePlay();
  const volume = me?.settings.volume_tip ?? settings.volume ?? DEFAULT_SETTINGS.volume_tip;
  const volumePercent = settings.isMuted ? 0 : volume;
  const tips = useMemo(
    () => new FrameBatch<number>((tokens) => play(tipNotes(Math.max(...tokens)), volumePercent)),
    [volumePercent, play],
  );
  useEffect(() => () => tips.drop(), [tips]);
  const receive = (message: ChatMessageView): void => {
    if (message.type === 'tip' && !isIgnored(message, reader)) tips.add(message.value);
  };
  useEvent(connection, chatMessage, receive);
  useEvent(connection, showMessage, ({ message }) => receive(message));
  useEvent(connection, soundPlayed, ({ sound }) => play(notesOf(sound), volumePercent));
  const isMember = me !== null;
  const setVolume = useCallback((next: number) => {
    play(tipNotes(SAMPLE_TOKENS), next);
    if (isMember) void save({ volume_tip: next });
    else change({ volume: next });
  }, [change, isMember, play, save]);
  return { volume, setVolume };
}
