import { ReadError, type Read } from '#platform/ui/surfaces/section.tsx';

/**
 * Below the chat of a room whose rules could not be read: who moderates it finds no tools without them. It is
 * given the read: one of its own would ask again whenever this appears, which is after each failure.
 */
export default function RulesError({ read }: { readonly read: Read<unknown> }) {
  return (
    <div className="shrink-0 border-t border-line px-4 py-2 text-sm">
      <ReadError read={read} />
    </div>
  );
}
