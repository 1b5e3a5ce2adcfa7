import { ReadError, type Read } from '#platform/ui/surfaces/section.tsx';

/**
 * Shown below the chat of a room whose rules could not be read, since moderators would otherwise just miss
 * their tools. Receives the read as a prop: a read of its own would run again whenever this is mounted, which
 * is after each failure.
 */
export default function RulesError({ read }: { readonly read: Read<unknown> }) {
  return (
    <div className="shrink-0 border-t border-line px-4 py-2 text-sm">
      <ReadError read={read} />
    </div>
  );
}
