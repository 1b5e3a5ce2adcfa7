import { lazy, Suspense, useCallback, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useLate } from '../early-press.ts';
import type { MenuItem } from './menu-popup.tsx';

/** Fetched when a menu is about to be opened: most visits open none. */
const load = () => import('./menu-popup.tsx');
const MenuPopup = lazy(async () => ({ default: (await load()).MenuPopup }));

const FOCUS_BY_KEY: Readonly<Record<string, 'first' | 'last'>> = {
  Enter: 'first',
  ' ': 'first',
  ArrowDown: 'first',
  ArrowUp: 'last',
};

interface MenuProps {
  /** Name of the button. */
  readonly label: string;
  readonly trigger: ReactNode;
  readonly items: readonly MenuItem[];
  /** The edge of the button with which the list is aligned. */
  readonly align?: 'start' | 'end';
  /** Lists at the foot of a page open upwards. */
  readonly upwards?: boolean;
}

/**
 * A menu button (ARIA APG "menu button"). The button is plain markup that never changes, so that it can be
 * clicked at any moment; the list comes from the library of controls (decision 20).
 */
export function Menu({ label, trigger, items, align = 'end', upwards }: MenuProps) {
  const [opened, setOpened] = useState<'first' | 'last' | null>(null);
  const { late, ref: button } = useLate(label);
  const close = useCallback(() => setOpened(null), []);
  const onKeyDown = (press: KeyboardEvent) => {
    const focusOn = FOCUS_BY_KEY[press.key];
    if (!focusOn) return;
    // The library would take a click by a key for one by a screen reader, and would then focus the list.
    press.preventDefault();
    setOpened(focusOn);
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        data-late={late ? label : undefined}
        aria-haspopup="menu"
        aria-expanded={opened !== null}
        aria-label={label}
        title={label}
        onPointerEnter={() => void load()}
        onKeyDown={onKeyDown}
        onClick={() => setOpened(opened === null ? 'first' : null)}
        className="inline-flex min-h-11 min-w-11 items-center justify-center gap-1 rounded-control px-2
          text-sm text-muted transition-colors hover:bg-raised hover:text-text"
      >
        {trigger}
      </button>
      {opened === null ? null : (
        <Suspense>
          <MenuPopup
            button={button}
            label={label}
            items={items}
            focusOn={opened}
            onClose={close}
            placement={`${upwards ? 'top' : 'bottom'} ${align}`}
          />
        </Suspense>
      )}
    </>
  );
}
