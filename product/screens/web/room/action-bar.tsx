import { IconButton } from '#platform/ui/controls/button.tsx';
import { useFocusPlace } from '#platform/ui/focus-place.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { RoomDataView } from '#product/rooms/contract.ts';
import type { RoomLink } from '#product/rooms/web/live.ts';
import { Maximize2, Minimize2 } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { RoomParts } from './room-parts.tsx';

/**
 * Always in sight: below the video it sticks to the foot of a window that is too low for it, and to the top
 * of the scrolled column; on a phone it is above the chat's field, in landscape over the video.
 */
const BAR = 'group/bar relative z-20 border-line bg-page outline-none lg:@container/bar lg:sticky '
  + 'lg:inset-y-0 lg:shrink-0 lg:border-b '
  + 'max-lg:order-1 max-lg:flex max-lg:min-h-0 max-lg:flex-col max-lg:border-t phone-landscape:absolute '
  + 'phone-landscape:top-1 '
  + 'phone-landscape:right-2 phone-landscape:left-16 phone-landscape:border-0 '
  + 'phone-landscape:rounded-card phone-landscape:bg-page/70 '
  + 'phone-landscape:group-data-chat:right-[max(40%,224px)]';
/** On a phone it scrolls in the space beside video, tabs and the chat's field; the chat gives way first. */
const STATES = 'relative flex flex-col empty:hidden max-lg:min-h-0 max-lg:overflow-y-auto '
  + 'phone-landscape:max-h-[75dvh] [&>:has([data-costs])]:order-first';
/**
 * What does not fit in one row wraps, since nothing may be reachable only by scrolling sideways; a narrow bar
 * has smaller gaps first. While somebody types on a phone there is one row.
 */
const ROW = 'flex flex-wrap items-center gap-2 px-4 py-2 @max-[72rem]/bar:gap-1 @max-[72rem]/bar:px-2 '
  + 'max-lg:shrink-0 max-lg:gap-1 max-lg:px-2 max-lg:py-1 max-lg:group-data-keyboard:flex-nowrap '
  + 'max-lg:group-data-keyboard:overflow-x-auto';

interface ActionBarProps {
  readonly room: RoomDataView;
  readonly link: RoomLink;
  readonly theatre: { readonly isOn: boolean; readonly onChange: (isOn: boolean) => void };
}

/** What a viewer can do with this performer, and what they take part in, with its time, cost and end. */
export function ActionBar({ room, link, theatre: { isOn, onChange } }: ActionBarProps) {
  const { t } = useTranslation('screens');
  const bar = useRef<HTMLElement>(null);
  useFocusPlace(bar);
  useEffect(() => {
    const { current: own } = bar;
    const column = own?.parentElement;
    if (!own || !column) return;
    // The video leaves room for the bar, however many rows it has (`picture.tsx`).
    const watch = new ResizeObserver(() => column.style.setProperty('--bar', `${own.offsetHeight}px`));
    watch.observe(own);
    return () => watch.disconnect();
  }, []);
  return (
    <section ref={bar} data-foot tabIndex={-1} aria-label={t('room.bar')} className={BAR}>
      <div className={STATES}>
        <RoomParts position="State" room={room} link={link} />
      </div>
      <div className={ROW}>
        <RoomParts position="Actions" room={room} link={link} />
        <span className="ml-auto max-lg:hidden">
          <IconButton label={t('room.theatre')} pressed={isOn} onClick={() => onChange(!isOn)}>
            {isOn ? <Minimize2 size={20} aria-hidden /> : <Maximize2 size={20} aria-hidden />}
          </IconButton>
        </span>
      </div>
    </section>
  );
}
