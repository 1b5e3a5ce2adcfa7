import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { HandCoins, MessageCircle, Radio, Ticket } from 'lucide-react';
import type { ReactNode } from 'react';

/** The parts that a phone shows below the video, one at a time. A wide window shows all of them. */
const CONSOLE_PARTS = ['chat', 'tips', 'shows', 'stream'] as const;
export type ConsolePart = (typeof CONSOLE_PARTS)[number];

const ICONS: Readonly<Record<ConsolePart, ReactNode>> = {
  chat: <MessageCircle size={20} aria-hidden />,
  tips: <HandCoins size={20} aria-hidden />,
  shows: <Ticket size={20} aria-hidden />,
  stream: <Radio size={20} aria-hidden />,
};

/** Hides the parts that are not open on a phone. They stay mounted: each follows its own events. */
export const shownPart = (
  part: ConsolePart,
  open: ConsolePart,
): string => (part === open ? '' : 'max-lg:hidden');

interface ConsoleTabsProps {
  readonly open: ConsolePart;
  readonly onOpen: (part: ConsolePart) => void;
}

/** At the foot of a phone, in place of the site's own bar. */
export function ConsoleTabs({ open, onOpen }: ConsoleTabsProps) {
  const { t } = useTranslation('screens');
  return (
    <div
      role="group"
      aria-label={t('console.parts')}
      className="flex shrink-0 border-t border-line bg-page pb-[env(safe-area-inset-bottom)] lg:hidden
        phone-landscape:col-span-2"
    >
      {CONSOLE_PARTS.map((part) => (
        <button
          key={part}
          type="button"
          aria-pressed={part === open}
          onClick={() => onOpen(part)}
          className="flex min-h-12 min-w-0 grow basis-0 flex-col items-center justify-center gap-0.5
            border-t-2 border-transparent px-1 text-xs font-medium text-muted -outline-offset-2
            aria-pressed:border-pink aria-pressed:text-text phone-landscape:flex-row phone-landscape:gap-2"
        >
          {ICONS[part]}
          <span className="max-w-full truncate">{t(`console.part.${part}`)}</span>
        </button>
      ))}
    </div>
  );
}
