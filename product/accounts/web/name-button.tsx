import { useEffect, type ReactNode } from 'react';
import { liveState, useLiveState, useLiveStore } from '#platform/ui/calls/live-state.ts';
import { Typed } from '#platform/ui/text/typed.tsx';

/** Somebody by what stands beside their name. */
export interface Named {
  readonly username: string;
  /** As they are called; the username where that is not known. */
  readonly name?: string;
  readonly isStaff?: boolean;
}
type OpenCard = (named: Named) => void;
const CARDS = liveState<OpenCard | null>('accounts.nameCards', null);

/** While this is mounted, names open a card of nothing but the name, on pages without a room. */
export function useNameCards(open: OpenCard): void {
  const live = useLiveStore();
  useEffect(() => {
    live.change(CARDS, () => open);
    return () => live.change(CARDS, (now) => (now === open ? null : now));
  }, [live, open]);
}

/** A name that opens its card; plain text until something opens cards. */
export function NameButton({ named, children }: {
  readonly named: Named;
  /** The name as it stands there; the username where nothing is given. */
  readonly children?: ReactNode;
}) {
  const open = useLiveState(CARDS, (now) => now);
  const name = children ?? <Typed>{named.username}</Typed>;
  if (!open) return name;
  return (
    <button type="button" title={`@${named.username}`} onClick={() => open(named)}
      className="min-h-6 text-left break-words hover:underline">
      {name}
    </button>
  );
}
