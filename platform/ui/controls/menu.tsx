import { lazy, Suspense, useCallback, useId, useState, type ReactNode } from 'react';
import { useLate } from './early-press.ts';
import type { MenuItem } from './menu-list.tsx';

/** Fetched when a menu is first opened: most visits open none. */
const MenuList = lazy(async () => ({ default: (await import('./menu-list.tsx')).MenuList }));

const EDGE = { start: 'left-0', end: 'right-0' } as const;

interface MenuProps {
  /** Name of the button. */
  readonly label: string;
  readonly trigger: ReactNode;
  readonly items: readonly MenuItem[];
  /** Which edge of the button the list keeps to. */
  readonly align?: 'start' | 'end';
  /** Lists at the foot of a page open upwards. */
  readonly upwards?: boolean;
}

/** A menu button (ARIA APG "menu button"): arrows, Home, End; Escape, Tab and pressing elsewhere close it. */
export function Menu({ label, trigger, items, align = 'end', upwards }: MenuProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const { late, ref: button } = useLate(label);
  const close = useCallback((giveBack: boolean) => {
    setOpen(false);
    if (giveBack) button.current?.focus();
  }, [button]);
  return (
    <div className="relative">
      <button
        ref={button} type="button" data-late={late ? label : undefined} aria-haspopup="menu"
        aria-expanded={open} aria-label={label} title={label}
        aria-controls={open ? id : undefined} onClick={() => setOpen(!open)}
        className="inline-flex min-h-11 min-w-11 items-center justify-center gap-1 rounded-control px-2
          text-sm text-muted transition-colors hover:bg-raised hover:text-text"
      >
        {trigger}
      </button>
      {open ? (
        <Suspense>
          <MenuList id={id} label={label} items={items} onClose={close}
            place={`${EDGE[align]} ${upwards ? 'bottom-full mb-1' : 'top-full mt-1'}`} />
        </Suspense>
      ) : null}
    </div>
  );
}
