import { liveState, useLiveState, useLiveStore } from '#platform/ui/calls/live-state.ts';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useEffect, type ReactNode } from 'react';

/** A person whose name is shown, with what the page knows about them. */
export interface Named {
  readonly username: string;
  /** The display name; the username where it is unknown. */
  readonly name?: string;
  readonly isStaff?: boolean;
}
type OpenCard = (named: Named) => void;
const CARDS = liveState<OpenCard | null>('accounts.nameCards', null);

/** While mounted, names on pages without a room open a card with just the name. */
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
  /** The name as shown; the username where left out. */
  readonly children?: ReactNode;
}) {
  const open = useLiveState(CARDS, (now) => now);
  const name = children ?? <Typed>{named.username}</Typed>;
  if (!open) return name;
  return (
    <button
      type="button"
      title={`@${named.username}`}
      onClick={() => open(named)}
      className="min-h-6 text-left break-words hover:underline"
    >
      {name}
    </button>
  );
}
