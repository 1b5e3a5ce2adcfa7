import { ReadError } from '#platform/ui/surfaces/section.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Users } from 'lucide-react';
import { useTipRoom } from '../live.ts';
import type { TipTarget } from '../tip-panel.tsx';
import { MenuList } from './menu-list.tsx';
import { SplitProposal } from './split-proposal.tsx';

interface ExtrasProps extends TipTarget {
  /** Username of the viewer; null for a guest. */
  readonly me: string | null;
}

/** What can be done with tokens besides a plain tip: the menu, and splits. */
export default function TipExtras(props: ExtrasProps) {
  const { t } = useTranslation('tips');
  const read = useTipRoom(props.username);
  const { data } = read;
  if (!data) return <ReadError read={read} />;
  return (
    <section aria-label={t('extras')} className="flex flex-col gap-6">
      {data.menu.length === 0 || props.me === props.username
        ? null
        : <MenuList items={data.menu} target={props} />}
      {/* A proposed split is in the bar of actions, where everybody sees it. */}
      {data.split.mode === 'available'
        ? (
          <div className="flex flex-col gap-3">
            <h2 className="flex items-center gap-2 text-base font-bold">
              <Users size={20} aria-hidden className="text-accent" />
              {t('split.title')}
            </h2>
            <SplitProposal target={props} pays={props.me !== props.username} />
          </div>
        )
        : null}
    </section>
  );
}
