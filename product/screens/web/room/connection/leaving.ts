import { useCallback, useEffect } from 'react';
import { useNavigate } from 'react-router';
import type { Connection } from '#platform/contract/sockets/socket-client.ts';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useReloadRoom, useExpulsion, useForgetRoom } from '#product/room-moderation/web/live.ts';

/** Somebody put out of the room whose page is open goes to the listing, and the page forgets the room. */
export function useLeaving(connection: Connection | null, username: string): void {
  const navigate = useNavigate();
  const forget = useForgetRoom();
  useBeingPutOut(connection, () => {
    // Forgotten first, the page that still shows the room would ask for it again.
    void Promise.resolve(navigate('/')).then(() => forget(username));
  });
}

/** Says that this viewer was banned or kicked, in the words of whoever did it where there are some. */
export function useBeingPutOut(connection: Connection | null, onOut: () => void): void {
  const { t } = useTranslation('screens');
  const toast = useToast();
  const say = useCallback((kind: 'banned' | 'kicked', reason: string | null) => {
    toast(reason ?? t(`room.out.${kind}`), 'error');
  }, [t, toast]);
  useExpulsion(connection, ({ kind, reason }) => {
    say(kind, reason === '' ? null : reason);
    onOut();
  });
}

/** A room that does not let this viewer in any more is asked why. */
export function useRefused(connection: Connection | null, username: string): void {
  const ask = useReloadRoom();
  useEffect(() => connection?.watch((phase) => {
    if (phase === 'refused') ask(username);
  }), [ask, connection, username]);
}
