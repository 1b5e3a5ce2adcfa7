import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Info, MessageCircle, Settings2, ShieldCheck, Users } from 'lucide-react';
import type { ReactNode } from 'react';

/** The panels of a room beside its video. */
export type Panel = 'chat' | 'users' | 'about' | 'moderation' | 'settings';

const ICONS: Readonly<Record<Panel, ReactNode>> = {
  chat: <MessageCircle size={20} aria-hidden />,
  users: <Users size={20} aria-hidden />,
  about: <Info size={20} aria-hidden />,
  moderation: <ShieldCheck size={20} aria-hidden />,
  settings: <Settings2 size={20} aria-hidden />,
};

/** In the column beside a wide video; the others are below it. */
const IN_COLUMN: ReadonlySet<Panel> = new Set<Panel>(['chat', 'users', 'moderation', 'settings']);

/** The column shows one of its own panels, else the chat. */
const columnPanel = (panel: Panel): Panel => (IN_COLUMN.has(panel) ? panel : 'chat');

/** Hides closed panels: on a phone all others, in a wide window those of the column. */
export function shownWhere(own: Panel, open: Panel): string {
  if (own === open) return '';
  if (!IN_COLUMN.has(own)) return 'max-lg:hidden';
  return columnPanel(open) === own ? 'max-lg:hidden' : 'hidden max-lg:hidden';
}

/** Hides the whole column on a phone while a panel outside of it is open. */
export const columnShown = (open: Panel): string => (IN_COLUMN.has(open) ? '' : 'max-lg:hidden');

interface PanelsProps {
  readonly panels: readonly Panel[];
  readonly open: Panel;
  readonly onOpen: (panel: Panel) => void;
  /** People in the room, beside the name of their panel. */
  readonly users: number;
  /** Messages that wait for a moderator. */
  readonly waiting: number;
}

/** On a phone one panel shows at a time; the buttons are hidden while somebody types. */
export function PhonePanels(props: PanelsProps) {
  return <PanelButtons {...props} className="lg:hidden max-lg:group-data-keyboard:hidden" />;
}

/** At the head of the column: the chat, and the panels that replace it. */
export function ColumnPanels({ panels, open, ...rest }: PanelsProps) {
  const own = panels.filter((panel) => IN_COLUMN.has(panel));
  if (own.length < 2) return null;
  return <PanelButtons {...rest} panels={own} open={columnPanel(open)} className="max-lg:hidden" />;
}

/** In the performer console there is only the column. */
export function ConsolePanels(props: PanelsProps) {
  return <PanelButtons {...props} className="@container" />;
}

function PanelButtons(
  { panels, open, onOpen, users, waiting, className }: PanelsProps & { className: string },
) {
  const { t } = useTranslation('screens');
  return (
    <div
      role="group"
      aria-label={t('room.parts')}
      className={`flex shrink-0 border-b border-line bg-page phone-landscape:hidden ${className}`}
    >
      {panels.map((panel) => (
        <button
          key={panel}
          type="button"
          aria-pressed={panel === open}
          onClick={() => onOpen(panel)}
          className="relative flex min-h-11 min-w-0 grow basis-0 items-center justify-center gap-x-2
            border-b-2 border-transparent px-1 text-sm font-medium text-muted -outline-offset-2
            aria-pressed:border-pink aria-pressed:text-text max-sm:flex-col max-sm:py-1 max-sm:text-xs
            @max-md:flex-col @max-md:py-1 @max-md:text-xs hover:text-text"
        >
          {ICONS[panel]}
          <span className="max-w-full truncate">{t(`room.part.${panel}`)}</span>
          {panel === 'users' ? <Count of={users} /> : null}
          {panel === 'moderation' ? <Count of={waiting} isNews /> : null}
        </button>
      ))}
    </div>
  );
}

/** Where a name is below its icon, the count is beside the icon: a third line would move the tabs. */
const NEWS = `rounded-full bg-warning px-2 text-ink
  max-sm:absolute max-sm:top-1 max-sm:left-1/2 max-sm:ml-3 max-sm:px-1.5
  @max-md:absolute @max-md:top-1 @max-md:left-1/2 @max-md:ml-3 @max-md:px-1.5`;

/** A number beside a name; waiting messages stand out. */
function Count({ of: count, isNews = false }: { of: number; isNews?: boolean }) {
  if (count === 0) return null;
  const look = isNews ? NEWS : 'text-muted max-sm:hidden @max-md:hidden';
  return <span className={`tabular text-xs ${look}`}>{count}</span>;
}
