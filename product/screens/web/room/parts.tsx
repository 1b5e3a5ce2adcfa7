import { Gift, Info, MessageCircle, Settings2, ShieldCheck, Users } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';

/** What a room is made of beside its picture. */
export type Part = 'chat' | 'users' | 'actions' | 'about' | 'desk' | 'settings';

const ICONS: Readonly<Record<Part, ReactNode>> = {
  chat: <MessageCircle size={20} aria-hidden />,
  users: <Users size={20} aria-hidden />,
  actions: <Gift size={20} aria-hidden />,
  about: <Info size={20} aria-hidden />,
  desk: <ShieldCheck size={20} aria-hidden />,
  settings: <Settings2 size={20} aria-hidden />,
};

/** In the column beside a wide picture; the others stand below it. */
const IN_COLUMN: ReadonlySet<Part> = new Set<Part>(['chat', 'users', 'desk', 'settings']);

/** What the column shows: one of its own parts, else the chat. */
const columnPart = (part: Part): Part => (IN_COLUMN.has(part) ? part : 'chat');

/** Hides what is not open: on a phone every other part, on a wide window those of the same column. */
export function shownWhere(own: Part, open: Part): string {
  if (own === open) return '';
  if (!IN_COLUMN.has(own)) return 'max-lg:hidden';
  return columnPart(open) === own ? 'max-lg:hidden' : 'hidden';
}

/** Hides the whole column on a phone while another part is open. */
export const columnShown = (open: Part): string => (IN_COLUMN.has(open) ? '' : 'max-lg:hidden');

interface PartsProps {
  readonly parts: readonly Part[];
  readonly open: Part;
  readonly onOpen: (part: Part) => void;
  /** People in the room, beside the name of their part. */
  readonly users: number;
  /** What waits for a moderator. */
  readonly waiting: number;
}

/** On a phone one part shows at a time, one thumb away from the others. */
export function PhoneParts(props: PartsProps) {
  return <PartButtons {...props} place="lg:hidden" />;
}

/** At the head of the column: chat, and what takes its place for a moment. */
export function ColumnParts({ parts, open, ...rest }: PartsProps) {
  const own = parts.filter((part) => IN_COLUMN.has(part));
  if (own.length < 2) return null;
  return <PartButtons {...rest} parts={own} open={columnPart(open)} place="max-lg:hidden" />;
}

/** In the control room the column is all there is. */
export function ControlParts(props: PartsProps) {
  return <PartButtons {...props} place="@container" />;
}

function PartButtons({ parts, open, onOpen, users, waiting, place }: PartsProps & { place: string }) {
  const { t } = useTranslation('screens');
  return (
    <div role="group" aria-label={t('room.parts')}
      className={`flex shrink-0 border-b border-line bg-page lying:hidden ${place}`}>
      {parts.map((part) => (
        <button key={part} type="button" aria-pressed={part === open} onClick={() => onOpen(part)}
          className="flex min-h-11 min-w-0 grow basis-0 items-center justify-center gap-x-2 border-b-2
            border-transparent px-1 text-sm font-medium text-muted -outline-offset-2
            aria-pressed:border-pink aria-pressed:text-text max-sm:flex-col max-sm:py-1 max-sm:text-xs
            @max-md:flex-col @max-md:py-1 @max-md:text-xs hover:text-text">
          {ICONS[part]}
          <span className="max-w-full truncate">{t(`room.part.${part}`)}</span>
          {part === 'users' ? <Count of={users} /> : null}
          {part === 'desk' ? <Count of={waiting} isNews /> : null}
        </button>
      ))}
    </div>
  );
}

/** A number beside a name; what waits stands out. */
function Count({ of: count, isNews = false }: { of: number; isNews?: boolean }) {
  if (count === 0) return null;
  const look = isNews ? 'rounded-full bg-warning px-2 text-ink' : 'text-muted max-sm:hidden @max-md:hidden';
  return <span className={`tabular text-xs ${look}`}>{count}</span>;
}
