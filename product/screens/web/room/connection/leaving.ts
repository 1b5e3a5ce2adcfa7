import type { Connection } from '#platform/contract/sockets/socket-client.ts';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useExpulsion, useForgetRoom, useReloadRoom } from '#product/room-moderation/web/live.ts';
import { useCallback, useEffect } from 'react';
import { useNavigate } from 'react-router';

/** A viewer removed from the room that is open goes to the listing, and the page forgets the room. */
export function useLeaving(connection: Connection | null, username: string): void {
  const navigate = useNavigate();
  const forget = useForgetRoom();
  useBeingPutOut(connection, () => {
    // Navigates first: if the room were forgotten first, the open page would request it again.
    void Promise.resolve(navigate('/')).then(() => forget(username));
  });
}

/** Shows that this viewer was banned or kicked, in the words of the person who did it, if there are any. */
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

/** When a room refuses this viewer, reads the reason. */
export function useRefused(connection: Connection | null, username: string): void {
  const ask = useReloadRoom();
  useEffect(() =>
    connection?.watch((phase) => {
      if (phase === 'refused') ask(username);
    }), [ask, connection, username]);
}
