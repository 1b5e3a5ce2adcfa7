import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { Link } from 'react-router';

export interface MenuItem {
  readonly key: string;
  readonly text: ReactNode;
  readonly icon?: ReactNode;
  readonly to?: string;
  readonly onChoose?: () => void;
  /** The one chosen of several, e.g. the current language. */
  readonly chosen?: boolean;
}

/** Where the focus goes from `index` among `count` items with a key, or null for keys that do not move it. */
export function menuTarget(key: string, index: number, count: number): number | null {
  if (count === 0) return null;
  if (key === 'ArrowDown') return (index + 1) % count;
  if (key === 'ArrowUp') return (index - 1 + count) % count;
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  return null;
}

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

const ITEM = 'flex w-full min-h-11 items-center gap-3 rounded-control px-3 text-left text-sm hover:bg-line '
  + 'focus-visible:bg-line aria-checked:text-accent';

/** A menu button (ARIA APG "menu button"): arrows, Home, End, Escape, Tab and pressing elsewhere close it. */
export function Menu({ label, trigger, items, align = 'end', upwards }: MenuProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const entries = () => [...(root.current?.querySelectorAll<HTMLElement>('[data-menu-item]') ?? [])];

  useEffect(() => {
    if (!open) return undefined;
    entries()[0]?.focus();
    const away = (press: PointerEvent) => {
      if (!root.current?.contains(press.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', away);
    return () => document.removeEventListener('pointerdown', away);
  }, [open]);

  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const onKeyDown = (press: KeyboardEvent) => {
    if (!open) return;
    if (press.key === 'Escape') close();
    if (press.key === 'Tab') setOpen(false);
    const list = entries();
    const target = menuTarget(press.key, list.indexOf(document.activeElement as HTMLElement), list.length);
    if (target === null) return;
    press.preventDefault();
    list[target]?.focus();
  };
  const choose = (item: MenuItem) => () => {
    if (item.to) setOpen(false);
    else close();
    item.onChoose?.();
  };

  return (
    <div ref={root} className="relative" onKeyDown={onKeyDown}>
      <button
        ref={button} type="button" aria-haspopup="menu" aria-expanded={open}
        aria-controls={open ? id : undefined}
        aria-label={label} title={label} onClick={() => setOpen(!open)}
        className="inline-flex min-h-11 min-w-11 items-center justify-center gap-1 rounded-control px-2
          text-sm text-muted transition-colors hover:bg-raised hover:text-text"
      >
        {trigger}
      </button>
      {open ? (
        <div
          id={id} role="menu" aria-label={label}
          className={`absolute z-40 min-w-52 rounded-card border border-line bg-raised p-1 shadow-float
            ${align === 'end' ? 'right-0' : 'left-0'} ${upwards ? 'bottom-full mb-1' : 'top-full mt-1'}`}
        >
          {items.map((item) => <MenuEntry key={item.key} item={item} onPress={choose(item)} />)}
        </div>
      ) : null}
    </div>
  );
}

function MenuEntry({ item, onPress }: { item: MenuItem; onPress: () => void }) {
  const content = <>{item.icon}{item.text}</>;
  if (item.to) {
    return (
      <Link role="menuitem" data-menu-item tabIndex={-1} className={ITEM} to={item.to} onClick={onPress}>
        {content}
      </Link>
    );
  }
  const role = item.chosen === undefined ? 'menuitem' : 'menuitemradio';
  return (
    <button type="button" role={role} aria-checked={item.chosen} data-menu-item tabIndex={-1} className={ITEM}
      onClick={onPress}>
      {content}
    </button>
  );
}
