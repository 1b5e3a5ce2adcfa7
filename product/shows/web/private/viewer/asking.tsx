import { useLoginPrompt } from '#product/accounts/web/login-prompt.tsx';
import { useMe } from '#product/accounts/web/me.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { showsPart } from '../../../client.ts';
import type { RequestBar } from '../../../rules/private.ts';
import { usePrivateCheck } from '../live.ts';

const RequestDialog = lazy(() => import('./request-dialog.tsx'));

interface Asking {
  readonly read: ReturnType<typeof usePrivateCheck>;
  /** The performer offers private shows, and this viewer is not the performer. */
  readonly isOffered: boolean;
  /** A request is pending, or a show is running. */
  readonly isUnderWay: boolean;
  /** Why no show can be requested now; null when one can. */
  readonly bar: RequestBar | null;
  readonly open: () => void;
  /** The request dialog, while it is open. */
  readonly dialog: ReactNode;
}

/** Requesting a private show in a room: guests log in first. */
export function useAsking({ room, onMoneyPrompt }: Pick<PagePartProps, 'room' | 'onMoneyPrompt'>): Asking {
  const me = useMe();
  const askLogin = useLoginPrompt();
  const [isOpen, setOpen] = useState(false);
  const read = usePrivateCheck(room);
  const { data: check } = read;
  const { userSetting: { private: offer } } = readPart(room, showsPart);
  const isUnderWay = check !== undefined && (check.request !== null || check.running !== null);
  const open = async (): Promise<void> => {
    if (!me && !(await askLogin('private'))) return;
    setOpen(true);
  };
  return {
    read,
    isOffered: !room.auth.isStreamer && offer.isEnabled,
    isUnderWay,
    bar: check?.bar ?? null,
    open: () => void open(),
    dialog: isOpen && me && !isUnderWay
      ? (
        <Suspense>
          <RequestDialog room={room} onMoneyPrompt={onMoneyPrompt} onClose={() => setOpen(false)} />
        </Suspense>
      )
      : null,
  };
}
