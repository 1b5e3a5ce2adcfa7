import { Check } from 'lucide-react';
import type { ReactNode, RefObject } from 'react';
import { Menu, MenuItem as Item, RouterProvider, type PopoverProps } from 'react-aria-components';
import { useNavigate } from 'react-router';
import { Popup } from './popup.tsx';

export interface MenuItem {
  readonly key: string;
  readonly text: string;
  /** Language of the text, where it is not that of the page. */
  readonly lang?: string;
  readonly icon?: ReactNode;
  readonly to?: string;
  readonly onChoose?: () => void;
  /** Set for a choice of one item, such as the current language. */
  readonly chosen?: boolean;
}

interface MenuPopupProps {
  /** The button that opened the menu: the list is placed beside it, and returns the focus to it. */
  readonly button: RefObject<HTMLElement | null>;
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly placement: PopoverProps['placement'];
  /** Which item has the focus at first. */
  readonly focusOn?: 'first' | 'last';
  readonly onClose: () => void;
}

const ITEM = 'flex w-full min-h-11 cursor-pointer items-center gap-3 rounded-control px-3 text-left text-sm '
  + 'outline-none data-focused:bg-line';

/** The list of a menu, mounted while the menu is open. */
export function MenuPopup({ button, label, items, placement, focusOn = 'first', onClose }: MenuPopupProps) {
  const navigate = useNavigate();
  const chosen = items.filter((item) => item.chosen).map(({ key }) => key);
  const isChoice = items.some((item) => item.chosen !== undefined);
  return (
    <RouterProvider navigate={(to) => void navigate(to)}>
      <Popup
        button={button}
        placement={placement}
        onClose={onClose}
        className="min-w-52 rounded-card border p-1"
      >
        <Menu
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- an opened menu takes the focus (ARIA APG)
          autoFocus={focusOn}
          aria-label={label}
          items={items}
          shouldFocusWrap
          onClose={onClose}
          selectionMode={isChoice ? 'single' : 'none'}
          selectedKeys={chosen}
          disallowEmptySelection
          className="outline-none"
        >
          {(item) => (
            <Item
              id={item.key}
              textValue={item.text}
              href={item.to}
              onAction={item.onChoose}
              className={ITEM}
            >
              {item.icon}
              <span lang={item.lang} className={item.chosen ? 'font-bold' : ''}>{item.text}</span>
              {item.chosen ? <Check size={18} aria-hidden className="ml-auto text-accent" /> : null}
            </Item>
          )}
        </Menu>
      </Popup>
    </RouterProvider>
  );
}
