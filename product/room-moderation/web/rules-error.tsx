import { useRead } from '../../../platform/ui/calls/calls.ts';
import { ReadError } from '../../../platform/ui/surfaces/section.tsx';
import { getChatRules } from '../client.ts';

/** Below the chat of a room whose rules could not be read: who moderates it finds no tools without them. */
export default function RulesError({ username }: { readonly username: string }) {
  return (
    <div className="shrink-0 border-t border-line px-4 py-2 text-sm">
      <ReadError read={useRead(getChatRules, { username })} />
    </div>
  );
}
