import { useCallback, useEffect, useMemo } from 'react';
import type { Connection } from '../../../../../platform/contract/sockets/socket-client.ts';
import { useAction } from '../../../../../platform/ui/calls/calls.ts';
import { useEvent } from '../../../../../platform/ui/calls/live.ts';
import { updateSettings } from '../../../../accounts/client.ts';
import { DEFAULT_SETTINGS } from '../../../../accounts/rules.ts';
import { useMe, useReloadMe } from '../../../../accounts/web/me.ts';
import { chatMessage, soundPlayed } from '../../../client.ts';
import { FrameBatch } from '../frame-batch.ts';
import type { ChatSettings } from './settings.ts';
import { notesOf, tipNotes, usePlay } from './sounds.ts';

/** A tip whose sound says how loud a new volume is. */
const SAMPLE_TOKENS = 100;

/**
 * Plays what happens in a chat: of the tips that come at once the largest, as after a return to the room.
 * Members' volume belongs to their account, guests' to this device.
 */
export function useChatSounds(
  connection: Connection | null, settings: ChatSettings, change: (some: Partial<ChatSettings>) => void,
): { readonly volume: number; readonly setVolume: (volume: number) => void } {
  const me = useMe();
  const { run } = useAction(updateSettings);
  const reload = useReloadMe();
  const play = usePlay();
  const volume = me?.settings.volume_tip ?? settings.volume ?? DEFAULT_SETTINGS.volume_tip;
  const heard = settings.isMuted ? 0 : volume;
  const tips = useMemo(
    () => new FrameBatch<number>((tokens) => play(tipNotes(Math.max(...tokens)), heard)), [heard, play],
  );
  useEffect(() => () => tips.drop(), [tips]);
  useEvent(connection, chatMessage, ({ type, value }) => {
    if (type === 'tip') tips.add(value);
  });
  useEvent(connection, soundPlayed, ({ sound }) => play(notesOf(sound), heard));
  const isMember = me !== null;
  const setVolume = useCallback((next: number) => {
    play(tipNotes(SAMPLE_TOKENS), next);
    if (isMember) void run({ volume_tip: next }).then(reload);
    else change({ volume: next });
  }, [change, isMember, play, reload, run]);
  return { volume, setVolume };
}
