import { Maximize2, Minimize2 } from 'lucide-react';
import { IconButton } from '../../../../platform/ui/controls/button.tsx';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import type { RoomDataView } from '../../../rooms/contract.ts';
import type { RoomLink } from '../../../rooms/web/live.ts';
import { RoomParts } from './room-parts.tsx';

/**
 * Always in sight: below the video it holds on to the foot of a window that is too low for it, and to the
 * head of what is scrolled; on a phone it is above the field of the chat, on one on its side over the video.
 */
const BAR = 'group/bar relative z-20 shrink-0 border-line bg-page lg:sticky lg:inset-y-0 lg:border-b '
  + 'max-lg:order-1 max-lg:border-t lying:absolute lying:top-1 lying:right-2 lying:left-16 lying:border-0 '
  + 'lying:rounded-card lying:bg-page/70 lying:group-data-chat:right-[max(40%,224px)]';

interface ActionBarProps {
  readonly room: RoomDataView;
  readonly link: RoomLink;
  readonly theatre: { readonly isOn: boolean; readonly onChange: (isOn: boolean) => void };
}

/** What one can do with this performer, and what one is in already, with its time, its cost and its end. */
export function ActionBar({ room, link, theatre: { isOn, onChange } }: ActionBarProps) {
  const { t } = useTranslation('screens');
  return (
    <section aria-label={t('room.bar')} className={BAR}>
      <RoomParts position="State" room={room} link={link} />
      <div className="flex items-center gap-2 px-4 py-2 max-lg:overflow-x-auto max-lg:px-2 max-lg:py-1">
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
