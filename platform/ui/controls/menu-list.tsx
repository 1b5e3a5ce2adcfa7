import { useEffect, useRef, type KeyboardEvent, type ReactNode } from 'react';
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

interface MenuListProps {
  readonly id: string;
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** Classes that place the list at its button. */
  readonly place: string;
  /** @param giveBack whether the button takes the focus again */
  readonly onClose: (giveBack: boolean) => void;
}

const ITEM = 'flex w-full min-h-11 items-center gap-3 rounded-control px-3 text-left text-sm hover:bg-line '
  + 'focus-visible:bg-line aria-checked:text-accent';

/** The open list of a `Menu`: mounted while it is open. */
export function MenuList({ id, label, items, place, onClose }: MenuListProps) {
  const list = useRef<HTMLDivElement>(null);
  const entries = () => [...(list.current?.querySelectorAll<HTMLElement>('[data-menu-item]') ?? [])];

  useEffect(() => entries()[0]?.focus(), []);
  useEffect(() => {
    const away = (press: PointerEvent) => {
      // The button beside the list opens and closes by itself.
      if (!list.current?.parentElement?.contains(press.target as Node)) onClose(false);
    };
    document.addEventListener('pointerdown', away);
    return () => document.removeEventListener('pointerdown', away);
  }, [onClose]);

  const onKeyDown = (press: KeyboardEvent) => {
    if (press.key === 'Escape') onClose(true);
    if (press.key === 'Tab') onClose(false);
    const all = entries();
    const target = menuTarget(press.key, all.indexOf(document.activeElement as HTMLElement), all.length);
    if (target === null) return;
    press.preventDefault();
    all[target]?.focus();
  };
  const choose = (item: MenuItem) => () => {
    onClose(item.to === undefined);
    item.onChoose?.();
  };
  return (
    <div
      ref={list} id={id} role="menu" aria-label={label} tabIndex={-1} onKeyDown={onKeyDown}
      className={`absolute z-40 min-w-52 rounded-card border border-line bg-raised p-1 shadow-float ${place}`}
    >
      {items.map((item) => <MenuEntry key={item.key} item={item} onPress={choose(item)} />)}
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
