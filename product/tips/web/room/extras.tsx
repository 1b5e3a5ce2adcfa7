import { ReadError } from '../../../../platform/ui/surfaces/section.tsx';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import { useTipRoom } from '../live.ts';
import type { TipTarget } from '../tip-panel.tsx';
import { MenuList } from './menu-list.tsx';
import { SplitPanel } from './split-panel.tsx';

interface ExtrasProps extends TipTarget {
  /** Username of who looks; null for a guest. */
  readonly me: string | null;
  readonly canModerate: boolean;
}

/** What can be done with tokens beside a plain tip: the menu, and a tip together with others. */
export default function TipExtras(props: ExtrasProps) {
  const { t } = useTranslation('tips');
  const read = useTipRoom(props.username);
  const { data } = read;
  if (!data) return <ReadError read={read} />;
  return (
    <section aria-label={t('extras')} className="flex flex-col gap-6">
      {data.menu.length === 0 || props.me === props.username ? null
        : <MenuList items={data.menu} target={props} />}
      <SplitPanel split={data.split} target={props} me={props.me} canModerate={props.canModerate} />
    </section>
  );
}
