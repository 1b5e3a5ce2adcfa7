import { IconButton } from '#platform/ui/controls/button.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { LayoutGrid, Rows3, SlidersHorizontal, type LucideIcon } from 'lucide-react';
import type { Layout } from '../../rules/home.ts';

const CHOICES: readonly (readonly [Layout, LucideIcon])[] = [
  ['classic', LayoutGrid],
  ['section', Rows3],
  ['custom', SlidersHorizontal],
];

/** Three small toggle buttons for the home page's layout. */
export function LayoutSwitch({ layout, onChange }: {
  readonly layout: Layout;
  readonly onChange: (layout: Layout) => void;
}) {
  const { t } = useTranslation('browse');
  return (
    <div role="group" aria-label={t('home.layout')} className="-my-1.5 flex shrink-0">
      {CHOICES.map(([one, Icon]) => (
        <IconButton
          key={one}
          label={t(`home.layouts.${one}`)}
          pressed={layout === one}
          onClick={() => {
            if (layout !== one) onChange(one);
          }}
        >
          <Icon size={20} aria-hidden />
        </IconButton>
      ))}
    </div>
  );
}
